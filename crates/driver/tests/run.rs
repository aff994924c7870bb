//! The whole agent against a scripted provider on loopback: what goes over the wire, what is left in the workspace.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests play the provider, build the workspace and stop at the first surprise"
)]

use rehearsal_driver::{Exit, Options, Secret, run};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// A provider that plays these bytes, one connection each, then refuses.
struct Provider {
    base_url: String,
    heard: JoinHandle<Vec<String>>,
}

/// Bytes after which the connection closes, bytes and then silence, bytes and then others again and again, or silence.
enum Play {
    Bytes(String),
    Stall(String),
    Drip(String, &'static str),
    Silence,
}

impl Provider {
    fn new(plays: Vec<Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard = std::thread::spawn(move || {
            let mut heard = Vec::new();
            for play in plays {
                let (mut socket, _) = listener.accept().unwrap();
                socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                heard.push(read_request(&mut socket));
                match play {
                    Play::Bytes(bytes) => socket.write_all(bytes.as_bytes()).unwrap(),
                    Play::Stall(bytes) => {
                        socket.write_all(bytes.as_bytes()).unwrap();
                        drop(socket.read(&mut [0]));
                    }
                    Play::Drip(bytes, again) => {
                        socket.write_all(bytes.as_bytes()).unwrap();
                        socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
                        // Whoever leaves closes the connection, and then reading or writing tells.
                        while socket.read(&mut [0]).is_err() && socket.write_all(again.as_bytes()).is_ok() {}
                    }
                    Play::Silence => drop(socket.read(&mut [0])),
                }
            }
            heard
        });
        Self { base_url, heard }
    }

    /// The bodies and heads of all requests, once every play was heard.
    fn heard(self) -> Vec<String> {
        self.heard.join().unwrap()
    }
}

fn read_request(socket: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        assert_eq!(socket.read(&mut byte).unwrap(), 1, "the request is cut");
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen).unwrap();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    head + std::str::from_utf8(&body).unwrap()
}

fn reply(status: &str, headers: &str, body: &str) -> Play {
    Play::Bytes(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()))
}

fn ok(body: &str) -> Play {
    reply("200 OK", "Content-Type: application/json\r\n", body)
}

fn text(words: &str) -> String {
    format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":"{words}"}},"finish_reason":"stop"}}]}}"#
    )
}

fn calling(name: &str, arguments: &str) -> String {
    format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c_{name}","type":"function","function":{{"name":"{name}","arguments":"{}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#,
        arguments.replace('\\', "\\\\").replace('"', "\\\"")
    )
}

/// A folder for one test, removed at its end.
struct Workspace(PathBuf);

impl Workspace {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("rehearsal-agent-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A suite runs agents on any thread.
fn is_send(_: &impl Send) {}

/// Exit, standard output and standard error of one run.
async fn perform(
    base_url: &str,
    workspace: &Workspace,
    change: impl FnOnce(&mut Options),
) -> (Exit, String, String) {
    let key = Secret::new("sk-s3cret");
    let mut options = Options::new(base_url.into(), key, "gpt".into(), "do it".into(), workspace.0.clone());
    change(&mut options);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let work = run(&options, &mut out, &mut err);
    is_send(&work);
    let exit = work.await;
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[tokio::test]
async fn a_loop_over_all_tools_ends_with_the_text_and_the_files() {
    let workspace = Workspace::new();
    let provider = Provider::new(vec![
        ok(&calling("write_file", r#"{"path":"d/a.txt","content":"say \"hi\"\n"}"#)),
        ok(&calling("read_file", r#"{"path":"d/a.txt"}"#)),
        ok(&calling("list_dir", "{}")),
        ok(&calling("run_command", r#"{"command":"cat d/a.txt; echo $OPENAI_API_KEY; exit 4"}"#)),
        ok(&calling("read_file", r#"{"path":"../x"}"#)),
        ok(&text("done")),
    ]);
    let (exit, out, err) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!((exit, out.as_str()), (Exit::Done, "done\n"), "{err}");
    assert_eq!(fs::read_to_string(workspace.0.join("d/a.txt")).unwrap(), "say \"hi\"\n");
    let heard = provider.heard();
    assert!(heard[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert!(heard[0].contains("authorization: Bearer sk-s3cret\r\n"));
    assert!(heard[0].contains("x-rehearsal-attempt: 1\r\n"));
    for (request, wanted) in [
        (1, r#""tool_call_id":"c_write_file","content":"wrote 9 bytes to d/a.txt"}"#),
        (2, r#""content":"say \"hi\"\n"}"#),
        (3, r#""content":"d/"}"#),
        (4, r#""content":"exit status 4\nsay \"hi\"\n\n"}"#),
        (5, r#""content":"error: \"../x\" is not a path here: it must not hold `..`"}"#),
    ] {
        assert!(heard[request].contains(&format!("{wanted}],\"tools\":[")), "{}", heard[request]);
        assert!(heard[request].contains(r#""content":"do it"}"#));
    }
    assert_eq!(
        err,
        "agent: write_file d/a.txt\nagent: read_file d/a.txt\nagent: list_dir .\nagent: run_command cat d/a.txt; echo $OPENAI_API_KEY; exit 4\nagent: read_file ../x\n"
    );
}

#[tokio::test]
async fn a_stream_is_read_to_its_last_event() {
    let events = concat!(
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"it \"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"streams\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n"
    );
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
    // The second promises more than it sends: what follows the last event is not waited for.
    for length in [events.len(), events.len() + 1000] {
        let play = Play::Bytes(format!("{head}Content-Length: {length}\r\n\r\n{events}"));
        let provider = Provider::new(vec![play]);
        let workspace = Workspace::new();
        let (exit, out, err) = perform(&provider.base_url, &workspace, |options| options.stream = true).await;
        assert_eq!((exit, out.as_str(), err.as_str()), (Exit::Done, "it streams\n", ""));
        assert!(provider.heard()[0].contains("accept: text/event-stream\r\n"));
    }
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_tried_again() {
    let provider = Provider::new(vec![
        Play::Silence,
        Play::Stall(
            "HTTP/1.1 200 OK\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n".to_owned(),
        ),
        ok(&text("fine")),
    ]);
    let workspace = Workspace::new();
    let (exit, out, err) = perform(&provider.base_url, &workspace, |options| {
        options.request_timeout = Duration::from_millis(200);
        options.stream = true;
    })
    .await;
    assert_eq!((exit, out.as_str()), (Exit::Done, "fine\n"), "{err}");
    assert_eq!(err.matches("nothing arrived for 200 ms").count(), 2, "{err}");
}

#[tokio::test]
async fn comments_do_not_keep_a_stream_alive_that_brings_nothing_else() {
    // stall-keepalive-only: the comments come faster than the limit, and never end.
    let comments = format!("HTTP/1.1 200 OK\r\n\r\n{}", ": keepalive\n\n".repeat(3));
    let provider = Provider::new(vec![Play::Drip(comments, ": keepalive\n\n"), ok(&text("fine"))]);
    let workspace = Workspace::new();
    let (exit, out, err) = perform(&provider.base_url, &workspace, |options| {
        options.request_timeout = Duration::from_millis(300);
        options.stream = true;
    })
    .await;
    assert_eq!((exit, out.as_str()), (Exit::Done, "fine\n"), "{err}");
    assert!(err.contains("nothing arrived for 300 ms"), "{err}");
}

#[tokio::test]
async fn errors_cuts_and_silence_are_tried_again_with_the_same_body() {
    let whole = text("fine");
    let cut = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", whole.len() + 1, whole);
    for (trouble, said) in [
        (
            reply("429 Too Many Requests", "Retry-After: 0\r\n", r#"{"error":{"message":"slow down"}}"#),
            "status 429: slow down",
        ),
        (
            reply("503 Service Unavailable", "retry-after-ms: 5\r\n", "<html>"),
            "status 503: a page of HTML or XML",
        ),
        (Play::Bytes(cut), "the connection ended before the answer was whole"),
        (Play::Bytes(String::new()), "the connection ended before the answer was whole"),
        (Play::Silence, ": the answer was not whole after 200 ms"),
    ] {
        let provider = Provider::new(vec![trouble, ok(&whole)]);
        let workspace = Workspace::new();
        let short = Duration::from_millis(200);
        let (exit, out, err) =
            perform(&provider.base_url, &workspace, |options| options.request_timeout = short).await;
        assert_eq!((exit, out.as_str()), (Exit::Done, "fine\n"), "{err}");
        assert!(err.contains("attempt 1 failed: ") && err.contains(said), "{err}");
        let heard = provider.heard();
        assert!(heard[1].contains("x-rehearsal-attempt: 2\r\n"));
        assert_eq!(heard[0].split("\r\n\r\n").nth(1), heard[1].split("\r\n\r\n").nth(1));
    }
}

#[tokio::test]
async fn what_broke_off_is_asked_for_again_and_what_was_cut_at_the_limit_is_not() {
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"ha\"}}]}\n\n";
    for (trouble, said) in [
        (reply("200 OK", "Content-Type: text/event-stream\r\n", half), "without a finish reason"),
        (ok(""), "the body is empty"),
        (ok(r#"{"choices":[]}"#), "there are no choices"),
    ] {
        let provider = Provider::new(vec![trouble, ok(&text("fine"))]);
        let workspace = Workspace::new();
        let (exit, out, err) = perform(&provider.base_url, &workspace, |_| {}).await;
        assert_eq!((exit, out.as_str()), (Exit::Done, "fine\n"), "{err}");
        assert!(err.contains(said), "{err}");
    }
    let provider = Provider::new(vec![ok(&text("half").replace("stop", "length"))]);
    let workspace = Workspace::new();
    let (exit, out, err) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!((exit, out.as_str()), (Exit::GaveUp, "half\n"), "{err}");
}

#[tokio::test]
async fn attempts_count_anew_for_each_turn() {
    let busy = || reply("503 Service Unavailable", "retry-after-ms: 1\r\n", "");
    let provider = Provider::new(vec![
        busy(),
        busy(),
        ok(&calling("list_dir", "{}")),
        busy(),
        busy(),
        ok(&text("fine")),
    ]);
    let workspace = Workspace::new();
    let (exit, out, err) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!((exit, out.as_str()), (Exit::Done, "fine\n"), "{err}");
    for (at, request) in provider.heard().iter().enumerate() {
        assert!(request.contains(&format!("x-rehearsal-attempt: {}\r\n", at % 3 + 1)), "{request}");
    }
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_named_and_ends_the_work() {
    let provider = Provider::new(vec![reply("429 Too Many Requests", "Retry-After: 7200\r\n", "")]);
    let workspace = Workspace::new();
    let (exit, _, err) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!(exit, Exit::GaveUp);
    assert!(err.contains("it asks to wait 7200 s, and the longest wait is 30 s"), "{err}");
}

#[tokio::test]
async fn a_redirect_at_the_same_origin_is_followed_with_the_same_body() {
    let hop = reply("307 Temporary Redirect", "Location: /v1/chat/completions/\r\n", "");
    let provider = Provider::new(vec![hop, ok(&text("fine"))]);
    let workspace = Workspace::new();
    let (exit, out, err) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!((exit, out.as_str(), err.as_str()), (Exit::Done, "fine\n", ""));
    let heard = provider.heard();
    assert!(heard[1].starts_with("POST /v1/chat/completions/ HTTP/1.1\r\n"));
    assert_eq!(heard[0].split("\r\n\r\n").nth(1), heard[1].split("\r\n\r\n").nth(1));
}

#[tokio::test]
async fn an_endpoint_that_should_speak_tls_and_does_not_is_not_asked_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("https://{}/v1", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        drop(socket.write_all(b"HTTP/1.1 400 No\r\n\r\n"));
    });
    let workspace = Workspace::new();
    let (exit, _, err) = perform(&base_url, &workspace, |_| {}).await;
    assert_eq!((exit, err.matches("attempt").count()), (Exit::GaveUp, 1), "{err}");
    served.join().unwrap();
}

#[tokio::test]
async fn a_black_hole_ends_after_three_attempts() {
    let provider = Provider::new(vec![Play::Silence, Play::Silence, Play::Silence]);
    let workspace = Workspace::new();
    let short = Duration::from_millis(100);
    let (exit, out, err) =
        perform(&provider.base_url, &workspace, |options| options.request_timeout = short).await;
    assert_eq!((exit, out.as_str()), (Exit::GaveUp, ""));
    assert!(err.lines().last().unwrap().contains("gave up after 3 attempts"), "{err}");
    assert_eq!(provider.heard().len(), 3);
}

#[tokio::test]
async fn the_time_for_everything_holds_over_requests_waits_and_commands() {
    let used_up = "the time for everything is used up";
    for (play, reason) in [
        (Play::Silence, used_up),
        (reply("429 Too Many Requests", "Retry-After: 5\r\n", ""), "no time is left for another attempt"),
        (ok(&calling("run_command", r#"{"command":"sleep 1000"}"#)), used_up),
    ] {
        let provider = Provider::new(vec![play]);
        let workspace = Workspace::new();
        let short = Duration::from_millis(300);
        let (exit, _, err) =
            perform(&provider.base_url, &workspace, |options| options.total_timeout = short).await;
        assert_eq!(exit, Exit::GaveUp);
        assert!(err.lines().last().unwrap().contains(reason), "{err}");
    }
}

#[tokio::test]
async fn the_key_shows_up_nowhere() {
    let workspace = Workspace::new();
    let body =
        r#"{"error":{"message":"Incorrect API key provided: sk-s3cret\u001b[31m","code":"invalid_api_key"}}"#;
    let provider = Provider::new(vec![reply("401 Unauthorized", "", body)]);
    let (exit, out, err) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!((exit, out.as_str()), (Exit::Refused, ""));
    assert!(
        err.contains("agent: the provider refused: http://")
            && err.contains("status 401: Incorrect API key provided: (hidden) [31m"),
        "{err}"
    );
    assert!(!err.contains("s3cret"));
    let provider = Provider::new(vec![ok(&text("it is sk-s3cret"))]);
    let (exit, out, _) = perform(&provider.base_url, &workspace, |_| {}).await;
    assert_eq!((exit, out.as_str()), (Exit::Done, "it is (hidden)\n"));
    let options =
        Options::new(String::new(), Secret::new("sk-s3cret"), "m".into(), "p".into(), PathBuf::new());
    assert!(!format!("{options:?}").contains("s3cret"));
}

#[tokio::test]
async fn an_empty_key_is_not_sent() {
    let workspace = Workspace::new();
    let provider = Provider::new(vec![ok(&text("x"))]);
    perform(&provider.base_url, &workspace, |options| options.api_key = Secret::new("")).await;
    assert!(!provider.heard()[0].contains("authorization"));
}

#[tokio::test]
async fn options_that_cannot_be_used_are_named_before_a_byte_leaves() {
    type Change = fn(&mut Options);
    let cases: [(Change, &str); 8] = [
        (
            |options| options.base_url = "ftp://api.example.com/v1".into(),
            "only http:// and https:// are spoken",
        ),
        (|options| options.base_url = "localhost".into(), "begins with http://"),
        (
            |options| options.workspace = "/no/such/folder".into(),
            "the workspace /no/such/folder cannot be opened",
        ),
        (|options| options.attempts = 0, "at least 1 attempt"),
        (|options| options.model = String::new(), "the model is empty"),
        (|options| options.prompt = String::new(), "the prompt is empty"),
        (|options| options.api_key = Secret::new("a\nb"), "the API key holds"),
        (
            |options| {
                options.base_url = "https://api.example.com/v1".into();
                options.api_key = Secret::new("");
            },
            "only an endpoint at a loopback address needs none",
        ),
    ];
    for (change, wanted) in cases {
        let workspace = Workspace::new();
        let (exit, out, err) = perform("http://127.0.0.1:9/v1", &workspace, change).await;
        assert_eq!((exit, exit.code(), out.as_str()), (Exit::BadUsage, 2, ""));
        assert!(err.contains(wanted) && err.lines().count() == 1, "{err}");
    }
}

#[tokio::test]
async fn a_closed_port_is_a_passing_failure() {
    let workspace = Workspace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (exit, _, err) = perform(&base_url, &workspace, |_| {}).await;
    assert_eq!(exit, Exit::GaveUp);
    assert_eq!(err.matches("the connection was refused").count(), 4, "{err}");
}
