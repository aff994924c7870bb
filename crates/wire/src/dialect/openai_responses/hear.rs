//! How a response is heard, whole and event by event. A whole one at the end of a stream takes the place of its pieces.

use super::super::heard::{Draft, HeardError, Hearing, error, words};
use crate::json::Value;
use crate::reply::Reply;

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &[] };

fn take(draft: &mut Draft, document: Value<'_>, event: &str) -> bool {
    let kind = words(document.get("type")).unwrap_or_else(|| event.to_owned());
    let text = |key| words(document.get(key)).unwrap_or_default();
    let piece = text("delta");
    match kind.as_str() {
        "response.created" | "response.queued" | "response.in_progress" => {
            document.get("response").into_iter().for_each(|begun| draft.names(begun, "id", "model"));
        }
        "response.completed"
        | "response.incomplete"
        | "response.failed"
        | "response.cancelled"
        | "response.done" => {
            draft.close();
            document.get("response").into_iter().for_each(|whole| response(draft, whole));
        }
        "response.output_item.added" => {
            document.get("item").into_iter().for_each(|begun| self::begun(draft, document, begun));
        }
        "response.output_item.done" => {
            document.get("item").into_iter().for_each(|whole| self::item(draft, document, whole));
        }
        "response.output_text.delta" => draft.block(&piece),
        "response.refusal.delta" => draft.refusal(&piece),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => draft.thinking(&piece),
        "response.reasoning_summary_part.added" => between_summaries(draft, document),
        "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
            let at = place(draft, document);
            draft.part(Some(at)).call.arguments.push_str(&piece);
        }
        "response.function_call_arguments.done" => input(draft, document, text("arguments")),
        "response.custom_tool_call_input.done" => input(draft, document, text("input")),
        "error" => {
            // The API nests it like any error, its document says that it lies flat.
            let flat = HeardError {
                kind: None,
                code: words(document.get("code")),
                param: words(document.get("param")),
                message: text("message"),
            };
            draft.fail(error(document).unwrap_or(flat));
        }
        _ if document.get("object").is_some_and(|object| object.is_str("response")) => {
            response(draft, document)
        }
        // Parts begin and end, annotations come, tools of the provider work: nothing that is said.
        kind => return kind.starts_with("response.") || kind == "keepalive",
    }
    true
}

/// A whole response: its output, unless it left that to the events before.
fn response(draft: &mut Draft, response: Value<'_>) {
    draft.names(response, "id", "model");
    draft.usage(response.get("usage"), &["input_tokens"], &["output_tokens"]);
    if let Some(failed) = error(response) {
        draft.fail(failed);
    }
    if let Some(output) = response.get("output").filter(|output| !output.is_empty()) {
        draft.restart();
        output.items().for_each(|whole| item(draft, whole, whole));
    }
    match response.get("status").and_then(Value::as_str).as_deref() {
        Some("incomplete") => draft.ended(response.at("/incomplete_details/reason")),
        Some("queued" | "in_progress") => {
            draft.heard.done = false;
            draft.note("The response is not made yet.");
        }
        Some(_) | None => draft.ended(response.get("status")),
    }
}

fn begun(draft: &mut Draft, event: Value<'_>, item: Value<'_>) {
    if is_call(item) {
        let at = place(draft, event);
        named(draft, at, item);
    }
}

/// An item that is over. It stands in an event, or in the output itself.
fn item(draft: &mut Draft, event: Value<'_>, item: Value<'_>) {
    if is_call(item) {
        let at = place(draft, event);
        named(draft, at, item);
        let input = words(item.get("arguments")).or_else(|| words(item.get("input")));
        if let Some(input) = input {
            draft.part(Some(at)).call.arguments = input;
        }
        return;
    }
    match item.get("type").and_then(Value::as_str).as_deref() {
        Some("message") => {
            let parts = item.get("content").into_iter().flat_map(Value::items);
            let (mut text, mut refusal) = (String::new(), String::new());
            parts.for_each(|part| {
                text.push_str(&words(part.get("text")).unwrap_or_default());
                refusal.push_str(&words(part.get("refusal")).unwrap_or_default());
            });
            if draft.calls() > 0 {
                draft.note("Words stand behind a call; the reply has them before it.");
            }
            let some = |words: String| (!words.is_empty()).then_some(words);
            draft.item([None, some(text), some(refusal)]);
        }
        Some("reasoning") => {
            let texts = |key| {
                let parts = item.get(key).into_iter().flat_map(Value::items);
                parts.filter_map(|part: Value<'_>| words(part.get("text"))).collect::<Vec<_>>()
            };
            let told = [texts("summary"), texts("content")].into_iter().find(|texts| !texts.is_empty());
            draft.item([told.map(|texts| texts.join(BETWEEN)), None, None]);
        }
        kind => draft.left_out("An item", kind.unwrap_or("unknown")),
    }
}

fn is_call(item: Value<'_>) -> bool {
    item.get("type").is_some_and(|kind| kind.is_str("function_call") || kind.is_str("custom_tool_call"))
}

fn named(draft: &mut Draft, at: usize, item: Value<'_>) {
    let part = draft.part(Some(at));
    part.free = item.get("type").is_some_and(|kind| kind.is_str("custom_tool_call"));
    if let Some(id) = words(item.get("call_id")).or_else(|| words(item.get("id"))) {
        part.call.id = id;
    }
    if let Some(name) = words(item.get("name")) {
        part.call.name = name;
    }
    draft.known_as(at, &words(item.get("id")).unwrap_or_default());
}

/// The call that an event or an item is about, by its place in the output, else by the id of the item.
fn place(draft: &mut Draft, event: Value<'_>) -> usize {
    let index = event.get("output_index").and_then(Value::as_i64);
    let item = ["/item_id", "/item/id", "/id"].into_iter().find_map(|path| words(event.at(path)));
    let known = draft.by_index(index).or_else(|| draft.by_id(&item.clone().unwrap_or_default()));
    known.unwrap_or_else(|| {
        let at = draft.begin(index);
        draft.known_as(at, &item.unwrap_or_default());
        at
    })
}

fn input(draft: &mut Draft, event: Value<'_>, whole: String) {
    let at = place(draft, event);
    if !whole.is_empty() {
        draft.part(Some(at)).call.arguments = whole;
    }
}

/// What stands between two parts of a summary, each of which is a paragraph.
const BETWEEN: &str = "\n\n";

fn between_summaries(draft: &mut Draft, event: Value<'_>) {
    let index = event.get("summary_index").and_then(Value::as_i64).unwrap_or(0);
    if index > 0 && draft.heard.reply.thinking.is_some() {
        draft.thinking(BETWEEN);
    }
}

fn finish(word: &str, _: &Reply) -> Option<String> {
    match word {
        "completed" | "failed" => None,
        "max_output_tokens" => Some("length".to_owned()),
        // `content_filter` is the same word.
        word => Some(word.to_owned()),
    }
}
