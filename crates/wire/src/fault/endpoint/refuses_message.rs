//! Messages that an endpoint does not take: roles, their order, and how their contents are written.

use super::{has, is_of, messages, refuses, refusing};
use crate::fault::{Answer, Fault, Given, Work};
use crate::json::{Kind, Value};

pub(in crate::fault) const SYSTEM: Fault = refusing(
    "refuses-system-role",
    "400 where a message has the role `system` or `developer`",
    r#"{"fault": "refuses-system-role", "text": "hello"}"#,
    &["microsoft/autogen#1037", "anomalyco/opencode#5034", "suitenumerique/conversations#197"],
    &[Work::Answer(|answer, given| {
        let finds = |request: Value<'_>| {
            messages(request).any(|message| is_of(message, "system") || is_of(message, "developer"))
        };
        let message = "Unsupported value: 'messages[0].role' does not support 'system' with this model.";
        refuses(answer, given, finds, "messages[0].role", "unsupported_value", message)
    })],
);

pub(in crate::fault) const PARTS: Fault = refusing(
    "refuses-content-parts",
    "400 where the content of a message is a list of parts",
    r#"{"fault": "refuses-content-parts", "text": "hello"}"#,
    &["qualcomm/GenieX#683", "infiniflow/ragflow#15359"],
    &[Work::Answer(|answer, given| {
        let is_list =
            |message: Value<'_>| message.get("content").is_some_and(|content| content.kind() == Kind::Array);
        let message = "Invalid type for 'messages[0].content': expected a string, but got an array instead.";
        let finds = |request: Value<'_>| messages(request).any(is_list);
        refuses(answer, given, finds, "messages[0].content", "invalid_type", message)
    })],
);

pub(in crate::fault) const ALTERNATE: Fault = refusing(
    "roles-must-alternate",
    "400 where user and assistant do not take turns",
    r#"{"fault": "roles-must-alternate", "text": "hello"}"#,
    &["vllm-project/vllm#6862", "EricLBuehler/mistral.rs#506"],
    &[Work::Answer(|answer, given| {
        let message = "Conversation roles must alternate user/assistant/user/assistant/...";
        refuses(answer, given, repeats, "messages", "invalid_request_error", message)
    })],
);

pub(in crate::fault) const REASONING: Fault = Fault {
    right_reaction: "what the model thought goes back as it came, as `reasoning_content`",
    ..refusing(
        "wants-reasoning-back",
        "400 where an earlier answer comes back without its `reasoning_content`",
        r#"{"fault": "wants-reasoning-back", "text": "hello"}"#,
        &["charmbracelet/crush#2754", "HKUDS/nanobot#946", "Oaklight/llm-rosetta#356"],
        &[Work::Answer(reasoning)],
    )
};

/// Whether a user speaks twice in a row, or an assistant does.
fn repeats(request: Value<'_>) -> bool {
    let said: Vec<Value<'_>> = messages(request).collect();
    let both = |two: &[Value<'_>], role| two.iter().all(|message| is_of(*message, role));
    said.windows(2).any(|two| both(two, "user") || both(two, "assistant"))
}

fn reasoning(answer: &mut Answer, given: &Given<'_>) -> bool {
    let lacks = |message: Value<'_>| is_of(message, "assistant") && !has(message, "reasoning_content");
    let message = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let finds = |request: Value<'_>| messages(request).any(lacks);
    refuses(answer, given, finds, "messages", "invalid_request_error", message)
}
