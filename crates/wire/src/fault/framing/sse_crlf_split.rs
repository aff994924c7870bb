//! CR and LF of one line end arrive apart.

use super::{APART, WAIT, end_lines, part_at};
use crate::fault::{Arrives, Dialects, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-crlf-split",
    group: Group::Framing,
    summary: "lines end with CR LF, and a chunk ends between the two",
    dialects: Dialects::All,
    params: &[WAIT, APART],
    example: r#"{"fault": "sse-crlf-split", "text": "hello"}"#,
    reports: &["openai/openai-node#2309", "kubernetes-sigs/inference-perf#781"],
    right_reaction: "CR LF is one line end however it arrives: no blank line comes of it",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(|events, given| end_lines(events, given, "\r\n")), Work::Pieces(pieces)],
};

fn pieces(flow: &mut Flow, given: &Given<'_>) -> bool {
    let bytes = flow.bytes();
    let ends = (1..bytes.len()).filter(|&at| bytes[at - 1] == b'\r' && bytes[at] == b'\n');
    given.stream && part_at(flow, given, ends)
}
