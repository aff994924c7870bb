//! No space behind the colon of a field.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-no-space",
    group: Group::Framing,
    summary: "`data:{...}` in the place of `data: {...}`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-no-space", "text": "hello"}"#,
    reports: &["dataelement/Clawith#106", "kubernetes-sigs/inference-perf#781"],
    right_reaction: "the space is optional: the answer is the same",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(|events, given| without_spaces(events, given))],
};

fn without_spaces(events: &mut [Event], given: &Given<'_>) -> bool {
    let breaks = given.sse();
    for event in events.iter_mut().filter(|_| breaks) {
        let lines = event.before.split_inclusive(['\r', '\n']);
        event.before =
            lines.map(|line| line.replacen(": ", ":", usize::from(!line.starts_with(':')))).collect();
    }
    breaks
}
