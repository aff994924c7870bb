//! A tree with owned files and all that may lie around them, and whether it is as it was.

use crate::stand::Stand;
use rehearsal_driver::worker::report::Report;
use rehearsal_journal::digest;
use rehearsal_world::owned::{Fate, RECORD};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

/// The files that may be changed, and what they hold before.
pub(crate) const OWNED: [(&str, &str); 3] =
    [("a.py", "one\ntwo\nthree\n"), ("sub/b.txt", "\u{feff}eins\r\nzwei"), ("é.txt", "un\n")];

/// The file that may be made.
pub(crate) const NEW: &str = "new/er/n.py";

/// Everything that is told of one place: what it is, and, unless it is a folder, when it was touched and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    inode: u64,
    mode: u32,
    links: u64,
    touched: (i64, i64),
    holds: Vec<u8>,
}

/// All places below a folder.
pub(crate) type Places = BTreeMap<String, PlaceSeen>;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceSeen(Place);

/// The tree with its neighbours, inside and outside.
pub(crate) fn grown() -> Stand {
    let stand = Stand::with(&OWNED);
    for (name, text) in [
        ("other.py", "mine\n"),
        // Other files for whoever tells cases and forms apart.
        ("A.py", "another case\n"),
        ("e\u{301}.txt", "another form\n"),
        ("sub/c.txt", "mine\n"),
        ("hard.py", "two names\n"),
        ("locked.py", "not to be written\n"),
        (".git/config", "[core]\n"),
        (".git/hooks/pre-commit", "#!/bin/sh\n"),
        ("tests/test_a.py", "assert True\n"),
    ] {
        stand.write(name, text.as_bytes());
    }
    fs::create_dir(stand.path().join("outside")).unwrap();
    fs::write(stand.path().join("outside/secret"), "secret\n").unwrap();
    fs::write(stand.path().join("a.py"), "above the tree\n").unwrap();
    symlink("other.py", stand.at("link.py")).unwrap();
    symlink("../outside", stand.at("out")).unwrap();
    symlink("nowhere", stand.at("dangling.py")).unwrap();
    symlink(".", stand.at("round")).unwrap();
    fs::hard_link(stand.at("hard.py"), stand.path().join("outside/hard.py")).unwrap();
    fs::set_permissions(stand.at("locked.py"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(stand.at("a.py"), fs::Permissions::from_mode(0o640)).unwrap();
    assert!(Command::new("mkfifo").arg(stand.at("pipe")).status().unwrap().success());
    stand
}

/// All that is below the stand's folder but its records.
pub(crate) fn seen(stand: &Stand) -> Places {
    let mut places = Places::new();
    look(stand.path(), stand.path(), &mut places);
    places
}

fn look(root: &Path, folder: &Path, into: &mut Places) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if name == "records" {
            continue;
        }
        let facts = path.symlink_metadata().unwrap();
        let kind = facts.file_type();
        let holds = if kind.is_symlink() {
            fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else if kind.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        // A folder is touched by what is made in it for a while.
        let (links, touched) = match kind.is_dir() {
            true => (0, (0, 0)),
            false => (facts.nlink(), (facts.mtime(), facts.mtime_nsec())),
        };
        into.insert(name, PlaceSeen(Place { inode: facts.ino(), mode: facts.mode(), links, touched, holds }));
        if kind.is_dir() {
            look(root, &path, into);
        }
    }
}

fn is_owned(name: &str) -> bool {
    OWNED.iter().any(|(owned, _)| name.strip_prefix("tree/") == Some(owned))
}

/// What is wrong with the tree after a task, by what its report says; none where all is well.
pub(crate) fn fault(stand: &Stand, before: &Places, report: &Report) -> Option<String> {
    let after = seen(stand);
    let is_applied = report.outcome.name() == "applied";
    let made = ["tree/new", "tree/new/er", "tree/new/er/n.py"];
    for (name, place) in &after {
        match before.get(name) {
            Some(was) if was == place => {}
            Some(_) if is_applied && is_owned(name) => {}
            None if is_applied && made.contains(&name.as_str()) => {}
            Some(was) => return Some(format!("{name} was {was:?} and is {place:?}")),
            None => return Some(format!("{name} was not there")),
        }
    }
    if let Some((name, _)) = before.iter().find(|(name, _)| !after.contains_key(*name)) {
        return Some(format!("{name} is gone"));
    }
    if stand.records().holds(RECORD) {
        return Some("the record of a commit is left".to_owned());
    }
    told(&after, before, report)
}

/// Whether the report says what is on the disk.
fn told(after: &Places, before: &Places, report: &Report) -> Option<String> {
    let is_applied = report.outcome.name() == "applied";
    if !is_applied && report.files.iter().any(|file| file.fate != Fate::RolledBack) {
        return Some(format!("{}, and files were written: {:?}", report.outcome.name(), report.files));
    }
    if is_applied && report.files.is_empty() {
        return Some("applied, and no file is named".to_owned());
    }
    let sum = |places: &Places, name: &str| {
        places.get(&format!("tree/{name}")).map(|place| digest::text(&digest::of(&place.0.holds)))
    };
    for file in &report.files {
        let (was, is) = (sum(before, &file.path), sum(after, &file.path));
        if file.before != was || file.after != is || is_applied && (was == is || file.fate != Fate::Applied) {
            return Some(format!("{file:?}: it was {was:?} and is {is:?}"));
        }
    }
    let changed = after.iter().filter(|(name, place)| {
        let is_file = place.0.mode & 0o170_000 == 0o100_000;
        is_file && before.get(*name) != Some(*place)
    });
    for (name, place) in changed {
        let path = name.strip_prefix("tree/").unwrap_or(name);
        if !report.files.iter().any(|file| file.path == path) {
            return Some(format!("{name} changed, and the report does not say so"));
        }
        if let Some(was) = before.get(name).filter(|was| was.0.mode != place.0.mode) {
            return Some(format!("{name} had mode {:o} and has {:o}", was.0.mode, place.0.mode));
        }
    }
    None
}

/// Puts back what a task changed.
pub(crate) fn restore(stand: &Stand, before: &Places) {
    for (name, text) in OWNED {
        stand.write(name, text.as_bytes());
        let mode = before[&format!("tree/{name}")].0.mode & 0o7777;
        fs::set_permissions(stand.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    drop(fs::remove_dir_all(stand.at("new")));
}
