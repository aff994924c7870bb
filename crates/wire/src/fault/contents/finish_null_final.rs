//! A whole body that does not say why it ended.

use super::REASONS;
use crate::fault::places::everywhere;
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-null-final",
    group: Group::Contents,
    summary: "a plain answer whose reason is null",
    dialects: REASONS,
    params: &[],
    example: r#"{"fault": "finish-null-final", "text": "hello"}"#,
    reports: &["openai/openai-openapi#20"],
    right_reaction: "the answer is whole, for its body is",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, given| {
        !given.stream
            && everywhere(
                events,
                &["/choices/*/finish_reason", "/stop_reason", "/candidates/*/finishReason"],
                |reason| reason.put("null"),
            )
    })],
};
