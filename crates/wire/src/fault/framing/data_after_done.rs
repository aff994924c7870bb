//! Something follows the end of a stream.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "data-after-done",
    group: Group::Framing,
    summary: "a document from the middle of the stream comes once more behind the last event",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "data-after-done", "text": "hello"}"#,
    reports: &[],
    right_reaction: "what follows the last event is passed over",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let object = events.iter().take(events.len() / 2 + 1).rev().find(|event| event.data.ends_with('}'));
    let Some(again) = object.filter(|_| given.sse()).cloned() else { return false };
    events.push(again);
    true
}
