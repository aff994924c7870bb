//! The word that ends a stream is not the one of the dialect.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "done-as-json",
    group: Group::Framing,
    summary: "`data: DONE` in the place of `data: [DONE]`; `data: [DONE]` at the end of a dialect that has no such event",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "done-as-json", "text": "hello"}"#,
    reports: &["openclaw/openclaw#71514", "googleapis/java-genai#1084"],
    right_reaction: "taken as the end",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let breaks = given.sse();
    match events.iter_mut().find(|event| event.data == "[DONE]") {
        Some(event) if breaks => "DONE".clone_into(&mut event.data),
        None if breaks => events.push(Event::data("[DONE]")),
        Some(_) | None => {}
    }
    breaks
}
