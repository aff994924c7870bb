//! Every line of a stream ends with CR LF.

use super::end_lines;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-crlf",
    group: Group::Framing,
    summary: "every line of the stream ends with CR LF, every event with CR LF CR LF",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-crlf", "text": "hello"}"#,
    reports: &[
        "miruamel/xuan#194",
        "hey-api/hey-api#3054",
        "Continuum-AI-Corp/OrcaRouter-Lite#98",
        "kubernetes-sigs/inference-perf#781",
    ],
    right_reaction: "LF, CR LF and CR are all line ends: the answer is the same",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(|events, given| end_lines(events, given, "\r\n"))],
};
