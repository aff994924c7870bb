//! The fault table: every row is whole and plays in every dialect; the canned faults byte for byte.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as they do")]

use rehearsal_wire::act::{Act, After};
use rehearsal_wire::dialect::{DIALECTS, Dialect, dialect};
use rehearsal_wire::fault::{
    Dialects, FAULTS, Faulted, Named, Param, ParamFault, ParamKind, Wanted, change_words, check_params,
    clash, fault, unknown,
};
use rehearsal_wire::head::{ResponseHead, reason};
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, Reply, Usage};

struct Case<'c> {
    dialect: &'static Dialect,
    reply: Option<&'c Reply>,
    stream: bool,
    ordinal: u64,
    params: &'c [(String, String)],
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self { dialect: dialect("openai-chat").unwrap(), reply: None, stream: false, ordinal: 1, params: &[] }
    }
}

/// The fault as it plays; none where it finds nothing to break.
fn tried(name: &str, case: &Case<'_>) -> Option<Faulted> {
    let (id, model) = ("chatcmpl-gate-0123456789ab".to_owned(), "\"asked-for\"".to_owned());
    let envelope = Envelope {
        choices: 2,
        include_usage: true,
        logprobs: true,
        ..Envelope::plain(id, 1_754_000_000, model)
    };
    let mut named = vec![Named { row: fault(name).unwrap(), params: case.params }];
    let changed = case.reply.map(|reply| {
        let mut reply = reply.clone();
        named = change_words(&named, &mut reply);
        reply
    });
    let wanted = Wanted {
        dialect: case.dialect,
        reply: changed.as_ref(),
        envelope: &envelope,
        stream: case.stream,
        request: None,
        head: &ResponseHead::new(200).with("x-request-id", "req_1"),
        params: &[],
        seed: 7,
        ordinal: case.ordinal,
    };
    rehearsal_wire::fault::play(&named, &wanted)
}

fn play(name: &str, case: &Case<'_>) -> Faulted {
    tried(name, case).unwrap()
}

fn written(faulted: &Faulted) -> Vec<String> {
    let bytes = |act: &Act| match act {
        Act::Write(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Act::Wait(_) | Act::HalfClose | Act::Abort | Act::Stall => None,
    };
    faulted.plan.acts.iter().filter_map(bytes).collect()
}

/// The data of a chunked body and whether it is complete.
fn unchunked(body: &str) -> (String, bool) {
    let (mut rest, mut data) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (data, after == "\r\n");
        }
        data.push_str(after.get(..size).unwrap_or(after));
        rest = after.get(size + 2..).unwrap_or_default();
    }
    (data, false)
}

#[test]
fn every_row_is_whole() {
    for row in FAULTS {
        let example = parse(row.example.as_bytes()).unwrap_or_else(|broken| panic!("{}: {broken}", row.name));
        let named = example.root().get("fault").unwrap();
        assert!(named.get("name").unwrap_or(named).is_str(row.name), "{}", row.name);
        let params: Vec<(String, String)> = named
            .entries()
            .map(|(key, value)| (key.as_str().unwrap().into_owned(), value.text().to_owned()))
            .filter(|(key, _)| key != "name")
            .collect();
        assert_eq!(check_params(row.params, &params), Ok(()), "{}", row.name);
        for param in row.params {
            let default = parse(param.default.as_bytes()).unwrap();
            assert!(param.kind.accepts(default.root()), "{}: default of {}", row.name, param.name);
        }
        assert!(!row.summary.is_empty() && !row.right_reaction.is_empty() && !row.works.is_empty());
        let report = |report: &&str| {
            report
                .split_once('#')
                .is_some_and(|(repository, number)| repository.contains('/') && number.parse::<u64>().is_ok())
        };
        assert!(row.reports.iter().all(report), "{}: {:?}", row.name, row.reports);
        if let Dialects::Only(names) = row.dialects {
            assert!(names.iter().all(|name| dialect(name).is_some()), "{}", row.name);
        }
        assert_eq!(fault(row.name).map(|found| found.name), Some(row.name));
    }
    assert!(fault("none").is_none());
    assert!(Dialects::Only(&["a"]).include("a") && !Dialects::Only(&["a"]).include("b"));
}

#[test]
fn every_row_plays_in_every_dialect_the_same_way_each_time() {
    let said = Reply { text: Some("Hello 😀".to_owned()), ..Reply::default() };
    for dialect in DIALECTS {
        for row in FAULTS.iter().filter(|row| row.dialects.include(dialect.name)) {
            for (reply, stream) in [(None, false), (None, true), (Some(&said), false), (Some(&said), true)] {
                let case = Case { dialect, reply, stream, ..Case::default() };
                let Some(faulted) = tried(row.name, &case) else { continue };
                assert!(!faulted.plan.acts.is_empty(), "{}", row.name);
                assert_eq!(faulted, play(row.name, &case), "{}", row.name);
                assert_eq!(faulted.status.is_some(), !written(&faulted).is_empty(), "{}", row.name);
                let ends = faulted.plan.acts.iter().position(|act| matches!(act, Act::Abort | Act::Stall));
                assert!(
                    ends.is_none_or(|at| at + 1 == faulted.plan.acts.len()),
                    "{}: nothing follows an end",
                    row.name
                );
            }
        }
    }
}

#[test]
fn black_hole_sends_nothing() {
    for stream in [false, true] {
        let faulted = play("black-hole", &Case { stream, ..Case::default() });
        assert_eq!((faulted.plan.acts, faulted.status, faulted.delivered), (vec![Act::Stall], None, None));
    }
}

#[test]
fn mid_body_drop_promises_454_bytes_and_sends_227() {
    let faulted = play("mid-body-drop", &Case::default());
    let parts = written(&faulted);
    assert_eq!(
        parts[0],
        "HTTP/1.1 200 OK\r\nx-request-id: req_1\r\ncontent-type: application/json\r\ncontent-length: 454\r\n\r\n"
    );
    assert_eq!(parts[1].len(), 227);
    assert!(
        parts[1].starts_with("{\"id\": \"chatcmpl-gate-0123456789ab\", ")
            && parts[1].contains("\"hostile-mid-drop\"")
    );
    assert!(parts[1].ends_with("This reply will never finish arriving b"), "{}", parts[1]);
    assert_eq!((faulted.plan.acts.len(), faulted.plan.acts.last()), (3, Some(&Act::Abort)));
    assert_eq!((faulted.status, faulted.delivered), (Some(200), None));
}

#[test]
fn mid_body_drop_cuts_a_scripted_reply_in_half() {
    let said = Reply {
        text: Some("Hello".to_owned()),
        usage: Usage { prompt: 1, completion: 2 },
        ..Reply::default()
    };
    let parts = written(&play("mid-body-drop", &Case { reply: Some(&said), ..Case::default() }));
    let promised = parts[0].split("content-length: ").nth(1).unwrap().trim().parse::<usize>().unwrap();
    assert_eq!(parts[1].len(), promised / 2);
    assert!(parts[1].contains("asked-for"));
}

#[test]
fn mid_body_drop_breaks_a_stream_inside_a_chunk() {
    let faulted = play("mid-body-drop", &Case { stream: true, ..Case::default() });
    let parts = written(&faulted);
    assert!(parts[0].contains("transfer-encoding: chunked") && !parts[0].contains("content-length"));
    let (data, complete) = unchunked(&parts[1]);
    assert!(!complete && data.starts_with("data: {") && !data.contains("finish_reason\":\"stop"));
    assert_eq!(faulted.plan.acts.last(), Some(&Act::Abort));
    let with = |at: &str| {
        let params = [("at".to_owned(), at.to_owned())];
        unchunked(
            &written(&play("mid-body-drop", &Case { stream: true, params: &params, ..Case::default() }))[1],
        )
    };
    assert!(with("0.25").0.len() < data.len() && data.len() < with("0.75").0.len());
    assert_eq!(with("0").0, "");
    let (nearly, complete) = with("1.0");
    assert!(nearly.ends_with("data: [DONE]\n") && !complete, "never the whole of it");
}

#[test]
fn tool_pending_forever_asks_under_a_fresh_id() {
    for (ordinal, number) in [(1, "0001"), (50, "0050"), (12345, "12345")] {
        let faulted = play("tool-pending-forever", &Case { ordinal, ..Case::default() });
        let parts = written(&faulted);
        let (head, body) = parts[0].split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        let tape = parse(body.as_bytes()).unwrap();
        let message = format!(
            concat!(
                r#"{{"role": "assistant", "content": null, "refusal": null, "tool_calls": ["#,
                r#"{{"id": "call_hostile_pending_{n}", "type": "function", "function": {{"name": "write_file", "#,
                r#""arguments": "{{\"path\": \"never-{n}.md\", \"content\": \"this run never completes\"}}"}}}}]}}"#
            ),
            n = number
        );
        assert_eq!(tape.root().at("/choices/0/message").unwrap().text(), message);
        assert_eq!(tape.root().get("choices").unwrap().len(), 1);
        assert!(tape.root().get("model").unwrap().is_str("gate-openai-model"));
        assert_eq!(tape.root().at("/usage/total_tokens").unwrap().as_i64(), Some(2));
        assert_eq!(faulted.plan.after, After::KeepAlive);
        assert_eq!(faulted.delivered.unwrap().calls[0].id, format!("call_hostile_pending_{number}"));
    }
    let streamed = written(&play("tool-pending-forever", &Case { stream: true, ..Case::default() }));
    let (data, complete) = unchunked(streamed[0].split_once("\r\n\r\n").unwrap().1);
    assert!(complete && data.contains("call_hostile_pending_0001") && data.ends_with("data: [DONE]\n\n"));
}

#[test]
fn refuses_parameters_that_do_not_fit() {
    let param = |name, kind, default| Param { name, kind, default, doc: "" };
    let table = [
        param("flag", ParamKind::Flag, "true"),
        param("count", ParamKind::Count, "1"),
        param("millis", ParamKind::Millis, "1"),
        param("share", ParamKind::Fraction, "0.5"),
        param("text", ParamKind::Text, "\"\""),
    ];
    let check = |name: &str, text: &str| check_params(&table, &[(name.to_owned(), text.to_owned())]);
    for (name, good, bad) in [
        ("flag", vec!["true", "false"], vec!["1", "\"true\"", "null"]),
        ("count", vec!["0", "3.0"], vec!["-1", "1.5", "true", "\"3\""]),
        ("millis", vec!["250"], vec!["-1", "{}"]),
        ("share", vec!["0", "1", "0.25", "1e-3"], vec!["1.1", "-0.1", "\"0.5\"", "[]"]),
        ("text", vec!["\"x\""], vec!["x", "1"]),
    ] {
        for text in good {
            assert_eq!(check(name, text), Ok(()), "{name} {text}");
        }
        for text in bad {
            let refused = check(name, text).unwrap_err();
            assert!(refused.to_string().starts_with(&format!("parameter `{name}` must be ")), "{refused}");
        }
    }
    let unknown = check("flog", "1").unwrap_err();
    assert!(matches!(&unknown, ParamFault::Unknown { name, known } if name == "flog" && known.len() == 5));
    assert!(unknown.to_string().contains("`flag`, `count`"));
    let none = check_params(&[], &[("at".to_owned(), "1".to_owned())]).unwrap_err();
    assert_eq!(none.to_string(), "unknown parameter `at`: this fault has none");
}

#[test]
fn a_head_holds_what_it_was_given_and_no_more() {
    let head = ResponseHead::new(429).with("Retry-After", "2").with("a\r\nb", "c\r\nSet-Cookie: x\0\ty é");
    assert_eq!(
        String::from_utf8(head.to_bytes()).unwrap(),
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\na  b: c  Set-Cookie: x \ty é\r\n\r\n"
    );
    assert_eq!((head.get("retry-AFTER"), head.get("date")), (Some("2"), None));
    assert_eq!(ResponseHead::new(599).to_bytes(), b"HTTP/1.1 599 \r\n\r\n");
    assert_eq!([200, 404, 529, 418, 999].map(reason), ["OK", "Not Found", "Overloaded", "", ""]);
}

#[test]
fn faults_go_together_where_it_makes_sense() {
    let why = |names: &[&str; 2]| clash(&names.map(|name| fault(name).unwrap()));
    for names in &[
        ["sse-byte-drip", "utf8-split"],
        ["sse-crlf-split", "utf8-split"],
        ["json-when-stream", "sse-crlf"],
        ["stream-wrong-content-type", "json-when-stream"],
        ["sse-crlf", "sse-crlf"],
        ["cut-clean", "cut-reset"],
        ["stall-first", "done-then-open"],
        ["slow-drip", "sse-byte-drip"],
        ["black-hole", "sse-crlf"],
        ["failed-event-open-socket", "stall-mid"],
        ["403", "409"],
        ["5xx-html", "sse-crlf"],
        ["200-empty-body", "error-in-stream"],
        ["529-overloaded", "utf8-split"],
        ["408", "json-when-stream"],
        ["usage-null", "200-html"],
        ["choices-missing", "200-error-body"],
        ["refusal", "mid-body-drop"],
        ["tool-id-empty", "200-html"],
        ["tool-forever", "tool-forever"],
        ["tool-pending-forever", "tool-id-long"],
    ] {
        let why = why(names).unwrap_or_else(|| panic!("{names:?} go together"));
        assert!(names.iter().all(|name| why.contains(&format!("`{name}`"))), "{why}");
    }
    for names in &[
        ["sse-crlf", "utf8-split"],
        ["usage-null", "sse-crlf"],
        ["usage-null", "cut-reset"],
        ["usage-null", "finish-unknown"],
        ["tool-id-empty", "sse-crlf"],
        ["tool-id-empty", "cut-reset"],
        ["done-missing", "sse-cr-only"],
        ["sse-no-space", "done-then-open"],
        ["slow-drip", "cut-clean"],
        ["error-in-stream", "sse-crlf"],
        ["utf8-split", "stall-mid"],
        ["5xx-html", "cut-mid-json"],
    ] {
        assert_eq!(why(names), None);
    }
}

#[test]
fn a_name_that_no_fault_has_is_shown_but_for_its_length() {
    assert_eq!(unknown("sse-crfl"), "there is no fault sse-crfl; did you mean `sse-crlf`?");
    let long = unknown(&"é".repeat(100_000));
    assert!(long.starts_with("there is no fault éé") && long.len() < 300, "{}", long.len());
}
