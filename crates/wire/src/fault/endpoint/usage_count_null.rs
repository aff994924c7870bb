//! The usage is there, and one of its counts is null.

use crate::fault::places::everywhere;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "usage-count-null",
    group: Group::Endpoint,
    summary: "the usage is there, but the tokens of the answer are null",
    dialects: Dialects::Only(&[
        "openai-chat",
        "openai-completions",
        "openai-responses",
        "anthropic-messages",
    ]),
    params: &[],
    example: r#"{"fault": "usage-count-null", "text": "hello"}"#,
    reports: &["headroomlabs-ai/headroom#2431"],
    right_reaction: "that count is unknown, not zero; the answer is used",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| {
        everywhere(
            events,
            &["/usage/completion_tokens", "/usage/output_tokens", "/response/usage/output_tokens"],
            |count| count.put("null"),
        )
    })],
};
