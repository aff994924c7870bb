//! `serve --watch`: files are changed under a running provider.

use crate::sandbox::{PATIENCE, Sandbox};
use crate::serving::Provider;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

fn suite(said: &str) -> String {
    format!(
        "version: 1\nclasses: {{c: {{script: [{{text: {said}}}], phrasings: [{{id: p, prompt: Say it.}}]}}}}\n"
    )
}

/// Changes a file at once, as most editors do.
fn replace(sandbox: &Sandbox, text: &str) {
    let (part, whole): (PathBuf, PathBuf) = (sandbox.path("part"), sandbox.path("suite.yaml"));
    std::fs::write(&part, text).unwrap();
    std::fs::rename(part, whole).unwrap();
}

/// Waits for a line that holds some words.
fn line(lines: &Receiver<String>, words: &str) -> String {
    loop {
        let said = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("nobody says {words:?}"));
        if said.contains(words) {
            return said;
        }
    }
}

fn says(provider: &Provider, path: &str, said: &str) {
    let (status, body) = provider.answer(path, "localhost", "Say it.");
    assert!(status == 200 && body.contains(said), "{status} {body} instead of {said}");
}

const CHAT: &str = "/v1/chat/completions";

#[test]
fn a_changed_file_is_played_and_a_wrong_one_is_not() {
    let sandbox = Sandbox::with(&[("suite.yaml", &suite("first"))]);
    let provider = Provider::start(&sandbox, &["--scenarios", "suite.yaml", "--watch"]);
    says(&provider, CHAT, "first");
    replace(&sandbox, &suite("second"));
    assert_eq!(line(&provider.out, "reloaded"), "reloaded 1 phrasing");
    says(&provider, CHAT, "second");

    replace(&sandbox, &suite("third").replace("script", "scrypt"));
    assert!(line(&provider.err, "suite.yaml:2").contains("scrypt"));
    line(&provider.err, "the old files stay in force");
    says(&provider, CHAT, "second");

    std::fs::remove_file(sandbox.path("suite.yaml")).unwrap();
    line(&provider.err, "there is no file or folder suite.yaml");
    line(&provider.err, "the old files stay in force");
    says(&provider, CHAT, "second");

    replace(&sandbox, &suite("fourth"));
    line(&provider.out, "reloaded");
    says(&provider, CHAT, "fourth");
    assert_eq!(provider.terminate(), Some(0));
    let verified = sandbox.run(&["verify", "data"]);
    assert!(verified.out.contains("5 requests, unchanged"), "{} {}", verified.out, verified.err);
}

#[test]
fn a_file_that_comes_into_a_watched_folder_is_played_too_behind_the_same_token() {
    let sandbox = Sandbox::with(&[("suites/suite.yaml", &suite("first"))]);
    let arguments = ["--scenarios", "suites", "--watch", "--token", "0123456789abcdef"];
    let provider = Provider::start(&sandbox, &arguments);
    let more = suite("more").replace("{c:", "{d:").replace("id: p", "id: q").replace("Say it.", "Say more.");
    sandbox.write("suites/more.yaml", more.as_bytes());
    assert_eq!(line(&provider.out, "reloaded"), "reloaded 2 phrasings");
    let path = "/t/0123456789abcdef/v1/chat/completions";
    says(&provider, path, "first");
    assert!(provider.answer(path, "localhost", "Say more.").1.contains("more"));
    assert_eq!(provider.answer(CHAT, "localhost", "Say it.").0, 403);
}

#[test]
fn watching_without_files_is_a_mistake() {
    let sandbox = Sandbox::with(&[]);
    let ended = sandbox.run(&["serve", "--port", "0", "--mode", "tool-pending-forever", "--watch"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("--scenarios"), "{}", ended.err);
}
