//! A refusal beside a content that is empty instead of null.

use super::{REFUSAL, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "refusal-empty-content",
    group: Group::Contents,
    summary: "a refusal beside empty content, no calls",
    dialects: Dialects::Only(&["openai-chat", "openai-responses"]),
    params: &[REFUSAL],
    example: r#"{"fault": "refusal-empty-content", "text": "hello"}"#,
    reports: &["openai/openai-agents-js#1495", "openai/openai-agents-js#1686"],
    right_reaction: "the refusal counts, not the empty words",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: true,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    refuse(reply, params.text(&REFUSAL), Some(""))
}
