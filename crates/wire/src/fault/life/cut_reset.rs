//! The connection is reset inside a stream.

use super::AT;
use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "cut-reset",
    group: Group::Life,
    summary: "so much of the stream arrives, then the connection is reset",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": "cut-reset", "text": "hello"}"#,
    reports: &[],
    right_reaction: "a transport error under the name that the client has for it: a bounded number of retries while nothing was shown, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    if given.stream {
        flow.cut(given.params.place(&AT, flow));
        flow.end = End::Reset;
    }
    given.stream
}
