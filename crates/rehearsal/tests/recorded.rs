//! A provider of another make, recorded and played again through the official library of its clients: they get the same from the
//! provider, from the bridge and from the recording.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{Heard, Program, said, scratch, venv};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The provider, and where a person finds its version.
const MODULES: &str = "fakellm, uvicorn, openai";
const REQUIREMENTS: &str = "crates/rehearsal/tests/recorded/requirements.txt";

fn main() {
    let trial = Trial::ignorable_test("a_provider_of_another_make_is_recorded_and_played_again", || {
        let Some(python) = venv::python_with(MODULES) else {
            return Ok(Completion::ignored_with(venv::missing(
                "a provider of another make is",
                REQUIREMENTS,
            )));
        };
        for alias in [None, Some("gpt-4o-mini=gpt-4o-mini-2024-07-18")] {
            recorded(&python, alias);
        }
        Ok(Completion::Completed)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name)
}

/// The next line of a program; it says it soon.
fn line(program: &Program) -> String {
    match program.hear(PATIENCE) {
        Heard::Line(line) => line,
        other => panic!("it does not say where it listens: {other:?}"),
    }
}

/// The line with the base URL.
fn base_url(program: &Program) -> String {
    loop {
        if let Some(url) = line(program).strip_prefix("base URL: ") {
            return url.to_owned();
        }
    }
}

/// Talks with whoever serves there; gives what the client got.
fn talk(python: &Path, base_url: &str) -> Vec<Value> {
    let talk = Command::new(python)
        .arg(source("talk.py"))
        .arg(base_url)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    assert!(talk.status.success(), "{}", said(&talk));
    let text = String::from_utf8(talk.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Names and texts: what a second answer of the same provider has in common with the first.
fn content(talk: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| {
        let mut text = String::new();
        for choice in value["choices"].as_array().into_iter().flatten() {
            for part in [&choice["message"], &choice["delta"]] {
                text.push_str(part["content"].as_str().unwrap_or_default());
                for call in part["tool_calls"].as_array().into_iter().flatten() {
                    text.push_str(call["function"]["name"].as_str().unwrap_or_default());
                    text.push_str(call["function"]["arguments"].as_str().unwrap_or_default());
                }
            }
        }
        text
    };
    let all = |value: &Value| match value {
        Value::Array(values) => values.iter().map(text).collect(),
        other => text(other),
    };
    talk.iter().map(|call| (call[0].as_str().unwrap().to_owned(), all(&call[1]))).collect()
}

fn recorded(python: &Path, alias: Option<&str>) {
    let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("recorded-{}", alias.is_some()));
    let provider =
        Program::start(Command::new(python).arg(source("provider.py")).arg(source("provider.yaml")));
    let url = format!("http://127.0.0.1:{}/v1", line(&provider));
    let direct = talk(python, &url);

    // It keeps conversations: another one begins anew.
    let provider =
        Program::start(Command::new(python).arg(source("provider.py")).arg(source("provider.yaml")));
    let url = format!("http://127.0.0.1:{}/v1", line(&provider));
    let mut record = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    record.args(["record", "--upstream", &url, "--data"]).arg(folder.join("record")).stderr(Stdio::null());
    if let Some(alias) = alias {
        record.args(["--alias", alias]);
    }
    let bridge = Program::start(&mut record);
    let through = talk(python, &base_url(&bridge));
    assert_eq!(content(&through), content(&direct));
    if let Some((public, _)) = alias.and_then(|alias| alias.split_once('=')) {
        assert!(
            through.iter().all(|call| !call.to_string().contains(&format!("{public}-2024"))),
            "{through:?}"
        );
    }
    exchanges_are_whole(&folder, through.len());
    drop((bridge, provider));
    let mut replay = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    replay.args(["replay", "record", "--data", "replayed"]).current_dir(&folder);
    let replay = Program::start(&mut replay);
    assert_eq!(talk(python, &base_url(&replay)), through);
}

/// Each call has its files, they have what was digested, and no key is in them.
fn exchanges_are_whole(folder: &Path, calls: usize) {
    let exchanges = folder.join("record/private/exchanges");
    let names = || fs::read_dir(&exchanges).unwrap().map(|entry| entry.unwrap().path());
    let is_readable = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    // A client has its answer a moment before the end of it is written down.
    let until = Instant::now() + PATIENCE;
    while names().filter(is_readable).count() < calls && Instant::now() < until {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    assert_eq!(names().filter(is_readable).count(), calls);
    for path in names() {
        let bytes = fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("sk-test-0123456789"), "{}", path.display());
        // The last one may be half written.
        let Ok(file) = serde_json::from_slice::<Value>(&bytes) else { continue };
        if is_readable(&path) {
            assert_eq!(file["complete"], true, "{file}");
            assert_eq!(
                file["response"]["bytes"],
                fs::metadata(path.with_extension("response")).unwrap().len()
            );
        }
    }
}
