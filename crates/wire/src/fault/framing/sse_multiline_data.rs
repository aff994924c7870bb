//! The data of an event stands in two lines.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};
use crate::json::parse;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-multiline-data",
    group: Group::Framing,
    summary: "every JSON of two members or more stands in two `data:` lines, parted behind a comma",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-multiline-data", "text": "hello"}"#,
    reports: &["kubernetes-sigs/inference-perf#781"],
    right_reaction: "the data lines of an event are joined by LF, which is white space in JSON",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(lines)],
};

fn lines(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let mut broke = false;
    if given.sse() {
        for event in events {
            if let Some(at) = second_member(&event.data) {
                let rest = event.data.split_off(at);
                event.before.push_str(&std::mem::replace(&mut event.data, rest));
                event.before.push_str("\ndata: ");
                broke = true;
            }
        }
    }
    broke
}

/// Where the second member of an object begins.
fn second_member(text: &str) -> Option<usize> {
    let tape = parse(text.as_bytes()).ok()?;
    tape.root().entries().nth(1).map(|(key, _)| key.offset())
}
