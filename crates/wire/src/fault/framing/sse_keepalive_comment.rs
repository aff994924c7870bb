//! A comment stands before every event of a stream, as servers and gateways send them to keep a connection.

use super::before_each;
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};

const COMMENT: Param = Param {
    name: "comment",
    kind: ParamKind::Text,
    default: "\"ping\"",
    doc: "what the comment says; empty: the bare colon of llama.cpp",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-keepalive-comment",
    group: Group::Framing,
    summary: "a comment line and a blank line before every event, the first one too",
    dialects: Dialects::All,
    params: &[COMMENT],
    example: r#"{"fault": {"name": "sse-keepalive-comment", "comment": "OPENROUTER PROCESSING"}, "text": "hello"}"#,
    reports: &[
        "theopenco/llmgateway#2334",
        "openai/openai-python#2722",
        "mckinsey/agents-at-scale-ark#2519",
        "mistralai/mistral-vibe#774",
        "tmc/langchaingo#631",
        "justlovemaki/AIClient2API#695",
        "a2aproject/a2a-python#540",
        "ggml-org/llama.cpp#24013",
    ],
    right_reaction: "comments are passed over, and an event without data lines is none",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(lines)],
};

fn lines(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let comment = given.params.text(&COMMENT).replace(['\r', '\n'], " ");
    let space = if comment.is_empty() { "" } else { " " };
    before_each(events, given, &format!(":{space}{comment}\n\n"))
}
