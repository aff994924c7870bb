//! What the Messages API says of calls and results that do not pair; the same walk as the gate's.

use super::pairing::{Break, Fault, first_break};
use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::turn::Role;

pub(super) const ROW: Rule = Rule {
    name: "messages-results",
    summary: "tool_use without tool_result, tool_result without tool_use",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(Break { index, fault }) = first_break(asked.turn, |_| true) else { return Ok(()) };
    let (index, place, sentence) = match fault {
        Fault::Orphan(id) | Fault::UnknownId(id) => (
            index,
            "content",
            format!(
                "unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
                 corresponding `tool_use` block in the previous message."
            ),
        ),
        Fault::AnsweredTwice(id) => (
            index,
            "content",
            format!(
                "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
            ),
        ),
        Fault::Unanswered(ids) => (
            caller(asked, ids.first().copied()).unwrap_or(index),
            "",
            format!(
                "`tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block \
                 must have a corresponding `tool_result` block in the next message.",
                ids.join(", ")
            ),
        ),
    };
    let (dot, slash) = if place.is_empty() { ("", "") } else { (".", "/") };
    let message = format!("messages.{index}{dot}{place}: {sentence}");
    Err(say::api(None, None, format!("/messages/{index}{slash}{place}"), message))
}

/// The message that made a call.
fn caller(asked: &Asked<'_>, id: Option<&str>) -> Option<usize> {
    let mut turns = asked.turn.messages.iter().rev().filter(|message| message.role == Role::Assistant);
    turns.find(|message| message.calls.iter().any(|call| Some(&*call.id) == id)).map(|message| message.index)
}
