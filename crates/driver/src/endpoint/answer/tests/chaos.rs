//! Whatever comes, reading ends, gives nothing of what was cut or held back, and never shows the key.

use super::*;
use crate::endpoint::watch::Watch;
use proptest::prelude::*;

/// Pieces of which bodies are made that come close to answers.
const FRAGMENTS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\n\n",
    "\r",
    "data: ",
    "error: ",
    "event: error\n",
    ": x\n",
    "data: [DONE]\n\n",
    "[DONE]",
    "\u{feff}",
    "\"choices\":",
    "\"message\":",
    "\"delta\":",
    "\"content\":\"x\"",
    "\"finish_reason\":\"stop\"",
    "\"finish_reason\":\"length\"",
    "\"error\":{\"code\":429}",
    "\"tool_calls\":[{\"function\":{\"arguments\":{}}}]",
    "null",
    "1e999",
    "\"type\":\"message_stop\"",
    "\"usage\":{\"prompt_tokens\":1}",
    "\\ud800",
    KEY,
    "\"output\":[]",
    "\"status\":\"queued\"",
];

/// Events of all dialects, whole and broken.
const EVENTS: &[&str] = &[
    "\u{feff}",
    ": x\n\n",
    "data: [DONE]\n\n",
    "data:[DONE]\r\n\r\n",
    "error: slow\n\n",
    "event: error\ndata: {\"message\":\"slow\"}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
    "event: message_stop\ndata: {}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{\"object\":\"response\",\"status\":\"completed\"}}\n\n",
    "data: {\"type\":\"error\",\"message\":\"slow\"}\n\n",
    "data: {\n\n",
];

fn body() -> impl Strategy<Value = Vec<u8>> {
    let fragment =
        prop_oneof![4 => proptest::sample::select(FRAGMENTS).prop_map(str::to_owned), 1 => "\\PC{0,6}"];
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        proptest::collection::vec(fragment, 0..40).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

fn dialect() -> impl Strategy<Value = Dialect> {
    prop_oneof![Just(Dialect::Chat), Just(Dialect::Responses), Just(Dialect::Messages)]
}

/// A key as headers can carry it.
fn key() -> impl Strategy<Value = String> {
    prop_oneof!["[!-~]{8,40}", "sk-[a-zA-Z0-9_-]{8,40}", "[\"\\\\/]{8,12}"]
}

fn ends(words: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(proptest::sample::select(words), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn reading_ends_whatever_comes(
        body in body(),
        status in prop_oneof![4 => Just(200), 1 => any::<u16>()],
        kind in prop_oneof![Just("application/json"), Just("text/event-stream"), Just("")],
        dialect in dialect(),
        flags in any::<(bool, bool, bool)>(),
    ) {
        let received = Received { status, ..typed(kind, body) };
        let result = read_as(dialect, &received, |reading| {
            (reading.stream, reading.strict, reading.answer_from_reasoning) = flags;
        });
        match result {
            Ok(told) => prop_assert!(status == 200 && (told.text.is_some() || !told.calls.is_empty())),
            Err(failed) => {
                let shown = format!("{failed:?}");
                prop_assert!(!failed.message.is_empty() && !shown.contains(KEY));
            }
        }
    }

    #[test]
    fn where_a_stream_is_over_the_rest_changes_nothing(
        pieces in proptest::collection::vec(proptest::sample::select(EVENTS), 0..12),
        cuts in proptest::collection::vec(1..40_usize, 1..20),
        dialect in dialect(),
    ) {
        let body = pieces.concat();
        let mut watch = Watch::new(dialect);
        let (mut rest, mut sizes) = (body.as_bytes(), cuts.iter().cycle());
        while let (false, Some(size)) = (rest.is_empty(), sizes.next()) {
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            rest = after;
            if watch.push(piece, 1 << 20) {
                break;
            }
        }
        let seen = &body.as_bytes()[..body.len() - rest.len()];
        let judge = |bytes: &[u8]| {
            let result = read_as(dialect, &typed("text/event-stream", bytes), |_| {});
            result.map(|told| (told.text, told.finish)).map_err(|failed| failed.class)
        };
        prop_assert_eq!(judge(seen), judge(body.as_bytes()));
    }

    #[test]
    fn nothing_is_an_answer_after_its_end_by_length_or_filter(
        words in "[a-z{}]{1,10}",
        finish in proptest::sample::select(&["\"length\"", "\"content_filter\"", "\"max_tokens\""][..]),
        before in ends(&["null", "\"stop\"", "\"tool_calls\"", "\"\""]),
        after in ends(&["null", "\"stop\"", "\"eos\"", "\"\""]),
        tail in body(),
        whole in any::<bool>(),
    ) {
        let ends: Vec<&str> = before.into_iter().chain([finish]).chain(after).collect();
        let said = format!(r#"{{"content":"{words}"}}"#);
        let received = if whole {
            // A key that stands again and again: some reader takes each of them.
            let ends: Vec<String> = ends.iter().map(|end| format!("\"finish_reason\":{end}")).collect();
            json_of(format!(r#"{{"choices":[{{"message":{said},{}}}]}}"#, ends.join(",")))
        } else {
            let events = ends.iter().map(|end| format!("data: {}\n\n", delta(&said, end)).into_bytes());
            let mut events = events.collect::<Vec<_>>().concat();
            events.extend(&tail);
            events.extend(b"\n\ndata: [DONE]\n\n");
            typed("text/event-stream", events)
        };
        for strict in [false, true] {
            let result = read_as(Dialect::Chat, &received, |reading| reading.strict = strict);
            let failed = result.expect_err("it was cut or held back");
            let is_final = matches!(failed.class, Class::Truncated | Class::Filtered | Class::Protocol);
            prop_assert!(is_final && !failed.retryable, "{failed:?}");
        }
    }

    #[test]
    fn no_failure_shows_the_key(
        key in key(),
        status in proptest::sample::select(&[200, 204, 302, 400, 401, 404, 429, 500][..]),
        shape in 0..8_usize,
        pad in 0..2100_usize,
    ) {
        let mut quoted = Vec::new();
        json::write_string(&mut quoted, &key);
        let quoted = String::from_utf8(quoted).unwrap();
        let pad = "x".repeat(pad);
        let body = match shape {
            0 => format!(r#"{{"error":{{"message":{quoted},"type":{quoted},"code":{quoted},"param":{quoted}}}}}"#),
            1 => format!(r#"{{"error":{quoted}}}"#),
            2 => format!("{pad}{key}{key}"),
            3 => format!("<html>{pad}{key}"),
            4 => format!(r#"{{"detail":[{{"loc":[{quoted}],"msg":{quoted}}}]}}"#),
            5 => format!(r#"{{"choices":null,{quoted}:1,"pad":"{pad}","k":{quoted}}}"#),
            6 => format!(
                r#"{{"choices":[{{"message":{{"refusal":{quoted},"content":{quoted}}},"finish_reason":{quoted}}}]}}"#
            ),
            _ => format!("data: {{\"error\":{quoted}}}\n\n"),
        };
        let secret = Secret::new(key.clone());
        let mask = Mask::new(Some(&secret));
        let header = |name: &str| (name.to_owned(), key.clone().into_bytes());
        let headers = vec![header("content-type"), header("x-request-id")];
        let received = Received { status, headers, body: body.into_bytes(), ..Received::default() };
        let url = format!("https://h/{key}");
        let reading = Reading {
            dialect: Dialect::Chat,
            url: &url,
            mask: &mask,
            stream: false,
            strict: false,
            answer_from_reasoning: false,
            empty_is_answer: false,
            sent: 0,
            bytes_per_token: None,
        };
        if let Err(failed) = read(&received, &reading) {
            let Failed { message, kind, code, param, request_id, body, text, finish, .. } = *failed;
            for text in [Some(message), kind, code, param, request_id, body, text, finish].into_iter().flatten() {
                prop_assert!(!text.contains(&key), "{text}");
            }
        }
    }
}
