//! Recorded traffic, served again: byte for byte, each once, and never anything else.

use crate::sandbox::{Ended, PATIENCE, Sandbox, files_below, finish};
use crate::upstream::{MODEL, Upstream, modes};
use rehearsal_testkit::{RawClient, Seen};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command};
use std::sync::mpsc;

/// A server of the program's own, running.
pub(crate) struct Server {
    child: Option<Child>,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts the program and waits until it says where it listens.
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut child = sandbox.command(arguments).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (said, told) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let mut address = None;
            while address.is_none() && out.read_line(&mut line).is_ok_and(|count| count > 0) {
                let rest = line.split_once("base URL: http://");
                address = rest.and_then(|(_, rest)| rest.trim().strip_suffix("/v1")?.parse().ok());
                line.clear();
            }
            drop(said.send((address, out)));
        });
        let (address, out) = told.recv_timeout(PATIENCE).unwrap();
        let Some(address) = address else { panic!("{:?}", finish_without_output(child)) };
        child.stdout = Some(out.into_inner());
        Self { child: Some(child), address }
    }

    pub(crate) fn record(sandbox: &Sandbox, upstream: &Upstream, arguments: &[&str]) -> Self {
        let url = upstream.url();
        Self::start(sandbox, &[&["record", "--data", "rec", "--upstream", &url], arguments].concat())
    }

    fn replay(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self::start(sandbox, &[&["replay", "--data", "data"], arguments].concat())
    }

    /// All that a client gets for a request, and how it ends.
    pub(crate) fn ask(&self, method: &str, target: &str, body: &str) -> Seen {
        let length = body.len();
        let head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        let mut client = RawClient::connect(self.address);
        client.send(format!("{head}Content-Length: {length}\r\n\r\n{body}")).read_to_end()
    }

    fn chat(&self, lane: &str, text: &str) -> Seen {
        self.ask("POST", &format!("{lane}/v1/chat/completions"), &chat(text))
    }

    /// Asks it to end, and gives what it said.
    pub(crate) fn end(mut self) -> Ended {
        let child = self.child.take().unwrap();
        let sent = Command::new("sh").args(["-c", &format!("kill {}", child.id())]).status().unwrap();
        assert!(sent.success());
        finish(child)
    }
}

fn finish_without_output(mut child: Child) -> String {
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    child.wait().unwrap();
    said
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _over = child.kill();
            let _gone = child.wait();
        }
    }
}

fn chat(text: &str) -> String {
    format!(r#"{{"model":"public","messages":[{{"role":"user","content":"{text}"}}]}}"#)
}

/// Status line and headers in a fixed order, and the body with its framing.
fn parts(seen: &Seen) -> (Vec<String>, Vec<u8>) {
    let text = seen.text();
    let mut lines: Vec<String> =
        text.split("\r\n\r\n").next().unwrap().split("\r\n").map(str::to_owned).collect();
    lines.sort();
    (lines, seen.body().to_vec())
}

/// Records every answer of the provider, and compares what a replay serves.
fn every_answer_again(arguments: &[&str]) {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let record = Server::record(&sandbox, &upstream, arguments);
    let modes = modes();
    let ask = |server: &Server, mode: &str| server.chat(&format!("/t/{mode}"), &format!("mode={mode};"));
    let first: Vec<Seen> = modes.iter().map(|mode| ask(&record, mode)).collect();
    assert_eq!(record.end().code, Some(0));
    let asked = upstream.asked();
    let replay = Server::replay(&sandbox, &["rec"]);
    for (mode, first) in modes.iter().zip(&first) {
        let again = ask(&replay, mode);
        assert_eq!(again.end, first.end, "{mode}");
        assert!(!first.bytes.is_empty(), "{mode}");
        assert_eq!(parts(&again), parts(first), "{mode}: {}", first.text());
    }
    let ended = replay.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let all = modes.len();
    assert!(
        ended.out.contains(&format!("{all} of {all} recordings served, {all} answers, 0 misses")),
        "{ended:?}"
    );
    assert_eq!(upstream.asked(), asked, "nobody asked the provider");
}

#[test]
fn every_answer_is_served_again_as_the_first_client_got_it() {
    every_answer_again(&[]);
}

#[test]
fn an_answer_whose_names_were_mapped_is_served_again_as_it_was_mapped() {
    every_answer_again(&["--alias", &format!("public={MODEL}")]);
}

#[test]
fn a_client_that_left_is_served_the_whole_answer_the_next_time() {
    for names in [None, Some(format!("public={MODEL}"))] {
        let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
        let arguments: Vec<&str> = names.iter().flat_map(|names| ["--alias", names]).collect();
        let record = Server::record(&sandbox, &upstream, &arguments);
        let body = chat("mode=big;");
        let head = "POST /t/left/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n";
        let mut client = RawClient::connect(record.address);
        client.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).read_at_least(1000);
        drop(client);
        let whole = record.chat("/t/stayed", "mode=big;");
        assert_eq!(record.end().code, Some(0));
        let replay = Server::replay(&sandbox, &["rec"]);
        for lane in ["/t/left", "/t/stayed"] {
            let again = replay.chat(lane, "mode=big;");
            assert_eq!((again.status(), again.end), (200, whole.end));
            assert!(joined(&again) == joined(&whole), "{lane}: the bodies differ");
        }
        assert_eq!(replay.end().code, Some(0));
    }
}

/// A body without the framing of its chunks.
fn joined(seen: &Seen) -> Vec<u8> {
    if !seen.text().to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return seen.body().to_vec();
    }
    let (mut rest, mut whole) = (seen.body(), Vec::new());
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 2 + length + 2..];
    }
    whole
}

/// A record of two cases and a list of models.
fn recorded() -> (Sandbox, Upstream) {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let record = Server::record(&sandbox, &upstream, &[]);
    for (lane, text) in [("/t/a", "one mode=json;"), ("/t/b", "one mode=429;"), ("/t/b", "two mode=events;")]
    {
        assert_ne!(record.chat(lane, text).status(), 0);
    }
    assert_eq!(record.ask("GET", "/v1/models", "").status(), 200);
    let ended = record.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    (sandbox, upstream)
}

#[test]
fn a_miss_is_a_loud_error_in_the_form_of_the_path_s_dialect() {
    let (sandbox, _upstream) = recorded();
    let replay = Server::replay(&sandbox, &["rec"]);
    let seen = replay.chat("/t/a", "two mode=json;");
    assert_eq!(seen.status(), 404);
    let text = seen.text();
    for words in ["\"code\": \"recording_miss\"", "0001-a", "two mode=json;", "one mode=json;", "on lane a"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let seen = replay.ask("POST", "/v1/messages", &chat("one mode=json;"));
    assert!(
        seen.status() == 404 && seen.text().contains(r#"{"type":"error","error":{"type":"not_found_error""#)
    );
    assert_eq!(replay.ask("GET", "/health", "").status(), 200);
    let foreign = "GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    let seen = RawClient::connect(replay.address).send(foreign).read_to_end();
    assert_eq!(seen.status(), 403);
    let ended = replay.end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.err.lines().filter(|line| line.contains("recording_miss: ")).count(), 2, "{ended:?}");
    assert!(ended.err.contains("never asked for: 0001-a, 0002-b, 0003-b, 0004-models"), "{ended:?}");
    let verified = sandbox.run(&["verify", "data"]);
    assert!(verified.code == Some(0) && verified.out.contains("4 requests, unchanged"), "{verified:?}");
}

#[test]
fn each_recording_is_served_once_unless_it_is_to_be_repeated() {
    let (sandbox, _upstream) = recorded();
    for (more, again, code) in [(&[][..], 404, Some(1)), (&["--repeat", "--allow-unused"], 200, Some(0))] {
        let replay = Server::replay(&sandbox, &[&["rec"], more].concat());
        assert_eq!(replay.chat("/t/a", "one mode=json;").status(), 200);
        let seen = replay.chat("/t/a", "one mode=json;");
        assert_eq!(seen.status(), again, "{}", seen.text());
        assert_eq!(seen.text().contains("recording_used_up"), again == 404);
        // A list may be asked for as often as one likes.
        assert_eq!([(); 3].map(|()| replay.ask("GET", "/v1/models", "").status()), [200; 3]);
        assert_eq!(replay.end().code, code);
    }
}

#[test]
fn recordings_that_nobody_asked_for_fail_the_replay_unless_they_may() {
    let (sandbox, _upstream) = recorded();
    for (more, code) in [(&[][..], Some(1)), (&["--allow-unused"], Some(0))] {
        let replay =
            Server::replay(&sandbox, &[&["rec/private/exchanges/0002-b.json", "rec"], more].concat());
        // A lane of no case sees all, and another model makes no difference.
        assert_eq!(replay.chat("", "one mode=429;").status(), 429);
        let ended = replay.end();
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(
            ended.out.contains("1 of 5 recordings served, 1 answer, 0 misses, 4 never asked for"),
            "{ended:?}"
        );
    }
    let replay = Server::replay(&sandbox, &["rec", "--allow-unused", "--ignore", "user,model"]);
    assert_eq!(replay.chat("/t/b", "quite another").status(), 429);
    assert_eq!(replay.chat("/t/b", "quite another").status(), 200);
    assert_eq!(replay.end().code, Some(0));
}

#[test]
fn twins_that_ask_at_once_each_get_one_recording() {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let record = Server::record(&sandbox, &upstream, &[]);
    let twins = |server: &Server| {
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| server.chat("", "mode=events;"))).collect();
            asked.into_iter().map(|one| one.join().unwrap().body().len()).collect::<Vec<_>>()
        })
    };
    let first = twins(&record);
    assert_eq!(record.end().code, Some(0));
    let replay = Server::replay(&sandbox, &["rec"]);
    let (mut first, mut again) = (first, twins(&replay));
    first.sort_unstable();
    again.sort_unstable();
    assert_eq!(again, first);
    assert_eq!(replay.end().code, Some(0));
}

#[test]
fn recorded_times_are_kept_where_that_is_wanted() {
    let (sandbox, _upstream) = recorded();
    // As if the provider had taken three seconds.
    let exchanges = sandbox.path("rec/private/exchanges");
    sandbox.write("alone/.keep", b"");
    for file in files_below(&exchanges) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some(ending) = name.strip_prefix("0001-a.") {
            let mut bytes = std::fs::read(&file).unwrap();
            if ending == "json" {
                let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                value["response"]["pieces"] = serde_json::json!([[3_000_000, 1]]);
                bytes = value.to_string().into_bytes();
            }
            sandbox.write(&format!("alone/{name}"), &bytes);
        }
    }
    // The journal of something else beside it says nothing of it.
    let replay = Server::replay(&sandbox, &["rec", "--allow-unused"]);
    assert_eq!(replay.end().code, Some(0));
    let run =
        files_below(&sandbox.path("data")).into_iter().find(|path| path.extension().unwrap() == "jsonl");
    sandbox.write("journal-0001.jsonl", &std::fs::read(run.unwrap()).unwrap());
    sandbox.write("bodies-0001.bin", b"");
    let replay = Server::replay(&sandbox, &["alone", "--speed", "10"]);
    let begun = std::time::Instant::now();
    assert_eq!(replay.chat("/t/a", "one mode=json;").status(), 200);
    assert!(begun.elapsed() >= std::time::Duration::from_millis(300));
    assert_eq!(replay.end().code, Some(0));
}

#[test]
fn a_cassette_that_was_changed_or_is_none_is_not_served() {
    let (sandbox, _upstream) = recorded();
    let file = sandbox.path("rec/private/exchanges/0003-b.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("\"complete\": true", "\"complete\": false", 1)).unwrap();
    let ended = sandbox.run(&["replay", "rec"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("0003-b.json") && ended.err.contains("the journal"), "{ended:?}");
    for (arguments, code, words) in [
        (&["replay"][..], 2, "CASSETTE"),
        (&["replay", "missing"], 2, "rehearsal record --data"),
        (&["replay", "rec", "--ignore", "colour"], 2, "the parts are route, model"),
        (&["replay", "rec", "--speed", "inf"], 2, "0 or more"),
        (&["replay", "rec", "--speed", "-1"], 2, "0 or more"),
        (&["replay", "rec", "--origin", "h"], 2, "an origin is scheme://host"),
        (&["record", "--upstream", "http://h", "--origin", "http://h/"], 2, "an origin is scheme://host"),
        (&["record", "--upstream", "http://h", "--budget-requests", "-1"], 2, "'-1' for '--budget-requests"),
    ] {
        let ended = sandbox.run(arguments);
        assert!(ended.code == Some(code) && ended.err.contains(words), "{ended:?}");
    }
}

#[test]
fn a_recorder_forwards_only_what_is_missing_where_it_is_told_so() {
    let (sandbox, upstream) = recorded();
    let asked = upstream.asked();
    let record = Server::record(&sandbox, &upstream, &["--rerecord", "missing", "--budget-requests", "1"]);
    assert_eq!(record.chat("/t/b", "one mode=429;").status(), 429);
    assert_eq!(record.ask("GET", "/v1/models", "").status(), 200);
    assert_eq!(upstream.asked(), asked, "what was recorded is not forwarded");
    assert_eq!(record.chat("/t/b", "three mode=html;").status(), 200);
    assert_eq!(record.chat("/t/b", "four mode=html;").status(), 429, "the budget is spent");
    assert_eq!(record.chat("/t/a", "one mode=json;").status(), 200, "what was recorded costs nothing");
    assert_eq!(upstream.asked(), asked + 1);
    let ended = record.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("3 answers from the record, 2 calls that it did not hold"), "{ended:?}");
    let journal = std::fs::read_to_string(sandbox.path("rec/private/journal-0001.jsonl")).unwrap();
    assert_eq!(journal.matches("\"action\":\"replayed\"").count(), 3);
    assert_eq!(journal.matches("\"replayed\":\"0002-b\"").count(), 1);
    assert_eq!(sandbox.run(&["verify", "rec"]).code, Some(0));
    // What was missing is there now.
    let record = Server::record(&sandbox, &upstream, &["--rerecord", "never"]);
    assert_eq!(record.chat("/t/b", "three mode=html;").status(), 200);
    assert_eq!(record.end().code, Some(0));
    assert_eq!(upstream.asked(), asked + 1);
}

#[test]
fn a_recorder_that_never_forwards_refuses_what_it_has_not() {
    let (sandbox, upstream) = recorded();
    let asked = upstream.asked();
    let record = Server::record(&sandbox, &upstream, &["--rerecord", "never"]);
    let seen = record.chat("/t/a", "unknown");
    assert!(seen.status() == 404 && seen.text().contains("recording_miss"), "{}", seen.text());
    let ended = record.end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.err.contains("recording_miss: ")
            && ended.out.contains("0 answers from the record, 1 call that it did not hold")
    );
    assert_eq!(upstream.asked(), asked);
    assert_eq!(sandbox.run(&["verify", "rec"]).code, Some(0));
    let ended = sandbox.run(&["record", "--upstream", "http://127.0.0.1:1", "--rerecord", "sometimes"]);
    assert!(ended.code == Some(2) && ended.err.contains("all, missing or never"), "{ended:?}");
}

#[test]
fn verify_names_the_first_file_of_a_record_that_was_changed() {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let record = Server::record(&sandbox, &upstream, &["--alias", &format!("public={MODEL}")]);
    assert_eq!(record.chat("/t/a", "mode=events;").status(), 200);
    assert_eq!(record.chat("/t/b", "mode=nothing;").status(), 502);
    let ended = record.end();
    assert!(
        ended.code == Some(0) && ended.out.contains("2 requests, 2 forwarded; kept in rec\n"),
        "{ended:?}"
    );
    let ended = sandbox.run(&["verify", "rec"]);
    let is_said = ended.out.contains("lines, unchanged; the files of 2 recorded exchanges\n");
    assert!(ended.code == Some(0) && is_said, "a record that ended well has nothing to close: {ended:?}");
    let exchanges = sandbox.path("rec/private/exchanges");
    let files = files_below(&exchanges);
    assert_eq!(files.len(), 10, "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, [&bytes[..], b" "].concat()).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let ended = sandbox.run(&["verify", "rec"]);
        assert!(ended.code == Some(1) && ended.err.contains(name), "{name}: {ended:?}");
        std::fs::write(&file, bytes).unwrap();
    }
    std::fs::remove_file(exchanges.join("0001-a.served")).unwrap();
    let ended = sandbox.run(&["verify", "rec"]);
    assert!(ended.code == Some(1) && ended.err.contains("0001-a.served is gone"), "{ended:?}");
}

#[test]
fn what_a_record_left_out_is_left_out_of_requests_before_they_are_compared() {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let redact = ["--redact", "sk-[a-z0-9]{4,}", "--redact", "real-model-[0-9]"];
    let record = Server::record(&sandbox, &upstream, &redact);
    let first = record.chat("/t/a", "sk-abcd1 mode=json;");
    assert_eq!((first.status(), record.chat("/t/b", "sk-abcd2 mode=events;").status()), (200, 200));
    assert_eq!(record.end().code, Some(0));
    let replay = Server::replay(&sandbox, &[&["rec"], &redact[..]].concat());
    let seen = replay.chat("/t/a", "sk-abcd1 mode=json;");
    assert_eq!((seen.status(), seen.end), (200, first.end), "{}", seen.text());
    let text = String::from_utf8_lossy(&joined(&seen)).into_owned();
    assert!(text.contains("<redacted:") && text.ends_with('}') && !text.contains(MODEL), "{text}");
    let events = replay.chat("/t/b", "sk-abcd2 mode=events;");
    assert!(events.status() == 200 && events.text().contains("[DONE]"), "{}", events.text());
    assert_eq!(replay.chat("/t/b", "sk-secret7 and more").status(), 404);
    let ended = replay.end();
    assert!(
        ended.code == Some(1) && ended.err.contains("recording_miss") && !ended.err.contains("sk-secret7")
    );
    for file in files_below(&sandbox.path("data")) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(10).any(|part| part == b"sk-secret7"), "{}", file.display());
    }
    assert_eq!(sandbox.run(&["verify", "data", "rec"]).code, Some(0));
    // A recorder that goes on leaves the same out.
    let record = Server::record(&sandbox, &upstream, &[&["--rerecord", "never"], &redact[..]].concat());
    assert_eq!(record.chat("/t/a", "sk-abcd1 mode=json;").status(), 200);
    assert_eq!(record.end().code, Some(0));
}

#[test]
fn what_a_recorder_has_not_made_into_files_yet_is_named_and_not_missing() {
    let (sandbox, _upstream) = recorded();
    let (file, log) = (sandbox.path("rec/private/exchanges/0001-a.json"), "rec/private/traffic/000009.log");
    std::fs::remove_file(&file).unwrap();
    let ended = sandbox.run(&["verify", "rec"]);
    assert!(ended.code == Some(1) && ended.err.contains("0001-a.json is gone"), "{ended:?}");
    assert_eq!(sandbox.run(&["script", "from", "rec"]).code, Some(2));
    sandbox.write(log, b"");
    let ended = sandbox.run(&["verify", "rec"]);
    assert!(
        ended.code == Some(0) && ended.out.contains("3 recorded exchanges; 1 more in the recorder's log"),
        "{ended:?}"
    );
    let ended = sandbox.run(&["script", "from", "rec"]);
    assert!(ended.code == Some(0) && ended.err.contains("recorder's log: 0001-a and 0 more"), "{ended:?}");
}
