//! Every line of a stream ends with CR LF.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

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
    works: &[Work::Lines(lines)],
};

fn lines(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    if !given.stream {
        return false;
    }
    for event in events {
        event.before = event.before.replace('\n', "\r\n");
        event.after = event.after.replace('\n', "\r\n");
    }
    true
}
