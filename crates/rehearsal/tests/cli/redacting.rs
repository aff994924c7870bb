//! What must not be written: it is in no file, and recordings without it are found and served all the same.

use crate::replaying::Server;
use crate::sandbox::{Sandbox, files_below};
use crate::upstream::{MODEL, Upstream};
use std::fs;

/// A secret that a user says, and one that the provider says.
const USERS: &str = "anna@example.com";
const PROVIDERS: &str = "chatcmpl-\\w+|\\bam\\b";

fn asked(text: &str, stream: bool) -> String {
    format!(r#"{{"model":"public","stream":{stream},"messages":[{{"role":"user","content":"{text}"}}]}}"#)
}

/// Whether a file below the sandbox's record holds a text.
fn holding(sandbox: &Sandbox, text: &str) -> Vec<String> {
    let root = sandbox.path("rec");
    let holds = |path: &std::path::PathBuf| {
        fs::read(path).unwrap().windows(text.len()).any(|part| part == text.as_bytes())
    };
    files_below(&root).into_iter().filter(holds).map(|path| path.display().to_string()).collect()
}

#[test]
fn what_a_pattern_names_is_in_no_file_and_is_served_all_the_same() {
    for names in [None, Some(format!("public={MODEL}"))] {
        let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
        let mut arguments = vec!["--redact", USERS, "--redact", PROVIDERS];
        arguments.extend(names.iter().flat_map(|names| ["--alias", names.as_str()]));
        let record = Server::record(&sandbox, &upstream, &arguments);
        for stream in [false, true] {
            let body = asked(&format!("write to {USERS} mode=events;"), stream);
            let seen = record.ask("POST", &format!("/t/{USERS}/v1/chat/completions?user={USERS}"), &body);
            assert!(seen.text().contains("chatcmpl-1"), "{}", seen.text());
        }
        assert_eq!(record.end().code, Some(0));
        for text in [USERS, "anna", "chatcmpl-1", " am "] {
            assert_eq!(holding(&sandbox, text), [""; 0], "{text}");
        }
        assert!(!holding(&sandbox, "<redacted:").is_empty());
        assert_eq!(sandbox.run(&["verify", "rec"]).code, Some(0));
    }
}

#[test]
fn a_call_is_found_by_what_is_left_of_it() {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let record = Server::record(&sandbox, &upstream, &["--redact", USERS]);
    let body = asked(&format!("write to {USERS} mode=events;"), false);
    let first = record.ask("POST", "/v1/chat/completions", &body);
    assert_eq!(record.end().code, Some(0));
    let replay = Server::start(&sandbox, &["replay", "--data", "data", "rec", "--redact", USERS]);
    let other = asked("write to otto@example.com mode=events;", false);
    assert!(replay.ask("POST", "/v1/chat/completions", &other).text().contains("recording_miss"));
    let again = replay.ask("POST", "/v1/chat/completions", &body);
    assert_eq!(again.body(), first.body());
    assert_eq!(replay.end().code, Some(1), "the miss counts");
}
