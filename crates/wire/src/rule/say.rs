//! How refusals are worded: gate codes with the pointer in the message, API codes with `param` as the API spells it.

use crate::json::Value;
use crate::reject::Reject;

/// A refusal with a gate code: `what` is wrong at `pointer`, `fix` says what to change.
#[cold]
pub(super) fn gate(code: &'static str, pointer: String, what: &str, fix: &str) -> Box<Reject> {
    let place = if pointer.is_empty() { "the request" } else { pointer.as_str() };
    let message = format!("{place}: {what}; {fix}");
    Box::new(Reject { rule: "", status: 400, kind: KIND, code: Some(code), param: None, pointer, message })
}

/// A refusal of what another API would take.
#[cold]
pub(super) fn leak(pointer: String, what: &str, fix: &str) -> Box<Reject> {
    gate(LEAK, pointer, &format!("{what} belongs to another API"), fix)
}

/// A refusal as the real API gives it. `param` is its spelling of the place, `pointer` ours.
#[cold]
pub(super) fn api(
    code: Option<&'static str>,
    param: Option<String>,
    pointer: impl Into<String>,
    message: impl Into<String>,
) -> Box<Reject> {
    let (pointer, message) = (pointer.into(), message.into());
    Box::new(Reject { rule: "", status: 400, kind: KIND, code, param, pointer, message })
}

/// The envelope's `type` of every refusal that is the peer's own fault.
pub(super) const KIND: &str = "invalid_request_error";

/// The codes of the original stub, this one for a dialect leak.
const LEAK: &str = "gate_dialect_leak";
/// Shape of the tool list.
pub(super) const TOOLS: &str = "gate_tools_shape";
/// Shape of the message list.
pub(super) const MESSAGES: &str = "gate_messages_shape";
/// Shape of calls in the history.
pub(super) const CALLS: &str = "gate_tool_call_shape";
/// Calls and answers that do not pair.
pub(super) const PAIRING: &str = "gate_pairing";
/// What the script issued came back changed.
pub(super) const ECHO: &str = "gate_echo_mismatch";
/// The step expected another request.
pub(super) const EXPECT: &str = "gate_expect";

/// A foreign text for a message: quoted, and cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut chars = text.chars();
    let shown: String = chars.by_ref().take(SHOWN).collect();
    if chars.next().is_none() { format!("{shown:?}") } else { format!("{shown:?}…") }
}

/// A foreign value for a message, cut where it is long.
pub(super) fn shown(value: Value<'_>) -> String {
    const SHOWN: usize = 80;
    let text = value.text();
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
