//! A thought that we sent comes back as it was: its signature says so. While a request thinks with a budget, it also stands
//! before the calls of the turn that goes on.

use super::{Asked, Check, Example, Issued, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::dialect::anthropic_messages::thought;
use crate::json::Value;
use crate::turn::{KEPT, Role};

pub(super) const ROW: Rule = Rule {
    name: "messages-thinking-whole",
    summary: "a thinking block of ours that comes back changed, or not at all before the calls of the last turn",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"other","signature":"gate-thinking-0"}]},{"role":"user","content":"on"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    missing(asked)?;
    for (index, message) in asked.top("messages").into_iter().flat_map(Value::items).enumerate() {
        let content = message.get("content").into_iter().flat_map(Value::items);
        for (at, block) in content.enumerate() {
            if block.get("type").is_some_and(|kind| kind.is_str("thinking")) && !is_whole(block) {
                let what = format!("messages.{index}.content.{at}: Invalid `signature` in `thinking` block");
                return Err(say::api(None, None, format!("/messages/{index}/content/{at}"), what));
            }
        }
    }
    Ok(())
}

/// Only the last turn of the model counts, and only where its own thought is missing.
fn missing(asked: &Asked<'_>) -> Verdict {
    let thinking = asked.top("thinking").and_then(|thinking| thinking.get("type"));
    let turns = asked.turn.messages.iter().rev();
    let last = turns.clone().find(|message| message.role == Role::Assistant && message.index != KEPT);
    let Some(turn) = last.filter(|_| thinking.is_some_and(|kind| kind.is_str("enabled"))) else {
        return Ok(());
    };
    let thought = turn.calls.iter().any(|call| match asked.script.issued(&call.id) {
        Issued::Call { step, ours: true, .. } => asked.script.thinking_of_step(step).is_some(),
        Issued::Call { .. } | Issued::Foreign | Issued::Never(_) => false,
    });
    let place = format!("/messages/{}/content/0", turn.index);
    let first = asked.tape.root().at(&place).and_then(|block| block.get("type")).and_then(Value::as_str);
    match first.as_deref() {
        Some("thinking" | "redacted_thinking") | None => Ok(()),
        Some(_) if !thought => Ok(()),
        Some(found) => {
            let index = turn.index;
            let what = format!(
                "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When \
                 `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the \
                 lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from \
                 previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at \
                 https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
            );
            Err(say::api(None, None, place + "/type", what))
        }
    }
}

fn is_whole(block: Value<'_>) -> bool {
    let text = |key| block.get(key).and_then(Value::as_str);
    let Some(signature) = text("signature").filter(|signature| thought::is_ours(signature)) else {
        return true;
    };
    text("thinking").is_none_or(|thinking| thought::is_whole(&thinking, &signature))
}
