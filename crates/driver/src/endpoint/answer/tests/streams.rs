//! Streams as servers really send them: framed in every way, calls in pieces of every make, and what only looks like an answer.

use super::*;
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply};

fn joined(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn content(piece: &str) -> String {
    delta(piece, "null")
}

fn read_text(body: &str) -> Result<Told, Box<Failed>> {
    read_as(Dialect::Chat, &typed("text/event-stream", body), |reading| reading.stream = true)
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const DONE: &str = "[DONE]";

#[test]
fn texts_come_out_whole_however_the_stream_is_framed() {
    let plain = joined(&[
        r#"{"id":"","model":"","created":0,"choices":[],"prompt_filter_results":[]}"#,
        &content(r#"{"role":"assistant","content":""}"#),
        &content(r#"{"content":"grüß 🌋 "}"#),
        &content("{}"),
        &content(r#"{"role":"assistant","content":null}"#),
        &content(r#"{"content":"Gott"}"#),
        r#"{"choices":[{"index":1,"delta":{"content":"other choice"},"finish_reason":"length"}]}"#,
        STOP,
        r#"{"choices":[],"usage":null}"#,
        DONE,
    ]);
    for framed in [
        plain.clone(),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace("data: ", "data:"),
        plain.replace("\n\n", "\n\n: ping\n\n"),
        format!(": OPENROUTER PROCESSING\n\n{plain}"),
        format!("\u{feff}{plain}"),
        plain.replace("data: ", "event: message\nid: 7\nretry: 10\ndata: "),
        plain.replace("data: {\"choices\"", "data: {\ndata: \"choices\""),
        plain.replace("data: [DONE]\n\n", ""),
        plain.replace("data: [DONE]\n\n", "data: [DONE]"),
        // done-as-json
        plain.replace("data: [DONE]\n\n", "data: DONE\n\n"),
        // done-no-finish: null, empty and absent
        plain.replace("\"stop\"", "null"),
        plain.replace("\"stop\"", "\"\""),
        plain.replace(",\"finish_reason\":\"stop\"", ""),
        format!("{plain}data: {{\"choices\":[{{\"delta\":{{\"content\":\"late\"}}}}]}}\n\n"),
        format!("event: keepalive\n\n{plain}"),
        format!("\n\n{plain}"),
    ] {
        let told = read_text(&framed).unwrap_or_else(|failed| panic!("{failed}: {framed}"));
        assert_eq!(told.text.as_deref(), Some("grüß 🌋 Gott"), "{framed}");
    }
}

#[test]
fn a_plain_answer_that_comes_as_an_event_is_read_as_what_it_is() {
    // sse-when-json
    let body = concat!(
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","#,
        r#""function":{"name":"list_dir","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#
    );
    let as_event = read_text(&joined(&[body, DONE])).unwrap();
    assert_eq!(as_event.calls, read_text(body).unwrap().calls);
    assert_eq!(as_event.calls[0].name, "list_dir");
}

#[test]
fn half_a_stream_is_no_answer_and_may_be_whole_the_next_time() {
    let begun = content(r#"{"content":"half"}"#);
    let call = content(
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"run_command","arguments":"{\"comm"}}]}"#,
    );
    let nobody = content(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#);
    for (body, reason) in [
        (joined(&[&begun]), "stream_ended_early"),
        (joined(&[&call]), "stream_ended_early"),
        (joined(&[&call]) + "data: {\"choices\":[{\"del", "stream_ended_early"),
        (joined(&[&begun, r#"{"choices":[{"delta":{},"finish_reason":""}]}"#]), "stream_ended_early"),
        (joined(&[DONE]), "no_events"),
        (": only a comment\n\n".to_owned(), "no_events"),
        ("error in plain words".to_owned(), "no_events"),
        (joined(&[&begun, ": OPENROUTER PROCESSING", STOP]), "not_json"),
        (joined(&[&begun, r#"{"id":"x","choices":null}"#, STOP]), "odd_message"),
        (joined(&[&begun, r#"{"object":"chat.completion.chunk"}"#, STOP]), "odd_message"),
        (joined(&[&begun, "7", STOP]), "odd_message"),
        (joined(&[&nobody, STOP]), "call_without_name"),
        (joined(&[r#"{"choices":[],"usage":{}}"#, DONE]), "no_words"),
    ] {
        let failed = read_text(&body).expect_err(&body);
        assert_eq!((failed.reason, failed.is_broken()), (Some(reason), true), "{body}: {failed:?}");
        assert!(!failed.retryable, "{body}");
    }
}

#[test]
fn events_beside_the_answer_say_nothing() {
    let words = content(r#"{"content":"x"}"#);
    for beside in [r#"{"type":"ping"}"#, r#"{"object":"x.metadata"}"#, r#"{"choices":null,"usage":{}}"#] {
        assert!(read_text(&joined(&[&words, beside, STOP, DONE])).is_ok(), "{beside}");
    }
}

#[test]
fn messages_that_hold_something_else_are_no_answers() {
    for (message, what) in [
        (r#"{"content":7}"#, "content is a number"),
        (r#"{"content":{}}"#, "content is an object"),
        (r#"{"content":"x","tool_calls":{}}"#, "tool_calls is an object"),
        (r#"{"tool_calls":[{"id":"c"}]}"#, "no name"),
        (r#"{"tool_calls":[{"id":"c","type":"custom"}]}"#, "no name"),
        (r#"{"tool_calls":[{"id":"c","function":{"arguments":"{}"}}]}"#, "no name"),
    ] {
        let failed = failed(&json_of(completion(message, "\"stop\"")));
        assert!(failed.message.contains(what) && failed.is_broken(), "{failed:?}");
    }
}

#[test]
fn what_was_cut_at_a_limit_refused_or_held_back_is_not_broken() {
    for (message, finish) in [
        (r#"{"content":"x"}"#, "length"),
        (r#"{"content":"x"}"#, "content_filter"),
        (r#"{"refusal":"no"}"#, "stop"),
    ] {
        let failed = failed(&json_of(completion(message, &format!("\"{finish}\""))));
        assert!(!failed.is_broken() && !failed.retryable, "{failed:?}");
    }
    for status in [204, 400, 404] {
        assert!(!failed(&with_status(status, "x")).is_broken(), "{status}");
    }
}

#[test]
fn an_empty_answer_is_one_only_where_that_is_said() {
    for content in ["null", "\"\"", "\" \"", "[]"] {
        let body = completion(&format!(r#"{{"content":{content}}}"#), "\"stop\"");
        let told = read_as(Dialect::Chat, &json_of(&body), |reading| reading.empty_is_answer = true).unwrap();
        assert_eq!(told.text, None);
        // For whoever sends it back an empty text is no null.
        assert_eq!(told.content.is_some(), content.contains('"'), "{content}");
        assert_eq!(failed(&json_of(&body)).class, Class::EmptyContent);
    }
    let nothing = joined(&[r#"{"choices":[],"usage":{}}"#, DONE]);
    let read = read_as(Dialect::Chat, &typed("text/event-stream", nothing), |it| it.empty_is_answer = true);
    assert_eq!(read.expect_err("nobody had a turn").class, Class::EmptyContent);
}

/// A call: its id, name and arguments.
type Wanted<'c> = (&'c str, &'c str, &'c str);

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn calls_are_put_together_from_pieces_of_every_make() {
    let one = vec![("c1", "read_file", r#"{"a":1}"#)];
    let two = vec![("c1", "read_file", r#"{"a":1}"#), ("c2", "list_dir", "{}")];
    let cases: Vec<(&str, Vec<&str>, Vec<Wanted<'_>>)> = vec![
        (
            "in order",
            vec![
                r#"{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":""}}"#,
                r#"{"index":0,"function":{"arguments":"{\"a\""}}"#,
                r#"{"index":0,"function":{"arguments":":1}"}}"#,
            ],
            one.clone(),
        ),
        (
            "empty id and name on later pieces",
            vec![
                r#"{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"a\":"}}"#,
                r#"{"index":0,"id":"","function":{"name":"","arguments":"1}"}}"#,
            ],
            one.clone(),
        ),
        (
            "id, name and type on every piece",
            vec![
                r#"{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"a\":"}}"#,
                r#"{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"1}"}}"#,
            ],
            one.clone(),
        ),
        (
            "name in two pieces",
            vec![
                r#"{"index":0,"id":"c1","function":{"name":"read_"}}"#,
                r#"{"index":0,"function":{"name":"file","arguments":"{\"a\":1}"}}"#,
            ],
            one.clone(),
        ),
        (
            "id after the name",
            vec![
                r#"{"index":0,"function":{"name":"read_file"}}"#,
                r#"{"index":0,"id":"c1","function":{"arguments":"{\"a\":1}"}}"#,
            ],
            one.clone(),
        ),
        (
            "no index, one call",
            vec![
                r#"{"id":"c1","function":{"name":"read_file","arguments":"{\"a\":"}}"#,
                r#"{"function":{"arguments":"1}"}}"#,
            ],
            one.clone(),
        ),
        (
            "no id at all",
            vec![
                r#"{"index":0,"function":{"name":"read_file","arguments":"{\"a\":"}}"#,
                r#"{"index":0,"function":{"arguments":"1}"}}"#,
            ],
            vec![("call_0_0", "read_file", r#"{"a":1}"#)],
        ),
        (
            "arguments as an object",
            vec![r#"{"index":0,"id":"c1","function":{"name":"read_file","arguments":{"a":1}}}"#],
            one.clone(),
        ),
        (
            "two calls, interleaved and out of order",
            vec![
                r#"{"index":1,"id":"c2","function":{"name":"list_dir","arguments":"{"}}"#,
                r#"{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"a\""}}"#,
                r#"{"index":1,"function":{"arguments":"}"}}"#,
                r#"{"index":0,"function":{"arguments":":1}"}}"#,
            ],
            two.clone(),
        ),
        (
            "two calls, both index 0",
            vec![
                r#"{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"a\":"}}"#,
                r#"{"index":0,"function":{"arguments":"1}"}}"#,
                r#"{"index":0,"id":"c2","function":{"name":"list_dir","arguments":"{"}}"#,
                r#"{"index":0,"function":{"arguments":"}"}}"#,
            ],
            two.clone(),
        ),
        (
            // tool-id-reused
            "two calls, both of one id",
            vec![
                r#"{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"a\":"}}"#,
                r#"{"index":1,"id":"c1","function":{"name":"list_dir","arguments":"{"}}"#,
                r#"{"index":0,"id":"c1","function":{"arguments":"1}"}}"#,
                r#"{"index":1,"function":{"arguments":"}"}}"#,
            ],
            vec![("c1", "read_file", r#"{"a":1}"#), ("c1", "list_dir", "{}")],
        ),
        (
            "two calls without index",
            vec![
                r#"{"id":"c1","function":{"name":"read_file","arguments":"{\"a\":1}"}}"#,
                r#"{"id":"c2","function":{"name":"list_dir","arguments":"{}"}}"#,
            ],
            two.clone(),
        ),
        (
            "two calls of one tool, ids only",
            vec![
                r#"{"id":"c1","function":{"name":"list_dir","arguments":"{"}}"#,
                r#"{"id":"c2","function":{"name":"list_dir","arguments":"{}"}}"#,
                r#"{"id":"c1","function":{"name":"list_dir","arguments":"}"}}"#,
            ],
            vec![("c1", "list_dir", "{}"), ("c2", "list_dir", "{}")],
        ),
    ];
    for (name, pieces, wanted) in cases {
        let wanted: Vec<Call> = wanted
            .into_iter()
            .map(|(id, name, arguments)| Call {
                id: id.into(),
                name: name.into(),
                arguments: arguments.into(),
            })
            .collect();
        let mut apart: Vec<String> =
            pieces.iter().map(|piece| content(&format!(r#"{{"tool_calls":[{piece}]}}"#))).collect();
        let mut together = vec![content(&format!(r#"{{"tool_calls":[{}]}}"#, pieces.join(",")))];
        for chunks in [&mut apart, &mut together] {
            chunks.push(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned());
            let body = joined(&chunks.iter().map(String::as_str).collect::<Vec<_>>());
            let told = read_text(&body).unwrap_or_else(|failed| panic!("{name}: {failed}"));
            assert_eq!(told.calls, wanted, "{name}");
            assert_eq!(told.content, None, "{name}");
        }
    }
}

#[test]
fn lines_of_megabytes_are_read() {
    let long = "x".repeat(4 << 20);
    let body = joined(&[&content(&format!(r#"{{"content":"{long}"}}"#)), STOP]);
    assert_eq!(read_text(&body).unwrap().text, Some(long));
}

#[test]
fn what_the_stand_in_renders_is_read_back_whole_and_as_a_stream() {
    let call = |number: u32, arguments: &str| IssuedCall {
        id: format!("c{number}"),
        name: "run_command".to_owned(),
        arguments: arguments.to_owned(),
    };
    let torture = r#"{"command":"echo \"a 'b' \\"c\\" 🌋\" \u0041"}"#;
    let replies = [
        Reply { text: Some("grüß 🌋\n".to_owned()), ..Reply::default() },
        Reply { calls: vec![call(1, torture), call(2, "{}"), call(3, "")], ..Reply::default() },
        Reply { text: Some("first".to_owned()), calls: vec![call(1, "{\"broken")], ..Reply::default() },
    ];
    let chat = dialect("openai-chat").unwrap();
    for reply in replies {
        let plain = Envelope::plain("x".to_owned(), 0, "\"m\"".to_owned());
        let envelope = Envelope { choices: 2, include_usage: true, piece: 3, ..plain };
        let whole = (chat.render)(&reply, &envelope);
        let stream = (chat.stream)(&reply, &envelope).bytes().to_vec();
        for body in [whole, stream] {
            let told = read_text(std::str::from_utf8(&body).unwrap()).unwrap();
            let calls: Vec<_> = told.calls.iter().map(|c| (&c.id, &c.name, &c.arguments)).collect();
            let wanted: Vec<_> = reply.calls.iter().map(|c| (&c.id, &c.name, &c.arguments)).collect();
            assert_eq!((calls, told.content), (wanted, reply.text.clone()));
        }
    }
}
