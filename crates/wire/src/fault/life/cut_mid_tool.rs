//! A stream ends early, inside the arguments of a call.

use super::whole_until;
use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "cut-mid-tool",
    group: Group::Life,
    summary: "half of the pieces of the first call's arguments arrive, then the body ends as HTTP demands and FIN follows",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "cut-mid-tool", "tool_calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}"#,
    reports: &["CommandCodeAI/command-code#785", "brightwave-inc/tidebreak#1278"],
    right_reaction: "the call is thrown away: arguments that arrived in part are never executed; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

/// What only those documents hold that carry a piece of a call's arguments.
const PIECES: &[&[u8]] = &[
    b"\"function\":{\"arguments\":",
    b"\"function_call\":{\"arguments\":",
    b"\"response.function_call_arguments.delta\"",
    b"\"response.custom_tool_call_input.delta\"",
    b"\"partial_json\"",
];

/// What stands before the arguments of a call where they come whole.
const WHOLE: &[&[u8]] = &[b"\"args\":{", b"\"arguments\":{"];

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    let Some(call) = given.reply.calls.first().filter(|_| given.stream) else { return false };
    let bytes = flow.bytes();
    let pieces = call.arguments.chars().count().div_ceil(given.envelope.piece.max(1));
    let inside = match (places(&bytes, PIECES).nth(pieces / 2), places(&bytes, WHOLE).next()) {
        (Some(place), _) => whole_until(flow, given, place),
        (None, Some(place)) => place + WHOLE[0].len() + call.arguments.len() / 2,
        (None, None) => return false,
    };
    flow.cut(inside);
    flow.end = End::Told;
    true
}

/// Where any of these words begins.
fn places(bytes: &[u8], words: &'static [&'static [u8]]) -> impl Iterator<Item = usize> {
    (0..bytes.len()).filter(move |&at| words.iter().any(|word| bytes[at..].starts_with(word)))
}
