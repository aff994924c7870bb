//! The connection closes before the promised end of the body.

use super::{AT, document_ends};
use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "cut-mid-json",
    group: Group::Life,
    summary: "FIN inside a document: fewer bytes than the `content-length` says, or no last chunk",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": "cut-mid-json", "text": "hello"}"#,
    reports: &[],
    right_reaction: "an error, whatever the bytes so far can be read as; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    let at = given.params.place(&AT, flow);
    let inside = if given.stream {
        let ends = document_ends(flow, given);
        let start = ends.iter().copied().take_while(|end| *end <= at).last().unwrap_or(0);
        start.midpoint(ends.into_iter().find(|end| *end > at).unwrap_or(at))
    } else {
        at
    };
    flow.cut(inside);
    flow.end = End::Fin;
    true
}
