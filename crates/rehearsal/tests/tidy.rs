//! The rules of the house that a compiler does not hold: crate edges, where effects live, first lines, sizes, names.
//!
//! A new file is checked without being listed here. A new crate, or a new edge, is a line in `EDGES` and one in ARCHITECTURE.md.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "this test reads the sources, and fails where it cannot"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each crate may depend on among ours. Tests, benches and dev-dependencies are exempt.
const EDGES: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("script", &["wire"]),
    ("journal", &[]),
    ("report", &["journal"]),
    ("world", &["wire", "journal"]),
    ("standin", &["wire", "script", "journal", "world"]),
    ("bridge", &["wire", "journal", "world"]),
    ("daemon", &["wire", "script", "journal", "world"]),
    ("driver", &["wire", "journal", "world"]),
    ("lab", &["journal", "world"]),
    ("workflow", &["wire", "script", "journal", "world", "standin", "bridge", "daemon", "lab"]),
    (
        "rehearsal",
        &[
            "wire", "script", "journal", "report", "world", "standin", "bridge", "daemon", "driver", "lab",
            "workflow",
        ],
    ),
    ("testkit", &[]),
];

/// What only `world` (and the test tools of `testkit`) may name. Addresses, exit codes and durations are values, not effects.
const EFFECTS: &[&str] = &[
    "std::fs",
    ".is_file()",
    ".is_dir()",
    ".exists()",
    ".canonicalize()",
    "path::absolute",
    "TcpListener",
    "TcpStream",
    "UdpSocket",
    "UnixStream",
    "UnixListener",
    "ToSocketAddrs",
    "process::Command",
    "process::exit",
    "process::abort",
    "std::process::{",
    "std::env",
    "std::thread",
    "Instant",
    "SystemTime",
    "io::stdin",
    "tokio::",
    "hyper::",
    "hyper_util::",
    "cap_std::",
    "rustix::",
    "getrandom::",
    "Connection::open",
];

/// Lines of a file without its tests, at most.
const FILE_LIMIT: usize = 500;

/// Names that say nothing.
const BANNED_NAMES: &[&str] =
    &["utils", "util", "helpers", "helper", "common", "misc", "manager", "handler", "types"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with(".git") {
                walk(&path, out);
            }
        } else {
            out.push(path);
        }
    }
}

/// Every Rust file: its crate's name, whether it is product code (below `src`), its path, its text.
fn sources() -> Vec<(String, bool, PathBuf, String)> {
    let crates = root().join("crates");
    let mut paths = Vec::new();
    walk(&crates, &mut paths);
    paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| {
            let inside = path.strip_prefix(&crates).unwrap().to_owned();
            let mut parts = inside.iter().map(|part| part.to_str().unwrap());
            let (name, below) = (parts.next().unwrap().to_owned(), parts.next().unwrap());
            let text = fs::read_to_string(&path).unwrap();
            let test_file = inside.iter().any(|part| part == "tests" || part == "tests.rs");
            (name, below == "src" && !test_file, inside, text)
        })
        .collect()
}

/// The lines before the first `#[cfg(test)]` that opens the file's own tests.
fn without_tests(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line)).take_while(|(_, line)| *line != "#[cfg(test)]")
}

fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for_in_its_first_line() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|(_, _, _, text)| !text.starts_with("//! "))
        .map(|(_, _, path, _)| {
            format!("{}: the first line must be `//! what this file is for`", path.display())
        })
        .collect();
    report(&faults);
}

#[test]
fn no_file_outgrows_the_limit() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|(_, product, _, text)| *product && without_tests(text).count() > FILE_LIMIT)
        .map(|(_, _, path, text)| {
            format!(
                "{}: {} lines without tests, {FILE_LIMIT} is the limit",
                path.display(),
                without_tests(text).count()
            )
        })
        .collect();
    report(&faults);
}

#[test]
fn names_say_something() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|(_, product, path, _)| {
            *product && path.file_stem().is_some_and(|stem| BANNED_NAMES.iter().any(|banned| stem == *banned))
        })
        .map(|(_, _, path, _)| format!("{}: this name says nothing about its content", path.display()))
        .collect();
    report(&faults);
}

#[test]
fn only_world_has_effects() {
    let mut faults = Vec::new();
    for (name, product, path, text) in &sources() {
        if !product || name == "world" || name == "testkit" {
            continue;
        }
        for (number, line) in without_tests(text) {
            let code = line.split("//").next().unwrap_or("");
            for effect in EFFECTS.iter().filter(|effect| code.contains(**effect)) {
                faults.push(format!("{}:{number}: `{effect}` belongs into `world`", path.display()));
            }
        }
    }
    report(&faults);
}

/// The packages that a crate's manifest names, each with its section's name.
fn dependencies(name: &str) -> Vec<(String, String)> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let mut section = String::new();
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.to_owned();
        } else if section.ends_with("dependencies]")
            && let Some((package, _)) = line.split_once(['.', ' ', '='])
        {
            found.push((section.clone(), package.to_owned()));
        }
    }
    found
}

#[test]
fn every_dependency_is_used() {
    let sources = sources();
    let mut faults = Vec::new();
    for (name, _) in EDGES {
        for (section, package) in dependencies(name) {
            let ident = package.replace('-', "_");
            let uses =
                |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == ident);
            let below =
                |path: &Path| section != "[dependencies]" || path.starts_with(Path::new(name).join("src"));
            if !sources.iter().any(|(owner, _, path, text)| owner == name && below(path) && uses(text)) {
                faults.push(format!("{name}: nothing uses {package} of {section}"));
            }
        }
    }
    report(&faults);
}

#[test]
fn crates_depend_only_on_what_the_house_allows() {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, allowed) in EDGES {
        seen.insert((*name).to_owned());
        for (section, package) in dependencies(name) {
            let ours = package.strip_prefix("rehearsal-").filter(|_| section == "[dependencies]");
            if let Some(dependency) = ours.filter(|dependency| !allowed.contains(dependency)) {
                faults.push(format!("{name} must not depend on {dependency}"));
            }
        }
    }
    let folders = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    faults.extend(
        folders
            .filter(|folder| !seen.contains(folder))
            .map(|folder| format!("{folder} is not listed in EDGES")),
    );
    report(&faults);
}

#[test]
fn unsafe_code_is_forbidden_outside_world() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|(name, product, path, text)| {
            let is_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
            *product && is_root && name != "world" && !text.contains("#![forbid(unsafe_code)]")
        })
        .map(|(_, _, path, _)| format!("{}: `#![forbid(unsafe_code)]` is missing", path.display()))
        .collect();
    report(&faults);
}

#[test]
fn lints_are_expected_with_a_reason_never_allowed() {
    let mut faults = Vec::new();
    for (_, product, path, text) in &sources() {
        for (number, line) in text.lines().enumerate().filter(|_| *product) {
            if line.trim_start().starts_with("#[allow(") || line.trim_start().starts_with("#![allow(") {
                faults.push(format!(
                    "{}:{}: `expect` with a reason instead of `allow`",
                    path.display(),
                    number + 1
                ));
            }
        }
    }
    report(&faults);
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let faults: Vec<_> = EDGES
        .iter()
        .filter(|(name, _)| {
            let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
            !manifest.contains("[lints]\nworkspace = true")
        })
        .map(|(name, _)| format!("{name}: `[lints] workspace = true` is missing"))
        .collect();
    report(&faults);
}
