//! How a chat answer is heard, whole and in lines. Calls come whole, and had no ids in older versions.

use super::super::heard::{Draft, Hearing, words};
use crate::json::{Kind, Value};
use crate::reply::Reply;

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &[] };

fn take(draft: &mut Draft, document: Value<'_>, _: &str) -> bool {
    ending(draft, document);
    let Some(message) = document.get("message").filter(|message| message.kind() == Kind::Object) else {
        return document.get("done").is_some();
    };
    draft.thinking(&words(message.get("thinking")).unwrap_or_default());
    draft.block(&words(message.get("content")).unwrap_or_default());
    message.get("tool_calls").into_iter().flat_map(Value::items).for_each(|made| call(draft, made));
    true
}

fn call(draft: &mut Draft, made: Value<'_>) {
    let name = words(made.at("/function/name")).unwrap_or_default();
    let id = words(made.get("id"));
    let id = id.unwrap_or_else(|| format!("{name} (tool_calls[{}])", draft.calls()));
    let part = draft.part(None);
    (part.call.id, part.call.name) = (id, name);
    part.whole = Some("{}".to_owned());
    part.arguments(made.at("/function/arguments"));
}

/// Model, tokens and the end, as chat and completion tell them.
pub(in crate::dialect) fn ending(draft: &mut Draft, document: Value<'_>) {
    draft.names(document, "", "model");
    draft.usage(Some(document), &["prompt_eval_count"], &["eval_count"]);
    draft.ended(document.get("done_reason"));
    if let Some(done) = document.get("done").and_then(Value::as_bool) {
        draft.heard.done = done;
    }
}

/// The finish reason of either.
pub(in crate::dialect) fn finish(word: &str, _: &Reply) -> Option<String> {
    (word != "stop").then(|| word.to_owned())
}
