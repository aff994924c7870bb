//! JSON mode wants the word in the input, else a model may send white space without end.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "responses-json-word",
    summary: "text.format json_object without the word json in input or instructions",
    codes: &["null"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi","text":{"format":{"type":"json_object"}}}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let kind = asked.top("text").and_then(|text| text.get("format")?.get("type"));
    // What the server keeps may hold the word.
    if !kind.is_some_and(|kind| kind.is_str("json_object")) || asked.turn.kept.is_some() {
        return Ok(());
    }
    const WORD: &[u8] = b"json";
    let has_word = |key| {
        let text = asked.top(key).map_or("", |value| value.text());
        text.as_bytes().windows(WORD.len()).any(|window| window.eq_ignore_ascii_case(WORD))
    };
    if ["input", "instructions", "prompt", "conversation"].into_iter().any(has_word) {
        return Ok(());
    }
    let message = "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
    Err(say::api(None, Some("input".to_owned()), "/input", message))
}
