//! Playbooks: what the core is told, and what it must do then. A playbook that does not end fails.

use super::*;
use crate::incoming::Incoming;
use proptest::prelude::*;
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::json;
use rehearsal_wire::rule::{Asked, Echo, Expected, Header, Issued, Profile, RuleSet, Scripted, Stage, check};

/// A conversation under test. Every request on the way is checked for a legal history.
struct Playbook {
    conversation: Conversation,
    next: Option<Next>,
    body: Vec<u8>,
    ended: bool,
}

impl Playbook {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings {
            model: "m".to_owned(),
            prompt: "do it".to_owned(),
            stream: false,
            attempts: 3,
            iterations: 12,
            longest_wait: Duration::from_secs(30),
        };
        change(&mut settings);
        let (conversation, next) = Conversation::begin(settings);
        Self { conversation, next: Some(next), body: Vec::new(), ended: false }
    }

    #[track_caller]
    fn take(&mut self) -> Next {
        self.next.take().expect("something happened before")
    }

    #[track_caller]
    fn asks(self, wanted: u32) -> Self {
        let book = self.asks_beyond_the_api(wanted);
        obeys_the_gate(&book.body);
        book
    }

    /// It asks with what only some providers know, since this one began with it.
    #[track_caller]
    fn asks_beyond_the_api(mut self, wanted: u32) -> Self {
        let Next::Ask { body, attempt } = self.take() else { panic!("it does not ask") };
        assert_eq!(attempt, wanted);
        check_history(&body);
        self.body = body;
        self
    }

    #[track_caller]
    fn happens(mut self, event: Event) -> Self {
        assert!(self.next.is_none(), "not awaited: {:?}", self.next);
        self.next = Some(self.conversation.on(event));
        self
    }

    #[track_caller]
    fn hears(self, body: &str) -> Self {
        let mut incoming = Incoming::default();
        incoming.push(body.as_bytes());
        self.happens(incoming.finish().map_or_else(Event::Failed, Event::Answered))
    }

    #[track_caller]
    fn fails(self, status: u16, retry_after: Option<u64>) -> Self {
        let body = br#"{"error":{"message":"no","type":"t","code":"c"}}"#;
        self.happens(Event::Failed(Failure::of_status(status, body, retry_after.map(Duration::from_millis))))
    }

    #[track_caller]
    fn waits(mut self, milliseconds: u64) -> Self {
        assert_eq!(self.take(), Next::Wait(Duration::from_millis(milliseconds)));
        self.happens(Event::Waited)
    }

    /// It wants these actions done, and hears these results.
    #[track_caller]
    fn runs(mut self, actions: &[Action], results: &[&str]) -> Self {
        assert_eq!(self.take(), Next::RunTools(actions.to_vec()));
        self.happens(Event::ToolsRan(results.iter().map(|&text| text.to_owned()).collect()))
    }

    /// What the newest request says at a pointer below the message that is `back` from its end.
    #[track_caller]
    fn said(self, back: usize, pointer: &str, wanted: &str) -> Self {
        let tape = json::parse(&self.body).unwrap();
        let messages: Vec<json::Value<'_>> = tape.root().get("messages").unwrap().items().collect();
        let found = messages[messages.len() - back].at(pointer);
        assert_eq!(found.map(json::Value::text), (wanted != "absent").then_some(wanted), "at {pointer}");
        self
    }

    #[track_caller]
    fn ends(mut self, exit: Exit, output: &str, reason: &str) {
        let Next::Done(ending) = self.take() else { panic!("it does not end") };
        self.ended = true;
        assert_eq!((ending.exit, ending.output.as_str()), (exit, output));
        let said = ending.reason.unwrap_or_default();
        assert!(if reason.is_empty() { said.is_empty() } else { said.contains(reason) }, "{said}");
    }
}

impl Drop for Playbook {
    fn drop(&mut self) {
        assert!(self.ended || std::thread::panicking(), "the playbook is not finished: {:?}", self.next);
    }
}

/// Each call is answered once, in order, right after its turn; ids are never used twice.
#[track_caller]
fn check_history(body: &[u8]) {
    let tape = json::parse(body).expect("a request is JSON");
    assert_eq!(tape.duplicate_key, None);
    assert!(tape.root().get("parallel_tool_calls").is_none());
    assert!(tape.root().get("tool_choice").unwrap().is_str("auto"));
    let mut open: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for message in tape.root().get("messages").unwrap().items() {
        let role = message.get("role").unwrap().as_str().unwrap();
        if role == "tool" {
            assert!(!open.is_empty(), "an answer without a call");
            assert_eq!(message.get("tool_call_id").unwrap().as_str().unwrap(), open.remove(0));
            continue;
        }
        assert!(open.is_empty(), "calls without answers: {open:?}");
        for call in message.get("tool_calls").into_iter().flat_map(json::Value::items) {
            let id = call.get("id").unwrap().as_str().unwrap().into_owned();
            assert!(!id.is_empty() && seen.insert(id.clone()), "id {id:?} is no id or used twice");
            assert_eq!(call.at("/function/arguments").unwrap().kind(), json::Kind::String);
            open.push(id);
        }
    }
    assert!(open.is_empty(), "calls without answers: {open:?}");
}

/// A script that issued nothing and expects nothing.
struct NoScript;

impl Scripted for NoScript {
    fn issued(&self, _: &str) -> Issued<'_> {
        Issued::Foreign
    }
    fn ids_of_step(&self, _: usize) -> Vec<String> {
        Vec::new()
    }
    fn text_of_step(&self, _: usize) -> Option<&str> {
        None
    }
    fn thinking_of_step(&self, _: usize) -> Option<&str> {
        None
    }
    fn has_fault(&self, _: usize, _: &str) -> bool {
        false
    }
    fn replied(&self, _: &str) -> bool {
        false
    }
    fn expected(&self) -> Option<&Expected> {
        None
    }
    fn echo(&self) -> Echo {
        Echo::Bytes
    }
}

/// The strict stand-in has nothing against it.
#[track_caller]
fn obeys_the_gate(body: &[u8]) {
    let tape = json::parse(body).expect("a request is JSON");
    let chat = dialect("openai-chat").expect("the dialect is there");
    let turn = (chat.read)(&tape);
    let headers: [Header<'_>; 2] = [("content-type", b"application/json"), ("authorization", b"Bearer k")];
    let asked = Asked { headers: &headers, tape: &tape, turn: &turn, script: &NoScript };
    let rules = RuleSet::new(Profile::Gate, &[]).expect("no switches").of(chat);
    for stage in Stage::ALL {
        let verdict = check(&asked, &rules, stage, &mut Vec::new());
        assert_eq!(verdict, Ok(()), "{}", String::from_utf8_lossy(body));
    }
}

fn text(words: &str) -> String {
    format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":"{words}"}},"finish_reason":"stop"}}]}}"#
    )
}

/// An answer with calls of (id, name, arguments as JSON).
fn calling(finish: &str, calls: &[(&str, &str, &str)]) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|(id, name, arguments)| {
            format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#
            )
        })
        .collect();
    let calls = calls.join(",");
    format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":null,"refusal":null,"tool_calls":[{calls}]}},"finish_reason":"{finish}"}}]}}"#
    )
}

fn reads(path: &str) -> Action {
    Action::ReadFile { path: path.to_owned() }
}

const READ_A: &str = r#""{\"path\":\"a\"}""#;

#[test]
fn a_text_ends_the_work() {
    Playbook::new().asks(1).hears(&text("hello")).ends(Exit::Done, "hello", "");
}

#[test]
fn a_call_is_run_and_answered_and_the_turn_goes_back_as_it_came() {
    Playbook::new()
        .asks(1)
        .said(1, "/content", r#""do it""#)
        .hears(&calling("tool_calls", &[("c1", "read_file", r#""{ \"path\" :\"a\"}""#)]))
        .runs(&[reads("a")], &["inside"])
        .asks(1)
        .said(2, "/content", "null")
        .said(2, "/refusal", "absent")
        .said(2, "/tool_calls/0/function/arguments", r#""{ \"path\" :\"a\"}""#)
        .said(1, "/tool_call_id", r#""c1""#)
        .said(1, "/content", r#""inside""#)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn words_beside_calls_and_reasoning_go_back_unchanged() {
    for (received, content) in [(r#""""#, r#""""#), (r#""é\n""#, r#""é\n""#), ("null", "null")] {
        let body = format!(
            r#"{{"choices":[{{"message":{{"content":{received},"reasoning_content":"why","tool_calls":[{{"id":"c","function":{{"name":"list_dir","arguments":""}}}}]}}}}]}}"#
        );
        Playbook::new()
            .asks(1)
            .hears(&body)
            .runs(&[Action::ListDir { path: ".".to_owned() }], &["a"])
            .asks_beyond_the_api(1)
            .said(2, "/content", content)
            .said(2, "/reasoning_content", r#""why""#)
            .said(2, "/tool_calls/0/function/arguments", r#""""#)
            .hears(&text("done"))
            .ends(Exit::Done, "done", "");
    }
}

#[test]
fn calls_run_whatever_the_finish_reason_says_of_them() {
    for finish in ["tool_calls", "stop", "", "eos", "function_call"] {
        Playbook::new()
            .asks(1)
            .hears(&calling(finish, &[("c1", "read_file", READ_A)]))
            .runs(&[reads("a")], &["x"])
            .asks(1)
            .hears(&text("done").replace("stop", "tool_calls"))
            .ends(Exit::Done, "done", "");
    }
}

#[test]
fn wrong_calls_are_answered_with_what_is_wrong_and_not_run() {
    for (name, arguments, wanted) in [
        (
            "rm_rf",
            r#""{}""#,
            "error: there is no tool \\\"rm_rf\\\"; the tools are read_file, write_file, list_dir, run_command",
        ),
        (
            "read_file",
            r#""{\"path\":""#,
            "error: the arguments are not JSON: the text ends inside a value at byte 8",
        ),
        (
            "read_file",
            r#""\"{\\\"path\\\":\\\"a\\\"}\"""#,
            "error: the arguments are a JSON string, not an object: they were encoded twice",
        ),
        ("read_file", r#""[]""#, "error: the arguments are an array, not an object"),
        ("read_file", r#""null""#, "error: the arguments are null, not an object"),
        ("read_file", r#""1""#, "error: the arguments are a number, not an object"),
        ("read_file", r#""{}""#, "error: the argument `path` is missing"),
        ("read_file", r#""""#, "error: the argument `path` is missing"),
        ("read_file", "null", "error: the argument `path` is missing"),
        ("read_file", r#""{\"path\":[\"a\"]}""#, "error: the argument `path` must be a string, not an array"),
        ("read_file", r#""{\"path\":\"a\",\"path\":\"b\"}""#, "error: the arguments hold a key twice"),
        ("write_file", r#""{\"path\":\"a\"}""#, "error: the argument `content` is missing"),
    ] {
        Playbook::new()
            .asks(1)
            .hears(&calling("tool_calls", &[("c1", name, arguments)]))
            .asks(1)
            .said(1, "/content", &format!("\"{wanted}\""))
            .hears(&text("sorry"))
            .ends(Exit::Done, "sorry", "");
    }
}

#[test]
fn broken_arguments_go_back_byte_for_byte() {
    Playbook::new()
        .asks(1)
        .hears(&calling("tool_calls", &[("c1", "read_file", r#""{\"path\": \"a""#)]))
        .asks(1)
        .said(2, "/tool_calls/0/function/arguments", r#""{\"path\": \"a""#)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn arguments_that_come_as_an_object_are_used_and_go_back_as_a_string() {
    Playbook::new()
        .asks(1)
        .hears(&calling("tool_calls", &[("c1", "read_file", r#"{"path":"a"}"#)]))
        .runs(&[reads("a")], &["x"])
        .asks(1)
        .said(2, "/tool_calls/0/function/arguments", READ_A)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn parallel_calls_are_answered_once_each_in_order_also_around_a_wrong_one() {
    Playbook::new()
        .asks(1)
        .hears(&calling(
            "tool_calls",
            &[
                ("c1", "read_file", READ_A),
                ("c2", "no_such", r#""{}""#),
                ("c3", "run_command", r#""{\"command\":\"ls\"}""#),
            ],
        ))
        .runs(&[reads("a"), Action::RunCommand { command: "ls".to_owned() }], &["one", "three"])
        .asks(1)
        .said(3, "/content", r#""one""#)
        .said(1, "/content", r#""three""#)
        .said(1, "/tool_call_id", r#""c3""#)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn missing_and_repeated_ids_are_replaced_and_stay_paired() {
    for ids in [["", ""], ["c", "c"], ["call_1_1_0", ""]] {
        let turn = calling("tool_calls", &[(ids[0], "read_file", READ_A), (ids[1], "read_file", READ_A)]);
        Playbook::new()
            .asks(1)
            .hears(&turn)
            .runs(&[reads("a"), reads("a")], &["1", "2"])
            .asks(1)
            .hears(&turn)
            .runs(&[reads("a"), reads("a")], &["3", "4"])
            .asks(1)
            .said(1, "/content", r#""4""#)
            .hears(&text("done"))
            .ends(Exit::Done, "done", "");
    }
}

#[test]
fn answers_that_were_cut_or_held_back_are_never_used() {
    for (finish, exit, reason) in [
        ("length", Exit::GaveUp, "length limit"),
        ("max_tokens", Exit::GaveUp, "length limit"),
        ("content_filter", Exit::Declined, "content filter"),
        ("sensitive", Exit::Declined, "content filter"),
    ] {
        let calls = calling(finish, &[("c1", "read_file", READ_A), ("c2", "", r#""{\"pa""#)]);
        Playbook::new().asks(1).hears(&calls).ends(exit, "", reason);
        Playbook::new().asks(1).hears(&text("half").replace("stop", finish)).ends(exit, "half", reason);
    }
}

#[test]
fn a_refusal_wins_over_content_and_calls() {
    for (content, calls) in [
        ("null", "[]"),
        (r#""""#, "[]"),
        (r#""sure""#, r#"[{"id":"c","function":{"name":"list_dir","arguments":"{}"}}]"#),
    ] {
        let body = format!(
            r#"{{"choices":[{{"message":{{"content":{content},"refusal":"I will not","tool_calls":{calls}}},"finish_reason":"stop"}}]}}"#
        );
        Playbook::new().asks(1).hears(&body).ends(Exit::Declined, "I will not", "declined");
    }
}

#[test]
fn an_empty_answer_is_an_answer() {
    let body = r#"{"id":null,"object":null,"choices":[{"index":null,"message":{"content":null},"finish_reason":null}],"usage":null}"#;
    Playbook::new().asks(1).hears(body).ends(Exit::Done, "", "");
    let parts = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]}}]}"#;
    Playbook::new().asks(1).hears(parts).ends(Exit::Done, "ab", "");
}

#[test]
fn answers_that_are_none_are_failures_with_a_reason_and_end_after_the_last_attempt() {
    for (body, reason) in [
        ("", "status 200 with an empty body"),
        ("<html>busy</html>", "a page of HTML"),
        ("oops", "not JSON"),
        ("[]", "the answer is an array"),
        (r#"{"id":"x","model":"m"}"#, "no choices; its keys: id, model"),
        (r#"{"choices":null}"#, "choices is null"),
        (r#"{"choices":[]}"#, "choices is an empty array"),
        (r#"{"choices":[{}]}"#, "no message"),
        (r#"{"choices":[{"message":{"content":7}}]}"#, "content is a number"),
        (r#"{"choices":[{"message":{"tool_calls":{}}}]}"#, "tool_calls is an object"),
        (r#"{"choices":[{"message":{"tool_calls":[{"id":"c"}]}}]}"#, "holds no function"),
        (r#"{"choices":[{"message":{"tool_calls":[{"id":"c","type":"custom"}]}}]}"#, "unknown type"),
        (r#"{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"arguments":"{}"}}]}}]}"#, "no name"),
        (
            r#"{"choices":[{"message":{"function_call":{"name":"f","arguments":"{}"}}}]}"#,
            "legacy function_call",
        ),
        (r#"{"choices":[{"message":{"content":"x"},"finish_reason":"network_error"}]}"#, "broke off"),
        (
            r#"{"error":{"message":"overloaded","code":503},"choices":null}"#,
            "an error inside a 200: overloaded",
        ),
        (r#"{"error":"busy"}"#, "an error inside a 200: busy"),
        (r#"{"error":{"type":"rate_limit_error"}}"#, "status 429"),
    ] {
        Playbook::new()
            .asks(1)
            .hears(body)
            .waits(100)
            .asks(2)
            .hears(body)
            .waits(200)
            .asks(3)
            .hears(body)
            .ends(Exit::GaveUp, "", reason);
        Playbook::with(|settings| settings.attempts = 1).asks(1).hears(body).ends(Exit::GaveUp, "", reason);
    }
}

#[test]
fn a_final_error_inside_a_200_is_a_refusal() {
    for body in [
        r#"{"error":{"message":"bad key","type":"authentication_error"}}"#,
        r#"{"error":{"message":"bad key","code":"invalid_api_key"}}"#,
        r#"{"error":{"message":"bad key","code":403}}"#,
        r#"{"error":{"message":"bad key","type":"invalid_request_error","code":"x"}}"#,
    ] {
        Playbook::new().asks(1).hears(body).ends(Exit::Refused, "", "bad key");
    }
}

#[test]
fn passing_statuses_are_tried_again_and_final_ones_are_not() {
    for status in [408, 409, 429, 500, 502, 503, 520, 529, 599] {
        Playbook::new().asks(1).fails(status, None).waits(100).asks(2).hears(&text("ok")).ends(
            Exit::Done,
            "ok",
            "",
        );
    }
    for status in [101, 204, 301, 307, 400, 401, 403, 404, 413, 422, 451] {
        Playbook::new().asks(1).fails(status, None).ends(Exit::Refused, "", "the provider refused: status");
    }
}

#[test]
fn a_spent_quota_is_final() {
    let failure =
        Failure::of_status(429, br#"{"error":{"message":"pay","code":"insufficient_quota"}}"#, None);
    Playbook::new().asks(1).happens(Event::Failed(failure)).ends(Exit::Refused, "", "pay");
}

#[test]
fn attempts_count_anew_for_each_logical_call() {
    Playbook::new()
        .asks(1)
        .fails(500, None)
        .waits(100)
        .asks(2)
        .hears(&calling("tool_calls", &[("c1", "read_file", READ_A)]))
        .runs(&[reads("a")], &["x"])
        .asks(1)
        .fails(500, None)
        .waits(100)
        .asks(2)
        .fails(503, None)
        .waits(200)
        .asks(3)
        .fails(500, None)
        .ends(Exit::GaveUp, "", "gave up after 3 attempts: status 500: no");
}

#[test]
fn the_wait_that_the_provider_asks_for_is_kept_up_to_the_cap() {
    for (asked, waited) in [(0, 100), (50, 100), (2_000, 2_000), (30_000, 30_000)] {
        Playbook::new().asks(1).fails(429, Some(asked)).waits(waited).asks(2).hears(&text("k")).ends(
            Exit::Done,
            "k",
            "",
        );
    }
    Playbook::new().asks(1).fails(429, Some(7_200_000)).ends(
        Exit::GaveUp,
        "",
        "asks to wait 7200 s, the longest wait is 30 s",
    );
}

#[test]
fn broken_wires_are_tried_again_and_oversized_answers_are_not() {
    let cut = || Event::Failed(Failure::Wire("cut".to_owned()));
    Playbook::new()
        .asks(1)
        .happens(cut())
        .waits(100)
        .asks(2)
        .happens(cut())
        .waits(200)
        .asks(3)
        .happens(cut())
        .ends(Exit::GaveUp, "", "gave up after 3 attempts: cut");
    let large = Event::Failed(Failure::TooLarge("too large".to_owned()));
    Playbook::new().asks(1).happens(large).ends(Exit::GaveUp, "", "too large");
}

#[test]
fn endless_tool_calls_end_at_the_cap() {
    let mut book = Playbook::new();
    for turn in 0..12 {
        book = book
            .asks(1)
            .hears(&calling("tool_calls", &[(&format!("c{turn}"), "read_file", READ_A)]))
            .runs(&[reads("a")], &["x"]);
    }
    book.asks(1).hears(&calling("tool_calls", &[("c12", "read_file", READ_A)])).ends(
        Exit::GaveUp,
        "",
        "gave up after 12 tool turns",
    );
}

#[test]
fn the_time_for_everything_ends_each_state() {
    let late = || Event::OutOfTime;
    let reason = "the time for everything is used up";
    Playbook::new().asks(1).happens(late()).ends(Exit::GaveUp, "", reason);
    let mut running = Playbook::new().asks(1).hears(&calling("stop", &[("c", "read_file", READ_A)]));
    running.take();
    running.happens(late()).ends(Exit::GaveUp, "", reason);
    let mut waiting = Playbook::new().asks(1).fails(500, None);
    waiting.take();
    waiting.happens(late()).ends(Exit::GaveUp, "", reason);
}

#[test]
fn a_stream_is_asked_for_by_name() {
    let book = Playbook::with(|settings| settings.stream = true).asks(1);
    let tape = json::parse(&book.body).unwrap();
    assert_eq!(tape.root().get("stream").unwrap().as_bool(), Some(true));
    assert_eq!(tape.root().at("/stream_options/include_usage").unwrap().as_bool(), Some(true));
    drop(tape);
    book.hears("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
        .ends(Exit::Done, "hi", "");
}

#[test]
fn messages_of_all_shapes_are_found_and_shortened() {
    for (body, wanted) in [
        (r#"{"error":{"message":"a"}}"#, "status 400: a"),
        (r#"{"error":"b"}"#, "status 400: b"),
        (r#"{"message":"c"}"#, "status 400: c"),
        (r#"{"detail":"d"}"#, "status 400: d"),
        (r#"{"object":"error","message":"e","code":400}"#, "status 400: e"),
        ("  plain  ", "status 400: plain"),
        ("<html>", "status 400: a page of HTML or XML"),
        ("", "status 400: an empty body"),
        (r#"{"x":1}"#, r#"status 400: {"x":1}"#),
    ] {
        assert_eq!(Failure::of_status(400, body.as_bytes(), None).to_string(), wanted);
    }
    let long = Failure::of_status(400, "é".repeat(5000).as_bytes(), None).to_string();
    assert_eq!(long.chars().count(), "status 400: ".len() + 201);
}

/// Pieces of answers, whole, broken and absurd; strung together at random they make every kind of trouble.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "null",
    "0",
    "1e9",
    "\n",
    "\r\n",
    "\n\n",
    "data: ",
    "data:[DONE]\n\n",
    ": ping\n\n",
    "\"choices\":",
    "{\"choices\":[{\"index\":0,\"delta\":{",
    "{\"choices\":[{\"message\":{",
    "\"content\":",
    "\"refusal\":\"no\"",
    "\"tool_calls\":[",
    "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read_file\",\"arguments\":\"{\"}}",
    "{\"index\":1,\"function\":{\"name\":\"list_dir\",\"arguments\":\"\"}}",
    "{\"id\":\"\",\"function\":{\"name\":\"x\"}}",
    "\"finish_reason\":\"stop\"",
    "\"finish_reason\":\"tool_calls\"",
    "}}]}",
    "},",
    "\"error\":{\"code\":500}",
    "\u{1f30b}",
];

/// A whole answer with up to three calls of any make.
fn any_turn() -> impl Strategy<Value = String> {
    let id = prop::sample::select(vec!["", "c1", "c2", "call_1_0_0", "call_2_1_0"]);
    let name = prop::sample::select(vec!["read_file", "run_command", "list_dir", "unknown", "\\n"]);
    let arguments = prop::sample::select(vec![
        "{}",
        "null",
        "\"\"",
        "\"{}\"",
        "\"[\"",
        READ_A,
        r#""{\"command\":\"ls\"}""#,
        "7",
    ]);
    prop::collection::vec((id, name, arguments), 0..4).prop_map(|calls| calling("tool_calls", &calls))
}

fn any_body() -> impl Strategy<Value = String> {
    let noise = prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|pieces| pieces.concat());
    prop_oneof![12 => any_turn(), 1 => noise, 1 => any::<String>()]
}

proptest! {
    #[test]
    fn whatever_comes_ends_in_bounded_steps_and_every_request_is_legal(
        bodies in prop::collection::vec((any_body(), 1..40_usize), 40),
        stream: bool,
    ) {
        let mut book = Playbook::with(|settings| settings.stream = stream);
        let mut bodies = bodies.into_iter();
        for step in 0.. {
            // Thirteen calls of three attempts with a wait between, and twelve rounds of tools.
            prop_assert!(step <= 13 * 5 + 12, "it goes on and on");
            let event = match book.take() {
                Next::Ask { body, attempt } => {
                    check_history(&body);
                    prop_assert!((1..=3).contains(&attempt));
                    let (body, piece) = bodies.next().unwrap_or_else(|| (text("enough"), 7));
                    let mut incoming = Incoming::default();
                    let _ = body.as_bytes().chunks(piece).any(|bytes| incoming.push(bytes));
                    incoming.finish().map_or_else(Event::Failed, Event::Answered)
                }
                Next::RunTools(actions) => Event::ToolsRan(actions.iter().map(|_| "x".to_owned()).collect()),
                Next::Wait(_) => Event::Waited,
                Next::Done(_) => break,
            };
            book = book.happens(event);
        }
        book.ended = true;
    }
}
