//! Every line of a stream ends with CR alone.

use super::end_lines;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-cr-only",
    group: Group::Framing,
    summary: "every line of the stream ends with CR alone, every event with CR CR",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-cr-only", "text": "hello"}"#,
    reports: &["EdamAme-x/pentect#1438", "openai/openai-node#2309"],
    right_reaction: "LF, CR LF and CR are all line ends: the answer is the same, and no event waits for one more byte",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(|events, given| end_lines(events, given, "\r"))],
};
