//! The choices are null, and no error says why.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "choices-null",
    group: Group::Endpoint,
    summary: "`choices` is null in the body, or in every chunk of the stream",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "choices-null", "text": "hello"}"#,
    reports: &["langchain-ai/langchain#35236"],
    right_reaction: "an error of its own kind that says what is missing; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(|events, _| everywhere(events, &["/choices"], |choices| choices.put("null")))],
};
