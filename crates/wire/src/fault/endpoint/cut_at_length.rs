//! The words are cut at the limit of tokens.

use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "cut-at-length",
    group: Group::Endpoint,
    summary: "half of the words, and the reason is `length`",
    dialects: Dialects::Only(&["openai-chat", "openai-completions", "anthropic-messages"]),
    params: &[],
    example: r#"{"fault": "cut-at-length", "text": "hello"}"#,
    reports: &[
        "TanStack/ai#1426",
        "mastra-ai/mastra#24442",
        "browser-use/browser-use#5148",
        "567-labs/instructor#276",
        "agent0ai/agent-zero#1836",
    ],
    right_reaction: "a cut answer is none, whatever can be read of it; the limit is raised once, or the work fails clearly",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: true,
    works: &[Work::Words(|reply, _| {
        let Some(text) = reply.text.as_mut().filter(|text| text.len() > 1) else { return false };
        let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        if !reply.calls.is_empty() || half == 0 {
            return false;
        }
        text.truncate(half);
        reply.finish = Some("length".to_owned());
        true
    })],
};
