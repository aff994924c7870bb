//! An answer falls silent.

use super::{AT, whole_until};
use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "stall-mid",
    group: Group::Life,
    summary: "so much of the answer arrives, of a stream whole events only, then silence: the connection stays open",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": {"name": "stall-mid", "at": "chunk 2"}, "text": "hello"}"#,
    reports: &["HybridAIOne/hybridclaw#1288", "openai/codex#3229", "vm0-ai/vm0#34460"],
    right_reaction: "left after a time limit for silence; what was shown is not asked for again as if it had not been; then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    let at = given.params.place(&AT, flow);
    flow.cut(if given.stream { whole_until(flow, given, at) } else { at });
    flow.end = End::Silent;
    true
}
