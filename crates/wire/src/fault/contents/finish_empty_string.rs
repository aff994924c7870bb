//! The finish reason is an empty text where it is null else, and in a whole body.

use super::REASONS;
use crate::fault::places::everywhere;
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};

/// Of the Messages API the event that ends a stream keeps its reason.
const PLACES: &[&str] =
    &["/choices/*/finish_reason", "/message/stop_reason", "/stop_reason", "/candidates/*/finishReason"];

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-empty-string",
    group: Group::Contents,
    summary: "the reason is an empty text: in a stream wherever it is null else, in a whole body where the reason stands",
    dialects: REASONS,
    params: &[],
    example: r#"{"fault": "finish-empty-string", "text": "hello"}"#,
    reports: &["BerriAI/litellm#20732"],
    right_reaction: "an empty reason is as none: a stream goes on, a body is an answer",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    everywhere(events, PLACES, |reason| {
        let is_open = reason.value.is_null() || !given.stream;
        if is_open { reason.put("\"\"") } else { None }
    })
}
