//! Behind each piece of a stream come pieces that say nothing.

use crate::fault::places::{everywhere, followed};
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};
use crate::json::{Value, edit, parse};
use crate::reply::Framing;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "zero-delta",
    group: Group::Contents,
    summary: "behind each piece of a stream come more that say nothing: an empty delta, null or empty content",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "zero-delta", "text": "hello"}"#,
    reports: &[],
    right_reaction: "what says nothing has no effect",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

/// Where a piece of a stream stands that says something.
const PIECES: &[&str] = &[
    "/delta",
    "/delta/text",
    "/delta/thinking",
    "/delta/partial_json",
    "/candidates/*/content/parts/*/text",
    "/choices/*/text",
    "/message/content",
    "/message/thinking",
    "/response",
    "/thinking",
];

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    given.stream
        && given.envelope.framing == Framing::Events
        && followed(events, |event| nothing(event, given))
}

/// Pieces in the form of this one that say nothing.
fn nothing(piece: &Event, given: &Given<'_>) -> Vec<String> {
    let Ok(tape) = parse(piece.data.as_bytes()) else { return Vec::new() };
    let at = |pointer| tape.root().at(pointer);
    if at("/choices/0/delta").is_some() && at("/choices/0/finish_reason").is_some_and(Value::is_null) {
        // An empty content is words, and a reply of calls alone has none.
        let words = given.reply.text.is_some().then_some(r#"{"content":""}"#);
        let silent = edit::set(&piece.data, "/choices/0", "logprobs", "null").unwrap_or_default();
        let deltas = ["{}", r#"{"content":null}"#].into_iter().chain(words);
        return deltas.filter_map(|delta| edit::replace(&silent, "/choices/0/delta", delta)).collect();
    }
    let mut empty = [piece.clone()];
    let ends = at("/candidates/0/finishReason").is_some();
    let is_piece =
        !ends && everywhere(&mut empty, PIECES, |text| text.value.as_str().and_then(|_| text.put("\"\"")));
    empty.into_iter().filter(|_| is_piece).map(|event| event.data).collect()
}
