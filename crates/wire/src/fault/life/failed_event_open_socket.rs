//! A stream says that it failed, but stays open.

use super::AT;
use super::failing::{SERVER_ERROR, fail};
use crate::fault::{Arrives, Dialects, End, Event, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "failed-event-open-socket",
    group: Group::Life,
    summary: "an error as an event in the dialect's form, then neither the end of the body nor FIN",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": "failed-event-open-socket", "text": "hello"}"#,
    reports: &["openai/codex#43140"],
    right_reaction: "the error is acted on when its event arrives, and shown as it was said, not as a time limit that passed later",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(documents), Work::End(end)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    fail(events, given, &AT, &SERVER_ERROR)
}

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    if given.stream {
        flow.end = End::Silent;
    }
    given.stream
}
