//! How a Gemini reply is heard: whole, as events or as the elements of an array, each a whole response of its own.

use super::super::heard::{Draft, Hearing, compact, words};
use super::read::{field, parts};
use super::thought;
use crate::dialect::openai_chat::hear::first;
use crate::json::{Kind, Value};
use crate::reply::{IssuedCall, Reply};

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &[] };

fn take(draft: &mut Draft, document: Value<'_>, _: &str) -> bool {
    // The API behind Google's own command line wraps each response.
    let document = document.get("response").filter(|inner| inner.kind() == Kind::Object).unwrap_or(document);
    draft.names(document, "responseId", "modelVersion");
    let usage = document.get("usageMetadata");
    // What was thought is counted by itself, as is what the provider's own tools gave the model to read.
    let (read, written) =
        (["promptTokenCount", "toolUsePromptTokenCount"], ["candidatesTokenCount", "thoughtsTokenCount"]);
    draft.usage(usage, &read, &written);
    let blocked =
        document.at("/promptFeedback/blockReason").is_some_and(|reason| reason.kind() == Kind::String);
    if blocked {
        draft.heard.ended = Some("SAFETY".to_owned());
        draft.heard.done = true;
        draft.refusal(&words(document.at("/promptFeedback/blockReasonMessage")).unwrap_or_default());
    }
    let Some(candidates) = document.get("candidates") else { return blocked || usage.is_some() };
    // Tokens may follow the end, words may not.
    let is_over = draft.heard.ended.is_some();
    if let Some(candidate) = first(draft, candidates) {
        if is_over && candidate.get("content").is_some() {
            draft.note("More follows behind the finish reason; it is left out.");
            return true;
        }
        let said = candidate.get("content").into_iter().flat_map(parts);
        said.for_each(|said| part(draft, said));
        ended(draft, candidate);
    }
    true
}

fn part(draft: &mut Draft, part: Value<'_>) {
    let text = words(part.get("text"));
    if part.get("thought").and_then(Value::as_bool) == Some(true) {
        return draft.thinking(&text.unwrap_or_default());
    }
    if let Some(made) = field(part, "functionCall").filter(|made| made.kind() == Kind::Object) {
        return call(draft, part, made);
    }
    match part.get("text") {
        Some(_) => draft.block(&text.unwrap_or_default()),
        None => {
            let kind =
                part.entries().find_map(|(key, value)| key.as_str().filter(|_| value.kind() == Kind::Object));
            if let Some(kind) = kind {
                draft.left_out("A part", &kind);
            }
        }
    }
}

/// A call without an id gets that which our signature names, else one that says where it stands.
fn call(draft: &mut Draft, part: Value<'_>, made: Value<'_>) {
    let name = words(made.get("name")).unwrap_or_default();
    let sealed = || thought::call(&words(field(part, "thoughtSignature"))?);
    let id = words(made.get("id")).or_else(sealed);
    let id = id.unwrap_or_else(|| format!("{name} (functionCalls[{}])", draft.calls()));
    let arguments = made.get("args").filter(|args| !args.is_null());
    let arguments = arguments.map_or_else(|| "{}".to_owned(), compact);
    draft.whole_call(IssuedCall { id, name, arguments });
}

fn ended(draft: &mut Draft, candidate: Value<'_>) {
    let Some(reason) = words(candidate.get("finishReason")) else { return };
    draft.heard.done = true;
    if let Some(message) = words(candidate.get("finishMessage")) {
        // Of a call that went wrong it is no refusal of the model.
        if reason.ends_with("_CALL") {
            draft.note(format!("The model's call went wrong ({reason}), which a reply cannot say."));
        } else {
            draft.refusal(&message);
        }
    }
    draft.heard.ended = Some(reason);
}

fn finish(word: &str, reply: &Reply) -> Option<String> {
    let said = match word {
        "STOP" if reply.refusal.is_none() => return None,
        "SAFETY" if reply.refusal.is_some() => return None,
        "STOP" => "stop",
        "MAX_TOKENS" => "length",
        "SAFETY" => "content_filter",
        // A word of this API itself.
        word => word,
    };
    Some(said.to_owned())
}
