//! How a message is heard, whole and event by event.

use super::super::heard::{Draft, Hearing, compact, words};
use crate::json::{Kind, Value};
use crate::reply::Reply;

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &[] };

fn take(draft: &mut Draft, document: Value<'_>, event: &str) -> bool {
    let kind = words(document.get("type")).unwrap_or_else(|| event.to_owned());
    let index = document.get("index").and_then(Value::as_i64);
    match kind.as_str() {
        "message" => message(draft, document),
        "message_start" => document.get("message").into_iter().for_each(|start| message(draft, start)),
        "content_block_start" => {
            document.get("content_block").into_iter().for_each(|start| block(draft, index, start));
        }
        "content_block_delta" => {
            document.get("delta").into_iter().for_each(|piece| delta(draft, index, piece))
        }
        "message_delta" => {
            document.get("delta").into_iter().for_each(|end| stopped(draft, end));
            usage(draft, document.get("usage"));
        }
        "message_stop" => draft.close(),
        "content_block_stop" | "ping" => {}
        _ => return false,
    }
    true
}

fn message(draft: &mut Draft, message: Value<'_>) {
    draft.names(message, "id", "model");
    let blocks = message.get("content").into_iter().flat_map(Value::items);
    blocks.for_each(|whole| block(draft, None, whole));
    stopped(draft, message);
    usage(draft, message.get("usage"));
}

fn block(draft: &mut Draft, index: Option<i64>, block: Value<'_>) {
    let text = |key| words(block.get(key)).unwrap_or_default();
    match block.get("type").and_then(Value::as_str).as_deref() {
        Some("text") => draft.block(&text("text")),
        Some("thinking") => draft.thinking(&text("thinking")),
        Some("tool_use") => {
            let at = draft.begin(index);
            let part = draft.part(Some(at));
            (part.call.id, part.call.name) = (text("id"), text("name"));
            // A stream begins with an empty input, whose pieces follow; a tool without parameters gets none.
            let input = block.get("input").filter(|input| input.kind() == Kind::Object);
            part.whole = Some(input.map_or_else(|| "{}".to_owned(), compact));
        }
        kind => draft.left_out("A block", kind.unwrap_or("unknown")),
    }
}

fn delta(draft: &mut Draft, index: Option<i64>, delta: Value<'_>) {
    let text = |key| words(delta.get(key)).unwrap_or_default();
    match delta.get("type").and_then(Value::as_str).as_deref() {
        Some("text_delta") => draft.block(&text("text")),
        Some("thinking_delta") => draft.thinking(&text("thinking")),
        Some("input_json_delta") => {
            // Tools that the provider runs itself have pieces, too.
            if let Some(at) = draft.by_index(index) {
                draft.part(Some(at)).arguments(delta.get("partial_json"));
            }
        }
        Some("signature_delta" | "citations_delta") => {}
        kind => draft.left_out("A piece of a block", kind.unwrap_or("unknown")),
    }
}

fn stopped(draft: &mut Draft, end: Value<'_>) {
    draft.ended(end.get("stop_reason"));
    draft.refusal(&words(end.at("/stop_details/explanation")).unwrap_or_default());
}

/// The tokens that were read include those that went through a cache.
fn usage(draft: &mut Draft, usage: Option<Value<'_>>) {
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    // The end of a stream may tell of a part of them alone; then the beginning has told all.
    let tells = usage.is_some_and(|usage| usage.get("input_tokens").is_some_and(|tokens| !tokens.is_null()));
    draft.usage(usage, if tells { &read } else { &[] }, &["output_tokens"]);
}

fn finish(word: &str, reply: &Reply) -> Option<String> {
    let follows = match (reply.refusal.is_some(), reply.calls.is_empty()) {
        (true, _) => "refusal",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    };
    let said = match word {
        _ if word == follows => return None,
        "end_turn" => "stop",
        "max_tokens" => "length",
        "tool_use" => "tool_calls",
        "refusal" => "content_filter",
        // A word of this API itself.
        word => word,
    };
    Some(said.to_owned())
}
