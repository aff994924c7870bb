//! What comes back though it must be nowhere: keys that a provider says again, and texts that are whole only once they are put together.

use crate::once::all_files;
use crate::stand::{Got, Stand, body};
use crate::upstream::{Asked, Step, chunks, event, head, open_chunks};
use std::process::Command;

/// In the query.
const QUERIED: &str = "qk-1234567890abcdef12";
/// The bridge's own.
const OURS: &str = "ok-1234567890abcdef12";
/// What `--redact` names.
const NAMED: &str = "sk-abcdefghijklmnop";

/// Says a request's head again, in a header and in the body.
fn echo(asked: &Asked) -> Vec<Step> {
    let target = asked.line.split(' ').nth(1).unwrap().to_owned();
    let key = asked.headers.get("authorization").cloned().unwrap_or_default();
    let body = format!(r#"{{"error":{{"message":"no such key: {target} {key}"}}}}"#);
    let echoed = format!("X-Echo: {target} {key}\r\nContent-Length: {}", body.len());
    vec![Step::Say(head("application/json", &echoed)), Step::Say(body.into_bytes())]
}

/// Files of the record that hold a text.
fn holding(stand: &Stand, text: &str) -> Vec<String> {
    let files = all_files(&stand.seen()).into_iter();
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    files.filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path.display().to_string()).collect()
}

fn verify(stand: &Stand) -> bool {
    Command::new(env!("CARGO_BIN_EXE_rehearsal")).arg("verify").arg(stand.seen()).status().unwrap().success()
}

#[test]
fn keys_that_a_provider_says_again_are_in_no_file_and_ours_reach_no_client() {
    let stand = Stand::open("echoed", &["--key-env", "OUR_KEY"]);
    stand.upstream.plays(echo);
    let mut command = stand.command(0);
    command.env("OUR_KEY", OURS);
    let running = stand.try_command(command).unwrap();
    for target in ["/v1/chat/completions?a=b&key=", "/v1/chat/completions?%6bey="] {
        let mut client = running.client();
        let target = format!("{target}{QUERIED}");
        client.send(running.bytes("POST", &target, &[], &body(0, false).to_string()));
        let got = Got::of(&client.read_to_end());
        assert!(got.head.contains("x-echo: /v1/chat"), "{got:?}");
        assert!(!String::from_utf8_lossy(&got.raw).contains(OURS), "{got:?}");
    }
    assert_eq!(running.terminate(), Some(0));
    let mut again = stand.command(0);
    again.env("OUR_KEY", OURS);
    drop(stand.try_command(again).unwrap());
    for key in [QUERIED, OURS] {
        assert_eq!(holding(&stand, key), [""; 0], "{key}");
    }
    assert!(verify(&stand));
}

#[test]
fn what_is_to_be_redacted_is_found_where_it_is_put_together_and_in_every_part_of_a_head() {
    let stand = Stand::open("put-together", &["--redact", "(?i)sk-[a-z]{16}"]);
    let (one, other) = NAMED.split_at(8);
    let escaped = NAMED.replacen('-', "\\u002d", 1);
    let last = String::from_utf8(event("@")).unwrap().replacen('@', &escaped, 1).into_bytes();
    let events = [event(one), event(other), last];
    stand.upstream.plays(move |_| {
        let mut steps = vec![Step::Say(head("text/event-stream", "Transfer-Encoding: chunked"))];
        steps.extend(events.iter().map(|event| Step::Say(open_chunks(event))));
        steps.push(Step::Say(chunks(b"data: [DONE]\n\n")));
        steps
    });
    let running = stand.start();
    for (method, name, value) in
        [("POST", NAMED, "x"), (NAMED, "X-A", "x"), ("POST", "Origin", NAMED), ("POST", "X-A", NAMED)]
    {
        let mut client = running.client();
        let body = body(0, true).to_string();
        client.send(running.bytes(method, "/v1/chat/completions", &[(name, value)], &body));
        drop(client.read_to_end());
    }
    assert_eq!(running.terminate(), Some(0));
    drop(stand.start());
    assert_eq!(holding(&stand, NAMED), [""; 0]);
    assert!(!holding(&stand, "<redacted:").is_empty());
    assert!(verify(&stand));
}

#[test]
fn a_provider_that_changes_the_protocol_gives_no_answer_and_spoils_no_record() {
    let stand = Stand::open("switched", &[]);
    stand.upstream.plays(|_| {
        let head =
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nraw";
        vec![Step::Say(head.to_vec())]
    });
    let running = stand.start();
    let mut client = running.client();
    client.send(running.bytes("POST", "/v1/chat/completions", &[], &body(0, false).to_string()));
    assert_eq!(Got::of(&client.read_to_end()).refusal(), (502, "upstream_failed".to_owned()));
    assert_eq!(running.terminate(), Some(0));
    drop(stand.start());
    assert!(verify(&stand));
}
