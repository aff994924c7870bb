//! The three hostile modes on raw sockets: as a mode of the whole server, and as a step of a scenario.

use crate::request::{Answer, chat, post, request};
use crate::stand::{CHAT, Served, Stand};
use crate::stream;
use rehearsal_journal::event::{End, Kind};
use rehearsal_testkit::raw_client::End as Ended;
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

/// The whole server, and a step of a script that hears "go".
fn both(mode: &'static str) -> [Stand; 2] {
    let step = format!(
        "version: 1\nclasses: {{c: {{script: [{{fault: {mode}}}], phrasings: [{{id: p, prompt: go}}]}}}}\n"
    );
    [Served::nothing().mode(mode).start(), Served::file("t.yaml", &step).start()]
}

fn body(stream: bool) -> String {
    chat("go", if stream { json!({"stream": true}) } else { json!({}) }).to_string()
}

#[test]
fn a_black_hole_sends_not_one_byte_and_keeps_the_connection_open() {
    for stand in both("black-hole") {
        for stream in [false, true] {
            let before = stand.asked().len();
            let mut client = stand.client();
            client.send(post(CHAT, &body(stream)));
            let answered = stand.answered(before + 1);
            assert_eq!((answered[before].bytes, answered[before].end), (0, End::Complete));
            // A second request on the same connection is swallowed as well.
            client.send(post(CHAT, &body(stream)));
            // The server holds on until the client gives up, and what it then sees is an end without a byte before it.
            let seen = client.half_close().read_to_end();
            assert_eq!((seen.bytes.len(), seen.end), (0, Ended::Eof));
            let asked = stand.asked();
            assert_eq!(asked.len(), before + 1);
            assert_eq!(asked[before].http_status, None);
            assert_eq!(asked[before].delivered.fault.as_deref(), Some("black-hole"));
        }
    }
}

#[test]
fn many_connections_in_a_black_hole_hinder_nobody() {
    for stand in both("black-hole") {
        let mut held: Vec<_> = (0..100).map(|_| stand.client()).collect();
        for client in &mut held {
            client.send(post(CHAT, &body(false)));
        }
        stand.answered(100);
        let health = stand.send(&request("GET", "/gate/health", &[], b""));
        assert_eq!(health.status, 200);
    }
}

/// Sends a request and reads what comes: all bytes, and the error that ended it.
fn cut_off(stand: &Stand, stream: bool, late: bool) -> (Vec<u8>, Option<ErrorKind>) {
    let mut socket = TcpStream::connect(stand.address).unwrap();
    socket.write_all(&post(CHAT, &body(stream))).unwrap();
    if late {
        // Nothing is waited for but the end of the connection: what came before it is still unread.
        let mut end = [PollFd::new(&socket, PollFlags::empty())];
        assert_eq!(poll(&mut end, None).unwrap(), 1);
        assert!(end[0].revents().contains(PollFlags::HUP | PollFlags::ERR), "{:?}", end[0].revents());
    }
    let mut bytes = Vec::new();
    let end = socket.read_to_end(&mut bytes).err().map(|error| error.kind());
    (bytes, end)
}

#[test]
fn after_half_the_promised_body_the_read_fails() {
    for stand in both("mid-body-drop") {
        for late in [false, true] {
            for round in 0..100 {
                let (bytes, end) = cut_off(&stand, false, late);
                assert_eq!(end, Some(ErrorKind::ConnectionReset), "round {round}, late {late}");
                let text = String::from_utf8(bytes).unwrap();
                let (head, half) = text.split_once("\r\n\r\n").unwrap();
                assert!(
                    head.starts_with("HTTP/1.1 200 ") && head.to_lowercase().contains("content-length: 454"),
                    "{head}"
                );
                assert_eq!(half.len(), 227, "round {round}, late {late}");
                assert!(
                    half.starts_with(r#"{"id": "chatcmpl-gate-"#) && half.ends_with("finish arriving b"),
                    "{half}"
                );
            }
        }
        let answered = stand.answered(200);
        assert!(answered.iter().all(|answered| answered.end == End::Complete && answered.bytes > 227));
    }
}

#[test]
fn half_a_stream_never_looks_like_a_whole_one() {
    for stand in both("mid-body-drop") {
        // A mode asks nobody what was wanted: its reply is always plain.
        let streamed = stand.asked().is_empty() && stand.chat_is_scripted();
        for late in [false, true] {
            let (bytes, end) = cut_off(&stand, true, late);
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(end, Some(ErrorKind::ConnectionReset), "{text}");
            assert_eq!(text.contains("text/event-stream"), streamed, "{text}");
            assert!(!text.contains("[DONE]") && !text.contains("\r\n0\r\n"), "{text}");
            assert!(!text.contains(r#""finish_reason":"stop""#), "{text}");
        }
    }
}

impl Stand {
    /// Whether the script decides, and not a mode of the whole server.
    fn chat_is_scripted(&self) -> bool {
        let health = self.send(&request("GET", "/gate/health", &[], b""));
        health.json()["mode"] == "normal"
    }
}

#[test]
fn fifty_calls_at_once_get_fifty_ids() {
    for stand in both("tool-pending-forever") {
        for stream in [false, true] {
            let before = stand.asked().len();
            let calls: Vec<Value> = std::thread::scope(|scope| {
                let one = || pending_call(&stand, stream);
                let all: Vec<_> = (0..50).map(|_| scope.spawn(one)).collect();
                all.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let ids: BTreeSet<_> = calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect();
            let wanted = (before + 1..=before + 50).map(|number| format!("call_hostile_pending_{number:04}"));
            assert_eq!(ids, wanted.collect());
            for call in &calls {
                let number = call["id"].as_str().unwrap().rsplit_once('_').unwrap().1.to_owned();
                let arguments: Value =
                    serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
                let path = format!("never-{number}.md");
                assert_eq!(arguments, json!({"path": path, "content": "this run never completes"}));
            }
        }
    }
}

fn pending_call(stand: &Stand, stream: bool) -> Value {
    let answer = Answer::read(&stand.client().send(post(CHAT, &body(stream))).reply());
    let streamed = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
    let (message, finish) = if streamed {
        stream::join(&answer, false).choices.remove(0)
    } else {
        let choice = answer.json()["choices"][0].clone();
        (choice["message"].clone(), choice["finish_reason"].clone())
    };
    assert_eq!((finish.as_str(), &message["content"]), (Some("tool_calls"), &Value::Null));
    message["tool_calls"][0].clone()
}

#[test]
fn a_mode_takes_any_body_and_logs_it_and_leaves_the_other_routes_alone() {
    for (mode, status, calls) in [
        ("black-hole", None, json!([])),
        ("mid-body-drop", Some(200), json!([])),
        ("tool-pending-forever", Some(200), json!(["write_file"])),
    ] {
        let stand = Served::nothing().mode(mode).start();
        let get = |path| stand.send(&request("GET", path, &[], b"")).json();
        assert_eq!(get("/gate/health"), json!({"ok": true, "mode": mode}));
        for body in ["garbage", "", r#"{"system": "s", "messages": []}"#] {
            let mut client = stand.client();
            let headers = [("anthropic-version", Some("x")), ("Connection", Some("close"))];
            client.send(request("POST", CHAT, &headers, body.as_bytes()));
            if status.is_none() {
                client.half_close();
            }
            let seen = client.read_to_end();
            assert_eq!(seen.bytes.is_empty(), status.is_none(), "{mode}");
        }
        assert_eq!(get("/gate/stats"), json!({"mode": mode, "chat_hits": 3}));
        let other = stand.post("/v1/other", "{}");
        assert_eq!((other.status, other.code()), (404, json!("unknown_route")));
        assert_eq!(get("/gate/stats"), json!({"mode": mode, "chat_hits": 3}), "a wrong path is no hit");
        let log = stand.log();
        let kinds: Vec<_> = log.iter().map(|record| record["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["hostile", "hostile", "hostile", "wrong_path"]);
        for record in &log[..3] {
            assert_eq!(record["http_status"].as_u64(), status, "{record}");
            assert_eq!(record["delivered"]["tool_calls"], calls, "{record}");
            assert_eq!((&record["validation"], &record["mode"]), (&json!("ok"), &json!(mode)));
        }
        assert!(stand.asked().iter().any(|asked| asked.kind == Kind::Hostile));
    }
}
