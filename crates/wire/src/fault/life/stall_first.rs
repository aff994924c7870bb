//! The head of an answer, then nothing.

use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "stall-first",
    group: Group::Life,
    summary: "status and headers, then silence: the connection stays open",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "stall-first", "text": "hello"}"#,
    reports: &["moonbitlang/openseek#343"],
    right_reaction: "left after a time limit of the client's own; a bounded number of retries, as nothing was shown, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, _: &Given<'_>) -> bool {
    flow.cut(0);
    flow.end = End::Silent;
    true
}
