//! An endpoint asked over real sockets on loopback: what leaves, what is followed, and the class of each way to fail.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the tests play the provider and stop at the first surprise"
)]

use rehearsal_driver::Secret;
use rehearsal_driver::endpoint::{
    Asker, Class, Dialing, Endpoint, Failed, Given, Happened, Limit, Manner, Message, Metered, Policy,
    Prepared, Received, Structured, Talk, Told, Tool, Transport, Turn,
};
use rehearsal_world::dial::{Client, DialError, Trust};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::Duration;

const ANSWER: &str = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#;
const KEY: &str = "sk-secret-1";

/// What a provider does with one connection, after it read the request.
enum Play {
    /// Writes and closes.
    Bytes(Vec<u8>),
    /// Writes, and keeps the connection open until the other side closes it.
    Hold(Vec<u8>),
    /// Writes, and then these bytes again and again until the other side is gone.
    Drip(Vec<u8>, &'static str),
}

/// A provider that plays these, one connection each, and then is gone.
struct Provider {
    port: u16,
    heard: JoinHandle<Vec<String>>,
}

impl Provider {
    fn new(plays: Vec<Play>) -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").unwrap(), plays)
    }

    fn at(listener: TcpListener, plays: Vec<Play>) -> Self {
        let port = listener.local_addr().unwrap().port();
        let heard =
            std::thread::spawn(move || plays.into_iter().map(|play| play_one(&listener, play)).collect());
        Self { port, heard }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    fn heard(self) -> Vec<String> {
        self.heard.join().unwrap()
    }
}

fn play_one(listener: &TcpListener, play: Play) -> String {
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let heard = read_request(&mut socket);
    match play {
        Play::Bytes(bytes) => drop(socket.write_all(&bytes)),
        Play::Hold(bytes) => {
            socket.write_all(&bytes).unwrap();
            drop(socket.read(&mut [0]));
        }
        Play::Drip(bytes, again) => {
            socket.write_all(&bytes).unwrap();
            socket.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
            // Whoever leaves closes the connection, and then reading or writing tells.
            while socket.read(&mut [0]).is_err() && socket.write_all(again.as_bytes()).is_ok() {}
        }
    }
    heard
}

fn read_request(socket: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        assert_eq!(socket.read(&mut byte).unwrap(), 1, "the request is cut");
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen).unwrap().to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    head + std::str::from_utf8(&body).unwrap()
}

fn message(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn reply(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Play {
    Play::Bytes(message(status, headers, body))
}

fn ok() -> Play {
    reply("200 OK", "Content-Type: application/json\r\n", ANSWER)
}

fn endpoint(base_url: &str, key: Option<&str>) -> Endpoint {
    let given = Given {
        base_url: base_url.to_owned(),
        key_name: "OPENAI_API_KEY".to_owned(),
        key: key.map(Secret::new),
        ..Given::default()
    };
    Endpoint::read(&given).unwrap()
}

const TURN: Turn<'_> =
    Turn { model: "m", system: "be good", user: "do it", repairs: &[], schema: None, stream: false };

const DIALING: Dialing = Dialing {
    structured: Structured::None,
    temperature: None,
    limit: Limit::None,
    stream_usage: false,
    fold_system: false,
};

fn manner() -> Manner {
    let policy = Policy { total: Duration::from_secs(20), ..Policy::default() };
    let idle = Duration::from_secs(10);
    Manner { policy, idle, ..Manner::default() }
}

/// Asks, but does not try again what fails.
fn plain() -> Manner {
    let manner = manner();
    Manner { policy: Policy { transport_retries: 0, ..manner.policy }, ..manner }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn asker(base_url: &str, manner: Manner) -> Asker {
    Asker::new(endpoint(base_url, Some(KEY)), manner, Client::new(Trust::system()))
}

fn ask(asker: &mut Asker<impl Transport>) -> Result<Told, Box<Failed>> {
    run(asker.ask(&TURN, &DIALING))
}

/// How a play fails.
fn failing_as(play: Play, manner: Manner) -> Failed {
    let provider = Provider::new(vec![play]);
    let failed = *ask(&mut asker(&provider.url(), manner)).expect_err("no answer");
    provider.heard();
    assert!(!format!("{failed:?} {failed}").contains(KEY), "{failed}");
    failed
}

fn failing(play: Play) -> Failed {
    failing_as(play, plain())
}

#[test]
fn a_request_leaves_with_its_key_and_its_answer_is_told() {
    let provider = Provider::new(vec![ok()]);
    let mut asker = asker(&provider.url(), manner());
    assert_eq!(run(is_send(asker.ask(&TURN, &DIALING))).unwrap().text.as_deref(), Some("x"));
    let record = &asker.attempts()[0];
    assert_eq!((record.number, record.class, record.status), (1, None, Some(200)));
    assert_eq!(record.bytes_in, ANSWER.len() as u64);
    assert_eq!(asker.spent().metered, Metered::All);
    let heard = provider.heard().remove(0);
    assert!(heard.starts_with("post /v1/chat/completions http/1.1\r\n"), "{heard}");
    for header in ["authorization: bearer sk-secret-1\r\n", "content-type: application/json\r\n"] {
        assert!(heard.contains(header), "{heard}");
    }
    assert!(heard.ends_with(
        r#""messages":[{"role":"system","content":"be good"},{"role":"user","content":"do it"}]}"#
    ));
}

#[test]
fn q51_a_local_server_without_a_key_is_sent_none() {
    let provider = Provider::new(vec![ok()]);
    let endpoint = endpoint(&provider.url(), None);
    ask(&mut Asker::new(endpoint, manner(), Client::new(Trust::system()))).unwrap();
    assert!(!provider.heard()[0].contains("authorization"));
}

#[test]
fn q53_proxies_of_the_environment_are_not_asked() {
    // A test of this file, alone in a process whose proxy nobody serves.
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    alone.args(["--exact", "q51_a_local_server_without_a_key_is_sent_none"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        alone.env(name, "http://127.0.0.1:1");
    }
    let output = alone.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Workers run on any thread.
fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn q54_all_addresses_of_localhost_are_tried_and_each_is_told() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        // Not every machine has both families.
        let Ok(listener) = TcpListener::bind(address) else { continue };
        let provider = Provider::at(listener, vec![ok()]);
        let url = format!("http://localhost:{}", provider.port);
        let keyless = endpoint(&url, None);
        let mut asker = Asker::new(keyless, plain(), Client::new(Trust::system()));
        assert!(ask(&mut asker).is_ok(), "{address}");
        provider.heard();
        let failed = ask(&mut asker).expect_err("nobody listens any more");
        assert_eq!((failed.class, failed.retryable), (Class::Connect, true));
        assert!(failed.message.contains("127.0.0.1: ") && failed.message.contains("::1: "), "{failed}");
    }
}

#[test]
fn redirects_that_keep_the_request_are_followed_with_it() {
    let hop = |status| reply(status, "Location: /elsewhere?x=1\r\n", "");
    let provider = Provider::new(vec![hop("307 Temporary Redirect"), hop("308 Permanent Redirect"), ok()]);
    let mut asker = asker(&provider.url(), manner());
    assert!(ask(&mut asker).is_ok());
    assert_eq!(asker.attempts().len(), 1);
    let heard = provider.heard();
    assert!(heard[2].starts_with("post /elsewhere?x=1 http/1.1\r\n"), "{}", heard[2]);
    assert!(
        heard[2].contains("bearer sk-secret-1")
            && heard[2].ends_with(heard[0].split("\r\n\r\n").nth(1).unwrap())
    );
}

#[test]
fn other_redirects_end_with_their_reason() {
    for (status, location, reason) in [
        ("302 Found", "/elsewhere", "redirect_method_change"),
        ("303 See Other", "/elsewhere", "redirect_method_change"),
        ("301 Moved", "http://192.0.2.1/x?token=1", "redirect_cross_origin"),
        ("307 Temporary Redirect", "http://192.0.2.1/x?token=1", "redirect_cross_origin"),
        ("307 Temporary Redirect", "file:///etc/passwd", "redirect_scheme"),
        ("307 Temporary Redirect", "http://h:port/", "redirect_bad_location"),
    ] {
        let failed = failing_as(reply(status, &format!("Location: {location}\r\n"), ANSWER), manner());
        assert_eq!((failed.class, failed.reason), (Class::Redirect, Some(reason)), "{status} {location}");
        assert!(!failed.message.contains("token"), "{failed}");
    }
    let hops = (0..4).map(|_| reply("307 Temporary Redirect", "Location: /again\r\n", "")).collect();
    let provider = Provider::new(hops);
    let failed = ask(&mut asker(&provider.url(), manner())).expect_err("a loop");
    assert_eq!(failed.reason, Some("redirect_loop"));
    assert_eq!(provider.heard().len(), 4);
}

#[test]
fn q45_what_passes_is_asked_again_when_the_provider_says() {
    let loading = || {
        reply("503 Service Unavailable", "retry-after-ms: 1\r\n", r#"{"error":{"message":"Loading model"}}"#)
    };
    let provider = Provider::new(vec![loading(), loading(), ok()]);
    let mut asker = asker(&provider.url(), manner());
    assert!(ask(&mut asker).is_ok());
    let told: Vec<_> =
        asker.attempts().iter().map(|it| (it.number, it.class, it.status, it.wait.as_millis())).collect();
    let failed = Some(Class::Server);
    assert_eq!(told, [(1, failed, Some(503), 0), (2, failed, Some(503), 1), (3, None, Some(200), 1)]);
    let heard = provider.heard();
    assert!(heard[2].contains("x-rehearsal-attempt: 3\r\n"), "{}", heard[2]);
}

#[test]
fn q42_a_quota_is_asked_once() {
    let body = r#"{"error":{"message":"pay","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    let failed = failing_as(reply("429 Too Many Requests", "retry-after-ms: 1\r\n", body), manner());
    assert_eq!(failed.class, Class::Quota);
}

#[test]
fn a_wait_that_is_too_long_is_none_and_the_provider_may_say_no() {
    let failed = failing_as(reply("429 Too Many Requests", "Retry-After: 121\r\n", "{}"), manner());
    assert_eq!((failed.class, failed.retryable), (Class::RateLimited, true));
    assert!(failed.message.contains("it asks to wait 121 s, and the longest wait is 120 s"), "{failed}");
    let failed =
        failing_as(reply("500 Oops", "x-should-retry: false\r\nretry-after-ms: 1\r\n", "{}"), manner());
    assert_eq!((failed.class, failed.retryable), (Class::Server, false));
}

#[test]
fn connections_that_end_early_may_be_tried_again_and_garbage_may_not() {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", ANSWER.len() + 1);
    for (play, reason) in [
        (Play::Bytes((head + ANSWER).into_bytes()), "cut"),
        (Play::Bytes(Vec::new()), "cut"),
        (Play::Bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab".to_vec()), "cut"),
    ] {
        let failed = failing(play);
        assert_eq!((failed.class, failed.reason, failed.retryable), (Class::Connect, Some(reason), true));
        assert!(failed.may_cost);
    }
    let failed = failing(Play::Bytes(b"SSH-2.0-OpenSSH_9\r\n\r\n".to_vec()));
    assert_eq!((failed.class, failed.reason, failed.retryable), (Class::Protocol, Some("not_http"), false));
}

#[test]
fn the_status_of_an_error_is_enough_where_its_body_breaks_off() {
    let failed = failing(Play::Bytes(b"HTTP/1.1 401 No\r\nContent-Length: 999\r\n\r\n{\"error\"".to_vec()));
    assert_eq!((failed.class, failed.status), (Class::Auth, Some(401)));
}

#[test]
fn silence_and_dripping_end_at_their_limits() {
    let short = Duration::from_millis(80);
    let silent = Manner { idle: short, ..plain() };
    assert_eq!(failing_as(Play::Hold(Vec::new()), silent).class, Class::TimeoutIdle);
    let begun = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ".to_vec();
    assert_eq!(failing_as(Play::Hold(begun.clone()), silent).class, Class::TimeoutIdle);
    // Comments say that a gateway lives, not that the model does.
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".to_vec();
    assert_eq!(failing_as(Play::Drip(head, ": ping\n\n"), silent).class, Class::TimeoutIdle);
    // Each byte breaks the silence; the time for everything does not care.
    let mut slow = plain();
    slow.policy.total = Duration::from_millis(300);
    assert_eq!(failing_as(Play::Drip(begun, "x"), slow).class, Class::TimeoutTotal);
    assert_eq!(
        failing_as(Play::Drip(b"HTTP/1.1 200 OK\r\nx: ".to_vec(), "y"), slow).class,
        Class::TimeoutTotal
    );
}

#[test]
fn answers_that_are_too_large_end_early() {
    let small = Manner { largest: 1000, ..plain() };
    let failed = failing_as(reply("200 OK", "", " ".repeat(5000)), small);
    assert_eq!((failed.class, failed.reason), (Class::Protocol, Some("too_large")));
    let failed = failing_as(reply("200 OK", "Content-Encoding: zstd\r\n", zstd_of_many_x(100_000)), small);
    assert_eq!((failed.class, failed.reason), (Class::Protocol, Some("bad_encoding")));
}

#[test]
fn a_stream_is_over_with_its_last_event_though_the_connection_stays() {
    let events = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let bytes = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}").into_bytes();
    let provider = Provider::new(vec![Play::Hold(bytes)]);
    let mut asker = asker(&provider.url(), manner());
    let turn = Turn { stream: true, ..TURN };
    let told = run(asker.ask(&turn, &Dialing { stream_usage: true, ..DIALING })).unwrap();
    assert_eq!((told.text.as_deref(), told.leniencies.len()), (Some("x"), 0));
    let heard = provider.heard().remove(0);
    assert!(
        heard.contains("accept: text/event-stream") && heard.contains("\"include_usage\":true"),
        "{heard}"
    );
}

#[test]
fn an_error_in_a_stream_is_told_when_it_comes_though_the_connection_stays() {
    let events = "data: {\"choices\":[]}\n\ndata: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n";
    let bytes = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}").into_bytes();
    let failed = failing(Play::Hold(bytes));
    assert_eq!((failed.class, failed.retryable), (Class::Server, true));
    assert!(failed.message.contains("busy"), "{failed}");
}

#[test]
fn content_codings_that_nobody_asked_for_are_undone() {
    for (name, body) in
        [("gzip", gzip(ANSWER)), ("deflate", zlib(ANSWER)), ("br", brotli(ANSWER)), ("zstd", zstd(ANSWER))]
    {
        let provider = Provider::new(vec![reply("200 OK", &format!("Content-Encoding: {name}\r\n"), &body)]);
        let mut asker = asker(&provider.url(), manner());
        assert_eq!(ask(&mut asker).map(|told| told.text), Ok(Some("x".to_owned())), "{name}");
        assert_eq!(asker.attempts()[0].bytes_in, body.len() as u64);
        assert!(provider.heard()[0].contains("accept-encoding: identity"));
        let cut = failing(reply("200 OK", &format!("Content-Encoding: {name}\r\n"), &body[..body.len() - 5]));
        assert_eq!((cut.class, cut.reason), (Class::Protocol, Some("bad_encoding")), "{name}");
    }
    let unknown = failing(reply("200 OK", "Content-Encoding: sk-secret-1\r\n", ANSWER));
    assert_eq!((unknown.class, unknown.reason), (Class::Protocol, Some("bad_encoding")));
    assert_eq!(failing(reply("200 OK", "Content-Encoding: gzip\r\n", ANSWER)).class, Class::Protocol);
}

#[test]
fn an_endpoint_where_nobody_listens_or_tls_is_not_spoken_has_its_class() {
    let provider = Provider::new(Vec::new());
    let url = provider.url();
    provider.heard();
    let failed = ask(&mut asker(&url, plain())).expect_err("nobody listens");
    assert_eq!((failed.class, failed.retryable, failed.may_cost), (Class::Connect, true, false));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let served =
        std::thread::spawn(move || drop(listener.accept().unwrap().0.write_all(b"HTTP/1.1 400 No\r\n\r\n")));
    let failed = ask(&mut asker(&url, plain())).expect_err("no TLS there");
    assert_eq!((failed.class, failed.retryable), (Class::Tls, false));
    served.join().unwrap();
}

/// A transport that plays these instead of asking anybody.
struct Scripted {
    answers: Mutex<VecDeque<Result<Received, DialError>>>,
    asked: Mutex<Vec<String>>,
}

impl Transport for Scripted {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        self.asked.lock().unwrap().push(format!("{prepared:?}"));
        self.answers.lock().unwrap().pop_front().expect("one more answer")
    }
}

#[test]
fn any_transport_can_take_the_place_of_the_network() {
    let wait = Some(Duration::from_millis(1));
    let busy = Received { status: 429, retry_after: wait, ..Received::default() };
    let answer = Received { status: 200, body: ANSWER.as_bytes().to_vec(), ..Received::default() };
    let answers = Mutex::new(VecDeque::from([Ok(busy), Ok(answer), Err(DialError::BadTarget)]));
    let scripted = Scripted { answers, asked: Mutex::default() };
    let mut asker = Asker::over(endpoint("https://h.example/v1", Some(KEY)), manner(), &scripted);
    assert!(ask(&mut asker).is_ok());
    let failed = ask(&mut asker).expect_err("the second turn");
    assert_eq!((failed.class, asker.attempts().len()), (Class::Config, 3));
    let asked = scripted.asked.lock().unwrap();
    assert!(
        asked
            .iter()
            .all(|asked| asked.contains("https://h.example/v1/chat/completions") && !asked.contains(KEY))
    );
}

const CALLS: &str = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#;

#[test]
fn a_conversation_offers_tools_and_tells_what_happens_meanwhile() {
    let busy = reply("503 Service Unavailable", "retry-after-ms: 1\r\n", "");
    let provider = Provider::new(vec![busy, reply("200 OK", "", CALLS)]);
    let mut asker = asker(&provider.url(), manner());
    let messages = [Message::User("look".to_owned())];
    let tools = [Tool { name: "look", description: "Looks.", parameters: "{}" }];
    let talk = Talk {
        model: "m",
        system: "",
        messages: &messages,
        tools: &tools,
        choice: None,
        parallel: None,
        schema: None,
        stream: false,
    };
    let mut seen = Vec::new();
    let told = run(is_send(asker.talk(&talk, &DIALING, |happened| match happened {
        Happened::Failed(attempt, failed) => seen.push(format!("{attempt} {}", failed.class.name())),
        Happened::Waits(wait) => seen.push(format!("{} ms", wait.as_millis())),
    })));
    let told = told.unwrap();
    assert_eq!((told.calls[0].name.as_str(), told.calls[0].id.as_str(), told.content), ("look", "a", None));
    assert_eq!(seen, ["1 server", "1 ms"]);
    assert!(provider.heard()[1].contains(r#""tools":[{"type":"function","function":{"name":"look""#));
}

#[test]
fn a_request_may_have_a_limit_of_its_own_and_is_sent_again_after_it() {
    let short = Duration::from_millis(80);
    let held = || Play::Hold(Vec::new());
    let impatient = Manner { request: Some(short), ..plain() };
    let failed = failing_as(held(), impatient);
    assert_eq!(
        (failed.class, failed.reason, failed.retryable),
        (Class::TimeoutTotal, Some("request_timeout"), true)
    );
    let policy = Policy { transport_retries: 1, first_wait: Duration::from_millis(1), ..manner().policy };
    let provider = Provider::new(vec![held(), ok()]);
    let mut asker = asker(&provider.url(), Manner { policy, ..impatient });
    assert!(ask(&mut asker).is_ok());
    // The time for everything is the shorter one: then there is no other attempt.
    let policy = Policy { total: short, ..policy };
    let last = Manner { policy, request: Some(short * 100), ..impatient };
    assert!(!failing_as(held(), last).retryable);
}

#[test]
fn what_broke_off_is_asked_for_again_only_where_that_is_said() {
    let half = || reply("200 OK", "", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
    let failed = failing_as(half(), manner());
    assert_eq!((failed.class, failed.retryable), (Class::Truncated, false));
    let policy = Policy { first_wait: Duration::from_millis(1), ..manner().policy };
    let provider = Provider::new(vec![half(), ok()]);
    let mut asker = asker(&provider.url(), Manner { policy, retry_broken: true, ..manner() });
    assert!(ask(&mut asker).is_ok());
}

#[test]
fn one_forward_is_all_that_a_recorder_gets_where_it_has_no_more() {
    let once = |manner: Manner| Manner { policy: Policy { once: true, ..manner.policy }, ..manner };
    let provider = Provider::new(vec![reply("503 No", "retry-after-ms: 1\r\n", "")]);
    let mut asker = asker(&provider.url(), once(manner()));
    assert_eq!(ask(&mut asker).expect_err("busy").class, Class::Server);
    assert_eq!(ask(&mut asker).expect_err("spent").class, Class::Budget);
    assert_eq!(provider.heard().len(), 1);
}

/// One stored block (RFC 1951).
fn stored(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    [&[1_u8][..], &length.to_le_bytes(), &(!length).to_le_bytes(), text.as_bytes()].concat()
}

fn gzip(text: &str) -> Vec<u8> {
    let crc = !text.bytes().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1)))
    });
    let length = u32::try_from(text.len()).unwrap();
    [&[0x1F_u8, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255][..], &stored(text), &crc.to_le_bytes(), &length.to_le_bytes()]
        .concat()
}

fn zlib(text: &str) -> Vec<u8> {
    let (a, b) = text.bytes().fold((1_u32, 0), |(a, b), byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    [&[0x78_u8, 1][..], &stored(text), &((b << 16) | a).to_be_bytes()].concat()
}

/// One uncompressed meta-block and an empty last one (RFC 7932).
fn brotli(text: &str) -> Vec<u8> {
    let head = ((u32::try_from(text.len()).unwrap() - 1) << 4) | (1 << 20);
    [&head.to_le_bytes()[..3], text.as_bytes(), &[3]].concat()
}

/// A frame of one block (RFC 8878): its kind, its size, what it holds.
fn zstd_frame(kind: u32, size: usize, held: &[u8]) -> Vec<u8> {
    let size = u32::try_from(size).unwrap();
    let block = (size << 3) | (kind << 1) | 1;
    [&[0x28_u8, 0xB5, 0x2F, 0xFD, 0xA0][..], &size.to_le_bytes(), &block.to_le_bytes()[..3], held].concat()
}

fn zstd(text: &str) -> Vec<u8> {
    zstd_frame(0, text.len(), text.as_bytes())
}

fn zstd_of_many_x(size: usize) -> Vec<u8> {
    zstd_frame(1, size, b"x")
}
