//! Streams as servers really send them, cut at every byte.

use super::*;
use crate::answer::{Call, Finish};

fn read(body: &[u8], piece: usize) -> Result<Answer, Failure> {
    let mut incoming = Incoming::default();
    for bytes in body.chunks(piece) {
        if incoming.push(bytes) {
            break;
        }
    }
    incoming.finish()
}

/// Reads a body in one piece, byte by byte and in sevens; all three must agree.
#[track_caller]
fn read_all_ways(body: &str) -> Result<Answer, Failure> {
    let whole = read(body.as_bytes(), body.len().max(1));
    assert_eq!(read(body.as_bytes(), 1), whole, "{body}");
    assert_eq!(read(body.as_bytes(), 7), whole, "{body}");
    whole
}

fn stream(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn content(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const DONE: &str = "[DONE]";

#[test]
fn texts_come_out_whole_however_the_stream_is_framed() {
    let plain = stream(&[
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
        let answer = read_all_ways(&framed).unwrap_or_else(|failure| panic!("{failure}: {framed}"));
        assert_eq!(answer.content.as_deref(), Some("grüß 🌋 Gott"), "{framed}");
    }
}

#[test]
fn the_last_event_ends_the_answer_though_the_connection_stays_open() {
    let mut incoming = Incoming::default();
    assert!(!incoming.push(stream(&[&content(r#"{"content":"x"}"#), STOP]).as_bytes()));
    assert!(incoming.push(b"data: [DONE]\n\n"));
    let mut failing = Incoming::default();
    assert!(failing.push(b"data: {\"error\":{\"message\":\"overloaded\"}}\n\n"));
    assert!(failing.finish().is_err());
}

#[test]
fn a_plain_answer_that_comes_as_an_event_is_read_as_what_it_is() {
    // sse-when-json
    let body = concat!(
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","#,
        r#""function":{"name":"list_dir","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#
    );
    let answer = read_all_ways(&stream(&[body, DONE])).unwrap();
    assert_eq!(Ok(&answer), read_all_ways(body).as_ref());
    assert_eq!(answer.calls[0].name, "list_dir");
}

#[test]
fn half_a_stream_is_no_answer() {
    let begun = content(r#"{"content":"half"}"#);
    let call = content(
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"run_command","arguments":"{\"comm"}}]}"#,
    );
    for (body, reason) in [
        (stream(&[&begun]), "without a finish reason"),
        (stream(&[&call]), "without a finish reason"),
        (stream(&[&call]) + "data: {\"choices\":[{\"del", "not JSON"),
        (stream(&[&begun, r#"{"choices":[{"delta":{},"finish_reason":""}]}"#]), "without a finish reason"),
        (stream(&[DONE]), "without a finish reason"),
        (": only a comment\n\n".to_owned(), "no event"),
        ("error in plain words".to_owned(), "no event"),
        (stream(&[&begun, ": OPENROUTER PROCESSING", STOP]), "not JSON: : OPENROUTER PROCESSING"),
        (stream(&[&begun, r#"{"id":"x"}"#]), "no choices"),
        (stream(&[&begun, "7"]), "is a number"),
        (stream(&[&begun, r#"{"error":{"message":"overloaded","code":529}}"#, STOP, DONE]), "529"),
        (
            stream(&[r#"{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#]),
            "broke off",
        ),
        (
            stream(&[&content(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#), STOP]),
            "belongs to no call",
        ),
    ] {
        let failure = read_all_ways(&body).expect_err(&body).to_string();
        assert!(failure.contains(reason), "{failure}: {body}");
    }
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
            vec![("", "read_file", r#"{"a":1}"#)],
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
            let body = stream(&chunks.iter().map(String::as_str).collect::<Vec<_>>());
            let answer = read_all_ways(&body).unwrap_or_else(|failure| panic!("{name}: {failure}"));
            assert_eq!(answer.calls, wanted, "{name}");
            assert_eq!(answer.content, None, "{name}");
        }
    }
}

#[test]
fn a_piece_that_no_call_claims_is_an_error() {
    let body = stream(&[
        &content(r#"{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{"}}]}"#),
        &content(r#"{"tool_calls":[{"index":3,"function":{"arguments":"}"}}]}"#),
        STOP,
    ]);
    assert!(read_all_ways(&body).is_err());
}

#[test]
fn refusals_reasons_and_reasoning_are_put_together() {
    let body = stream(&[
        &content(r#"{"refusal":"I "}"#),
        &content(r#"{"refusal":"won't","reasoning_content":"be"}"#),
        &content(r#"{"refusal":null,"reasoning_content":"cause"}"#),
        r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#,
        DONE,
    ]);
    let answer = read_all_ways(&body).unwrap();
    assert_eq!(answer.refusal.as_deref(), Some("I won't"));
    assert_eq!(answer.reasoning.as_deref(), Some("because"));
    assert_eq!(answer.finish, Finish::Filtered);
}

#[test]
fn a_plain_answer_is_taken_though_it_ends_like_a_stream_or_a_stream_was_asked_for() {
    let body = "\n {\"choices\":[{\"message\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n";
    assert_eq!(read_all_ways(body).unwrap().content.as_deref(), Some("x"));
}

#[test]
fn lines_of_megabytes_are_read() {
    let long = "x".repeat(4 << 20);
    let body = stream(&[&content(&format!(r#"{{"content":"{long}"}}"#)), STOP]);
    assert_eq!(read(body.as_bytes(), 8192).unwrap().content, Some(long));
}

#[test]
fn what_the_stand_in_renders_is_read_back_whole_and_as_a_stream() {
    use rehearsal_wire::dialect::dialect;
    use rehearsal_wire::reply::{Envelope, IssuedCall, Reply};
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
        Reply { refusal: Some("no".to_owned()), ..Reply::default() },
        Reply { text: Some("cut".to_owned()), finish: Some("length".to_owned()), ..Reply::default() },
    ];
    let chat = dialect("openai-chat").unwrap();
    for reply in replies {
        let plain = Envelope::plain("x".to_owned(), 0, "\"m\"".to_owned());
        let envelope = Envelope { choices: 2, include_usage: true, piece: 3, ..plain };
        let whole = (chat.render)(&reply, &envelope);
        let stream = (chat.stream)(&reply, &envelope).concat();
        for body in [whole, stream] {
            let answer = read_all_ways(std::str::from_utf8(&body).unwrap()).unwrap();
            let calls: Vec<_> = answer.calls.iter().map(|c| (&c.id, &c.name, &c.arguments)).collect();
            let wanted: Vec<_> = reply.calls.iter().map(|c| (&c.id, &c.name, &c.arguments)).collect();
            assert_eq!(calls, wanted);
            assert_eq!((&answer.content, &answer.refusal), (&reply.text, &reply.refusal));
            assert_eq!(answer.finish, reply.finish.as_deref().map_or(Finish::Whole, Finish::of));
        }
    }
}
