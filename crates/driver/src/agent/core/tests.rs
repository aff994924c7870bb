//! Playbooks: what the core is told, and what it must do then. A playbook that does not end fails.

use super::*;
use crate::endpoint::answer::{Reading, Received, read};
use crate::endpoint::config::Dialect;
use crate::endpoint::mask::Mask;
use crate::endpoint::request::{Dialing, write_talk};
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
        let mut settings =
            Settings { model: "m".to_owned(), prompt: "do it".to_owned(), stream: false, iterations: 12 };
        change(&mut settings);
        let (conversation, next) = Conversation::begin(settings);
        Self { conversation, next: Some(next), body: Vec::new(), ended: false }
    }

    #[track_caller]
    fn take(&mut self) -> Next {
        self.next.take().expect("something happened before")
    }

    #[track_caller]
    fn asks(self) -> Self {
        let book = self.asks_beyond_the_api();
        obeys_the_gate(&book.body);
        book
    }

    /// It asks with what only some providers know, since this one began with it.
    #[track_caller]
    fn asks_beyond_the_api(mut self) -> Self {
        assert_eq!(self.take(), Next::Ask);
        self.body = body_of(&self.conversation);
        check_history(&self.body);
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
        self.happens(heard(200, body))
    }

    #[track_caller]
    fn fails(self, status: u16) -> Self {
        self.happens(heard(status, r#"{"error":{"message":"no","type":"t","code":"c"}}"#))
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

/// The request for what comes next.
fn body_of(conversation: &Conversation) -> Vec<u8> {
    let dialing = Dialing { stream_usage: true, ..Dialing::default() };
    write_talk(Dialect::Chat, &conversation.talk(), &dialing)
}

/// What an answer comes to after three attempts.
fn heard(status: u16, body: &str) -> Event {
    let mask = Mask::new(None);
    let reading = Reading {
        dialect: Dialect::Chat,
        url: "http://h/v1/chat/completions",
        mask: &mask,
        stream: false,
        strict: false,
        answer_from_reasoning: false,
        empty_is_answer: true,
        sent: 0,
        bytes_per_token: None,
    };
    let received = Received { status, body: body.as_bytes().to_vec(), ..Received::default() };
    match read(&received, &reading) {
        Ok(told) => Event::Answered(Box::new(told)),
        Err(mut failed) => {
            failed.retryable |= failed.is_broken();
            Event::Failed(failed, 3)
        }
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
    Playbook::new().asks().hears(&text("hello")).ends(Exit::Done, "hello", "");
}

#[test]
fn a_call_is_run_and_answered_and_the_turn_goes_back_as_it_came() {
    Playbook::new()
        .asks()
        .said(1, "/content", r#""do it""#)
        .hears(&calling("tool_calls", &[("c1", "read_file", r#""{ \"path\" :\"a\"}""#)]))
        .runs(&[reads("a")], &["inside"])
        .asks()
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
            .asks()
            .hears(&body)
            .runs(&[Action::ListDir { path: ".".to_owned() }], &["a"])
            .asks_beyond_the_api()
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
            .asks()
            .hears(&calling(finish, &[("c1", "read_file", READ_A)]))
            .runs(&[reads("a")], &["x"])
            .asks()
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
            .asks()
            .hears(&calling("tool_calls", &[("c1", name, arguments)]))
            .asks()
            .said(1, "/content", &format!("\"{wanted}\""))
            .hears(&text("sorry"))
            .ends(Exit::Done, "sorry", "");
    }
}

#[test]
fn broken_arguments_go_back_byte_for_byte() {
    Playbook::new()
        .asks()
        .hears(&calling("tool_calls", &[("c1", "read_file", r#""{\"path\": \"a""#)]))
        .asks()
        .said(2, "/tool_calls/0/function/arguments", r#""{\"path\": \"a""#)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn arguments_that_come_as_an_object_are_used_and_go_back_as_a_string() {
    Playbook::new()
        .asks()
        .hears(&calling("tool_calls", &[("c1", "read_file", r#"{"path":"a"}"#)]))
        .runs(&[reads("a")], &["x"])
        .asks()
        .said(2, "/tool_calls/0/function/arguments", READ_A)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn parallel_calls_are_answered_once_each_in_order_also_around_a_wrong_one() {
    Playbook::new()
        .asks()
        .hears(&calling(
            "tool_calls",
            &[
                ("c1", "read_file", READ_A),
                ("c2", "no_such", r#""{}""#),
                ("c3", "run_command", r#""{\"command\":\"ls\"}""#),
            ],
        ))
        .runs(&[reads("a"), Action::RunCommand { command: "ls".to_owned() }], &["one", "three"])
        .asks()
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
            .asks()
            .hears(&turn)
            .runs(&[reads("a"), reads("a")], &["1", "2"])
            .asks()
            .hears(&turn)
            .runs(&[reads("a"), reads("a")], &["3", "4"])
            .asks()
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
        Playbook::new().asks().hears(&calls).ends(exit, "", reason);
        Playbook::new().asks().hears(&text("half").replace("stop", finish)).ends(exit, "half", reason);
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
        Playbook::new().asks().hears(&body).ends(Exit::Declined, "I will not", "declined");
    }
}

#[test]
fn an_empty_answer_is_an_answer() {
    let body = r#"{"id":null,"object":null,"choices":[{"index":null,"message":{"content":null},"finish_reason":null}],"usage":null}"#;
    Playbook::new().asks().hears(body).ends(Exit::Done, "", "");
    let parts = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]}}]}"#;
    Playbook::new().asks().hears(parts).ends(Exit::Done, "ab", "");
}

#[test]
fn answers_that_are_none_are_failures_with_a_reason() {
    for (body, reason) in [
        ("", "the body is empty"),
        ("<html>busy</html>", "not JSON"),
        ("[]", "the body is an array"),
        (r#"{"id":"x","model":"m"}"#, "there are no choices; the keys are: id, model"),
        (r#"{"choices":null}"#, "there are no choices"),
        (r#"{"choices":[]}"#, "there are no choices"),
        (r#"{"choices":[{}]}"#, "no choice holds a message"),
        (r#"{"choices":[{"message":{"content":7}}]}"#, "content is a number"),
        (r#"{"choices":[{"message":{"tool_calls":[{"id":"c"}]}}]}"#, "no name"),
        (r#"{"choices":[{"message":{"content":"x"},"finish_reason":"network_error"}]}"#, "broke off"),
        (r#"{"error":{"message":"overloaded","code":503},"choices":null}"#, "overloaded"),
        (r#"{"error":"busy"}"#, "an error inside a 200: busy"),
        (r#"{"error":{"type":"rate_limit_error"}}"#, "an error inside a 200: no message"),
    ] {
        Playbook::new().asks().hears(body).ends(Exit::GaveUp, "", "gave up after 3 attempts");
        Playbook::new().asks().hears(body).ends(Exit::GaveUp, "", reason);
    }
}

#[test]
fn a_call_in_the_older_form_is_run_and_goes_back_in_the_new_one() {
    let body = r#"{"choices":[{"message":{"function_call":{"name":"list_dir","arguments":"{}"}},"finish_reason":"function_call"}]}"#;
    Playbook::new()
        .asks()
        .hears(body)
        .runs(&[Action::ListDir { path: ".".to_owned() }], &["a"])
        .asks()
        .said(2, "/tool_calls/0/function/name", r#""list_dir""#)
        .hears(&text("done"))
        .ends(Exit::Done, "done", "");
}

#[test]
fn a_final_error_inside_a_200_is_a_refusal() {
    for body in [
        r#"{"error":{"message":"bad key","type":"authentication_error"}}"#,
        r#"{"error":{"message":"bad key","code":"invalid_api_key"}}"#,
        r#"{"error":{"message":"bad key","code":403}}"#,
        r#"{"error":{"message":"bad key","type":"invalid_request_error","code":"x"}}"#,
    ] {
        Playbook::new().asks().hears(body).ends(Exit::Refused, "", "bad key");
    }
}

#[test]
fn what_may_pass_ends_in_giving_up_and_what_is_final_in_a_refusal() {
    for status in [408, 409, 429, 500, 502, 503, 520, 529, 599] {
        Playbook::new().asks().fails(status).ends(Exit::GaveUp, "", "gave up after 3 attempts: http");
    }
    for status in [101, 204, 301, 307, 400, 401, 403, 404, 413, 422, 451] {
        Playbook::new().asks().fails(status).ends(Exit::Refused, "", "the provider refused: http");
    }
    let quota = r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#;
    Playbook::new().asks().happens(heard(429, quota)).ends(Exit::Refused, "", "pay");
}

#[test]
fn what_went_wrong_on_the_wire_is_told() {
    for (class, retryable, exit, wanted) in [
        (Class::Connect, true, Exit::GaveUp, "gave up after 2 attempts: why"),
        (Class::TimeoutTotal, true, Exit::GaveUp, "gave up after 2 attempts: why"),
        (Class::TimeoutTotal, false, Exit::GaveUp, "the time for everything is used up: why"),
        (Class::Protocol, false, Exit::GaveUp, "why"),
        (Class::Tls, false, Exit::GaveUp, "why"),
        (Class::Redirect, false, Exit::Refused, "the provider refused: why"),
    ] {
        let failed = Failed { retryable, ..Failed::new(class, "why") };
        Playbook::new().asks().happens(Event::Failed(Box::new(failed), 2)).ends(exit, "", wanted);
    }
    let once = Failed::new(Class::Connect, "why");
    let once = Event::Failed(Box::new(once), 1);
    Playbook::new().asks().happens(once).ends(Exit::GaveUp, "", "gave up after 1 attempt: why");
}

#[test]
fn endless_tool_calls_end_at_the_cap() {
    let mut book = Playbook::new();
    for turn in 0..12 {
        book = book
            .asks()
            .hears(&calling("tool_calls", &[(&format!("c{turn}"), "read_file", READ_A)]))
            .runs(&[reads("a")], &["x"]);
    }
    book.asks().hears(&calling("tool_calls", &[("c12", "read_file", READ_A)])).ends(
        Exit::GaveUp,
        "",
        "gave up after 12 tool turns",
    );
}

#[test]
fn the_time_for_everything_ends_each_state() {
    let late = || Event::OutOfTime;
    let reason = "the time for everything is used up";
    Playbook::new().asks().happens(late()).ends(Exit::GaveUp, "", reason);
    let mut running = Playbook::new().asks().hears(&calling("stop", &[("c", "read_file", READ_A)]));
    running.take();
    running.happens(late()).ends(Exit::GaveUp, "", reason);
}

#[test]
fn a_stream_is_asked_for_by_name() {
    let book = Playbook::with(|settings| settings.stream = true).asks();
    let tape = json::parse(&book.body).unwrap();
    assert_eq!(tape.root().get("stream").unwrap().as_bool(), Some(true));
    assert_eq!(tape.root().at("/stream_options/include_usage").unwrap().as_bool(), Some(true));
    drop(tape);
    book.hears("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
        .ends(Exit::Done, "hi", "");
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
        bodies in prop::collection::vec(any_body(), 40),
        stream: bool,
    ) {
        let mut book = Playbook::with(|settings| settings.stream = stream);
        let mut bodies = bodies.into_iter();
        for step in 0.. {
            // Thirteen turns, and twelve rounds of tools.
            prop_assert!(step <= 13 + 12, "it goes on and on");
            let event = match book.take() {
                Next::Ask => {
                    check_history(&body_of(&book.conversation));
                    heard(200, &bodies.next().unwrap_or_else(|| text("enough")))
                }
                Next::RunTools(actions) => Event::ToolsRan(actions.iter().map(|_| "x".to_owned()).collect()),
                Next::Done(_) => break,
            };
            book = book.happens(event);
        }
        book.ended = true;
    }
}
