//! Probes played from a book of answers: what is asked, what is skipped, what is found.

use super::*;
use crate::endpoint::answer::{self, BYTES_PER_TOKEN, Reading, Received, Told};
use crate::endpoint::class::{Class, Failed};
use crate::endpoint::mask::Mask;

/// Reads an answer as the network would bring it.
fn exchange(draft: &Draft, status: u16, body: &str) -> Exchange {
    let received = Received { status, body: body.as_bytes().to_vec(), ..Received::default() };
    let mask = Mask::new(None);
    let reading = Reading {
        dialect: Dialect::Chat,
        url: "http://h/v1",
        mask: &mask,
        stream: draft.stream,
        strict: false,
        answer_from_reasoning: true,
        empty_is_answer: false,
        sent: if draft.counted { draft.bytes() } else { 0 },
        bytes_per_token: Some(BYTES_PER_TOKEN),
    };
    Exchange { result: answer::read(&received, &reading), received: Some(received) }
}

fn said(message: &str) -> String {
    format!(
        r#"{{"model":"m","choices":[{{"message":{message},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":9000,"completion_tokens":1}}}}"#
    )
}

/// An endpoint that does what is asked, but for what the book says of single rows.
fn play(book: &[(&str, u16, &str)]) -> (Vec<&'static str>, Findings) {
    let mut probing = Probing::new(Dialect::Chat, "m");
    let mut asked = Vec::new();
    let mut left: Vec<&str> = book.iter().map(|(row, ..)| *row).collect();
    while let Some(question) = probing.ask() {
        match question {
            Question::Models => {
                asked.push("models");
                let body = br#"{"data":[{"id":"a"},{"id":"m"}]}"#.to_vec();
                let received = Received { status: 200, body, ..Received::default() };
                probing.answered(Exchange { result: Ok(Told::default()), received: Some(received) });
            }
            Question::Turn(row, draft) => {
                asked.push(row);
                left.retain(|name| *name != row);
                let (status, body) = match book.iter().find(|(name, ..)| *name == row) {
                    Some((_, status, body)) => (*status, (*body).to_owned()),
                    None => usual(&draft),
                };
                probing.answered(exchange(&draft, status, &body));
            }
        }
    }
    assert!(left.is_empty(), "nobody asked {left:?}");
    (asked, probing.findings())
}

/// What an obedient endpoint says.
fn usual(draft: &Draft) -> (u16, String) {
    let call = |number: usize, index: &str| {
        format!(
            r#"{{{index}"id":"c{number}","type":"function","function":{{"name":"report_word","arguments":"{{\"word\":\"ready\"}}"}}}}"#
        )
    };
    if draft.broken {
        return (
            400,
            r#"{"error":{"message":"messages must be a list","type":"invalid_request_error"}}"#.to_owned(),
        );
    }
    if draft.sends("max_tokens") && draft.sends("max_completion_tokens") {
        return (200, said(r#"{"content":"ready"}"#));
    }
    if draft.stream {
        let delta = if draft.tool {
            format!(r#"{{"tool_calls":[{},{}]}}"#, call(0, r#""index":0,"#), call(1, r#""index":1,"#))
        } else {
            r#"{"content":"ready"}"#.to_owned()
        };
        let end = if draft.tool { "tool_calls" } else { "stop" };
        let usage = if draft.stream_usage {
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\n"
        } else {
            ""
        };
        return (
            200,
            format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\ndata: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{end}\"}}]}}\n\n{usage}data: [DONE]\n\n"
            ),
        );
    }
    if draft.tool {
        let body = said(&format!(r#"{{"content":null,"tool_calls":[{},{}]}}"#, call(0, ""), call(1, "")));
        return (200, body.replace("\"stop\"", "\"tool_calls\""));
    }
    let text = match draft.schema.map(|schema| schema.name) {
        Some("Words") => r#"{\"word\":\"heron\",\"count\":41}"#,
        _ if draft.wants_json() => r#"{\"files\":[],\"summary\":\"ready\",\"done\":true}"#,
        _ => "ready",
    };
    let message = said(&format!(r#"{{"content":"{text}"}}"#));
    if draft.sends("n") {
        let second = r#""choices":[{"index":1,"message":{"content":"ready"},"finish_reason":"stop"},"#;
        return (
            200,
            message.replace(r#""choices":["#, second).replacen("{\"message\"", "{\"index\":0,\"message\"", 2),
        );
    }
    (200, message)
}

fn row<'f>(findings: &'f Findings, name: &str) -> &'f Finding {
    findings.rows.iter().find(|row| row.name == name).unwrap()
}

fn quirks(findings: &Findings) -> Vec<&str> {
    findings.quirks.iter().map(|quirk| quirk.name.as_str()).collect()
}

#[test]
fn an_endpoint_that_does_everything_has_no_quirk() {
    let (asked, findings) = play(&[]);
    assert_eq!(asked.len(), most_requests(Dialect::Chat));
    assert!(asked.len() <= 25, "{}", asked.len());
    assert_eq!(quirks(&findings), [""; 0], "{findings:?}");
    let not_yes: Vec<_> =
        findings.rows.iter().filter(|row| row.verdict != Verdict::Yes).map(|row| row.name.as_str()).collect();
    assert_eq!(not_yes, ["stream_usage_unasked", "keep_alive"], "{findings:?}");
    assert_eq!(findings.rows.len(), PROBES.len());
}

#[test]
fn whoever_does_not_answer_is_asked_nothing_more() {
    let error = r#"{"error":{"message":"no such key","type":"authentication_error"}}"#;
    let (asked, findings) = play(&[("answers", 401, error)]);
    assert_eq!(asked, ["answers", "models"]);
    assert_eq!(row(&findings, "answers").verdict, Verdict::No);
    assert!(row(&findings, "answers").note.starts_with("auth: "), "{findings:?}");
    for skipped in findings.rows.iter().skip(2) {
        assert_eq!(skipped.verdict, Verdict::Unknown);
        assert!(skipped.note.starts_with("not asked: ") && skipped.note.contains("auth"), "{skipped:?}");
    }
}

#[test]
fn a_refusal_names_its_quirk_and_what_a_worker_would_do() {
    let of = |param: &str| {
        format!(
            r#"{{"error":{{"message":"Unsupported value: '{param}' is not supported","type":"invalid_request_error","param":"{param}","code":"unsupported_value"}}}}"#
        )
    };
    for (name, param, quirk, step) in [
        ("temperature", "temperature", "q35_temperature", "dropped_temperature"),
        ("json_schema", "response_format", "q30_json_schema_400", "dropped_schema"),
        ("json_object", "response_format", "q32_json_object_400", "dropped_json_object"),
        ("max_tokens", "max_tokens", "q36_max_tokens", "renamed_limit"),
        ("max_completion_tokens", "max_completion_tokens", "q37_max_completion", "renamed_limit"),
        ("stream_usage", "stream_options", "q03_usage_stream_opt", "dropped_stream_options"),
    ] {
        let (_, findings) = play(&[(name, 400, &of(param))]);
        let found = row(&findings, name);
        assert_eq!(found.verdict, Verdict::No, "{name}");
        assert!(found.note.contains(step), "{found:?}");
        assert_eq!(quirks(&findings), [quirk], "{name}");
    }
}

#[test]
fn rows_that_need_another_are_skipped_with_the_reason() {
    let refused = r#"{"error":{"message":"This model does not support tools.","type":"invalid_request_error","param":"tools"}}"#;
    let (asked, findings) = play(&[("tools", 400, refused)]);
    assert!(!asked.contains(&"parallel_calls") && !asked.contains(&"stream_tools"));
    for name in ["tool_arguments", "parallel_calls", "stream_tools"] {
        assert!(row(&findings, name).note.contains("tools is not yes"), "{findings:?}");
    }
    assert_eq!(quirks(&findings), [""; 0]);
}

#[test]
fn what_passes_says_nothing() {
    let busy = r#"{"error":{"message":"busy","type":"rate_limit_error","code":"rate_limit_exceeded"}}"#;
    let (_, findings) = play(&[("temperature", 429, busy)]);
    assert_eq!(row(&findings, "temperature").verdict, Verdict::Unknown);
    assert_eq!(quirks(&findings), [""; 0]);
}

#[test]
fn apis_without_a_thing_are_not_asked_for_it() {
    for dialect in [Dialect::Responses, Dialect::Messages] {
        let mut probing = Probing::new(dialect, "m");
        while let Some(question) = probing.ask() {
            if let Question::Turn(row, draft) = &question {
                assert!(!["n", "seed", "both_limits", "stream_usage"].contains(row), "{row}");
                let body = String::from_utf8(draft.write(dialect, "m")).unwrap();
                assert!(
                    rehearsal_wire::json::parse(body.as_bytes())
                        .is_ok_and(|tape| tape.duplicate_key.is_none()),
                    "{body}"
                );
            }
            probing.answered(Exchange {
                result: Ok(Told { text: Some("ready".to_owned()), ..Told::default() }),
                received: None,
            });
        }
        assert!(most_requests(dialect) < most_requests(Dialect::Chat));
    }
}

#[test]
fn whatever_comes_for_a_row_nothing_breaks() {
    let failures = [Class::Connect, Class::TimeoutTotal, Class::Refusal, Class::Truncated];
    for class in failures {
        let mut probing = Probing::new(Dialect::Chat, "m");
        let mut first = true;
        while probing.ask().is_some() {
            let result = match std::mem::take(&mut first) {
                true => Ok(Told { text: Some("ready".to_owned()), ..Told::default() }),
                false => Err(Box::new(Failed::new(class, "x"))),
            };
            probing.answered(Exchange { result, received: None });
        }
        assert_eq!(probing.findings().rows.len(), PROBES.len(), "{class:?}");
    }
}

#[test]
fn names_of_rows_and_quirks_are_unique_and_rows_need_what_stands_before() {
    for (at, probe) in PROBES.iter().enumerate() {
        let before: Vec<&str> = PROBES[..at].iter().map(|row| row.name).collect();
        assert!(!before.contains(&probe.name));
        assert!(probe.needs.iter().all(|name| before.contains(name)), "{}", probe.name);
        if let Asks::Of(other) = probe.asks {
            assert!(before.contains(&other), "{}", probe.name);
        }
    }
    let names: std::collections::BTreeSet<_> = crate::probe::QUIRKS.iter().map(|quirk| quirk.name).collect();
    assert_eq!(names.len(), crate::probe::QUIRKS.len());
}
