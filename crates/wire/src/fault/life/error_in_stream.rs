//! An error inside a stream that began with 200.

use super::AT;
use super::failing::{SERVER_ERROR, fail};
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "error-in-stream",
    group: Group::Life,
    summary: "so much of the stream arrives, then an error as an event in the dialect's form, then the end",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": {"name": "error-in-stream", "at": "chunk 3"}, "text": "hello"}"#,
    reports: &["lsdefine/GenericAgent#753", "dwmkerr/mock-llm#50", "openai/openai-node#364"],
    right_reaction: "raised with the provider's type and message; a bounded number of retries while nothing was shown",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    fail(events, given, &AT, &SERVER_ERROR)
}
