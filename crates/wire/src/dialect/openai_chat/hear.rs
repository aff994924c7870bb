//! How a chat completion is heard, whole and in chunks, from whoever speaks this dialect: thoughts under any of the keys that
//! servers use, calls whose pieces lack an index or an id, usage wherever it stands.

use crate::dialect::heard::{Draft, Hearing, words};
use crate::json::{Kind, Value};
use crate::reply::Reply;

pub(super) const HEAR: Hearing = Hearing { take, finish, last: &["[DONE]", "DONE"] };

/// The index under which the legacy `function_call` is kept: no provider counts from there.
const LEGACY: i64 = -1;

fn take(draft: &mut Draft, document: Value<'_>, _: &str) -> bool {
    draft.names(document, "id", "model");
    usage(draft, document.get("usage"));
    usage(draft, document.at("/x_groq/usage"));
    let Some(choices) = document.get("choices").filter(|choices| choices.kind() == Kind::Array) else {
        return false;
    };
    if let Some(choice) = first(draft, choices) {
        usage(draft, choice.get("usage"));
        let whole = choice.get("message").filter(|message| message.kind() == Kind::Object);
        // Some gateways send the plain answer as an event, whatever was asked for.
        if whole.is_some() {
            // It says all that pieces before it said.
            draft.restart();
            draft.heard.done = true;
        }
        match (whole, choice.get("delta")) {
            (Some(said), _) => message(draft, said, true),
            (None, Some(said)) => message(draft, said, false),
            (None, None) => {}
        }
        draft.ended(choice.get("finish_reason"));
    }
    true
}

/// The first of several choices; chunks hold one each, and those of other choices are passed over.
pub(in crate::dialect) fn first<'t>(draft: &mut Draft, choices: Value<'t>) -> Option<Value<'t>> {
    let is_first =
        |choice: &Value<'_>| choice.get("index").and_then(Value::as_i64).is_none_or(|index| index == 0);
    let first = choices.items().find(is_first);
    if choices.len() > usize::from(first.is_some()) {
        draft.note("There are several choices, of which the first is heard.");
    }
    first
}

/// Tokens, as the chat API and the legacy completions tell them.
pub(in crate::dialect) fn usage(draft: &mut Draft, usage: Option<Value<'_>>) {
    draft.usage(usage, &["prompt_tokens"], &["completion_tokens"]);
}

fn message(draft: &mut Draft, said: Value<'_>, whole: bool) {
    let thought = ["reasoning_content", "reasoning", "thinking"];
    if let Some(thought) = thought.into_iter().find_map(|key| words(said.get(key))) {
        draft.thinking(&thought);
    }
    match said.get("content") {
        Some(content) if content.kind() == Kind::Array => {
            content.items().for_each(|part| self::part(draft, part))
        }
        Some(content) => {
            if let Some(text) = content.as_str() {
                draft.text(&text);
            }
        }
        None => {}
    }
    draft.refusal(&words(said.get("refusal")).unwrap_or_default());
    if let Some(function) = said.get("function_call").filter(|function| function.kind() == Kind::Object) {
        let at = draft.by_index(Some(LEGACY)).unwrap_or_else(|| draft.begin(Some(LEGACY)));
        function_piece(draft, at, function, "arguments");
    }
    said.get("tool_calls").into_iter().flat_map(Value::items).for_each(|piece| call(draft, piece, whole));
}

/// A part of a content that is a list: Mistral's thinking models send one.
fn part(draft: &mut Draft, part: Value<'_>) {
    let text = words(part.get("text")).unwrap_or_default();
    match part.get("type").and_then(Value::as_str).as_deref() {
        Some("text" | "output_text") => draft.text(&text),
        Some("thinking") => match part.get("thinking") {
            Some(thought) if thought.kind() == Kind::Array => {
                thought
                    .items()
                    .filter_map(|part| words(part.get("text")))
                    .for_each(|text| draft.thinking(&text));
            }
            thought => draft.thinking(&words(thought).unwrap_or_default()),
        },
        Some("refusal") => draft.refusal(&words(part.get("refusal")).unwrap_or_default()),
        kind => draft.left_out("A part of the content", kind.unwrap_or("unknown")),
    }
}

/// A call, or a piece of one: in a whole message each stands for itself, be its id another's or none.
fn call(draft: &mut Draft, piece: Value<'_>, whole: bool) {
    let custom = piece.get("custom").filter(|custom| custom.kind() == Kind::Object);
    let (of, input) = match custom {
        Some(custom) => (Some(custom), "input"),
        None => (piece.get("function"), "arguments"),
    };
    let id = words(piece.get("id"));
    let name = words(of.and_then(|of| of.get("name")));
    let index = piece.get("index").and_then(Value::as_i64);
    let known = if whole { None } else { place(draft, id.as_deref(), name.as_deref(), index) };
    let at = known.unwrap_or_else(|| draft.begin(index));
    let part = draft.part(Some(at));
    part.free |= custom.is_some();
    if let Some(id) = id.filter(|_| part.call.id.is_empty()) {
        part.call.id.clone_from(&id);
        draft.known_as(at, &id);
    }
    if let Some(of) = of {
        function_piece(draft, at, of, input);
    }
}

fn function_piece(draft: &mut Draft, at: usize, function: Value<'_>, input: &str) {
    let part = draft.part(Some(at));
    // A name that comes again is the same name; one that goes on before the arguments do is its second half.
    let goes_on = |name: &String| *name != part.call.name && part.call.arguments.is_empty();
    if let Some(name) = words(function.get("name")).filter(goes_on) {
        part.call.name.push_str(&name);
    }
    part.arguments(function.get(input));
}

/// Which call a piece belongs to; none where it begins a new one.
fn place(draft: &mut Draft, id: Option<&str>, name: Option<&str>, index: Option<i64>) -> Option<usize> {
    let Some(id) = id else {
        let newest = draft.newest()?;
        return match (draft.by_index(index), name) {
            (Some(at), _) => Some(at),
            // Where neither id nor index nor a name tells, only the newest call can be meant.
            (None, None) => Some(newest),
            (None, Some(name)) => {
                let part = draft.part(Some(newest));
                (index.is_none() && part.call.name == name).then_some(newest)
            }
        };
    };
    // Two calls of one id are told apart by their index.
    if let Some(at) = draft.by_index(index).filter(|at| draft.part(Some(*at)).call.id == id) {
        return Some(at);
    }
    // A piece that names a tool under another index begins a call, though its id was used before.
    if let Some(at) = draft.by_id(id) {
        let same = draft.part(Some(at)).index == index;
        if same || name.is_none() || index.is_none() {
            return Some(at);
        }
    }
    // The id may come after the name; another id at the same index is another call.
    let at = draft.by_index(index)?;
    draft.part(Some(at)).call.id.is_empty().then_some(at)
}

fn finish(word: &str, reply: &Reply) -> Option<String> {
    let follows =
        if reply.calls.is_empty() { word == "stop" } else { matches!(word, "tool_calls" | "function_call") };
    (!follows).then(|| word.to_owned())
}
