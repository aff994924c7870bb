//! A stream ends early, inside the arguments of a call.

use super::document_ends;
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
    let (bytes, ends) = (flow.bytes(), document_ends(flow, given));
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let documents = starts.zip(&ends).map(|(start, end)| (start, &bytes[start..*end]));
    // The pieces of one call follow each other, but for comments; other documents stand between two calls.
    let documents =
        documents.filter(|(_, document)| !given.sse() || first_of(document, &[b"data:"]).is_some());
    let carries = |(_, document): &(usize, &[u8])| first_of(document, PIECES).is_some();
    let pieces: Vec<usize> = documents
        .skip_while(|document| !carries(document))
        .take_while(carries)
        .map(|(start, _)| start)
        .collect();
    let inside = match (pieces.get(pieces.len() / 2), first_of(&bytes, WHOLE)) {
        (Some(start), _) => *start,
        (None, Some(place)) => place + WHOLE[0].len() + call.arguments.len() / 2,
        (None, None) => return false,
    };
    flow.cut(inside);
    flow.end = End::Told;
    true
}

/// Where the first of these words begins.
fn first_of(bytes: &[u8], words: &[&[u8]]) -> Option<usize> {
    (0..bytes.len()).find(|&at| words.iter().any(|word| bytes[at..].starts_with(word)))
}
