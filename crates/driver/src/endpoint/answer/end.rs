//! How answers end: the words of finish reasons, and the events behind which nothing counts.

use super::form::DONE;
use crate::endpoint::config::Dialect;
use rehearsal_wire::json::Value;

/// How an answer ended, the gravest last: of several ends that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// In order.
    #[default]
    Whole,
    /// With a refusal.
    Refused,
    /// The provider broke down.
    Broken,
    /// Held back by a filter.
    Filtered,
    /// At the length limit, or that of the window.
    Length,
}

/// Sorts the words that providers use, in lower case, and says whether an API of ours has this one.
pub(super) fn of(word: &str) -> (End, bool) {
    match word {
        "stop" | "tool_calls" | "function_call" | "end_turn" | "tool_use" | "stop_sequence" | "completed" => {
            (End::Whole, true)
        }
        "length" | "max_tokens" | "max_output_tokens" | "incomplete" | "model_context_window_exceeded" => {
            (End::Length, true)
        }
        "model_length"
        | "max_length"
        | "token_limit"
        | "max_new_tokens"
        | "context_length"
        | "context_length_exceeded"
        | "truncated" => (End::Length, false),
        "content_filter" => (End::Filtered, true),
        "content-filter"
        | "contentfilter"
        | "content_filtered"
        | "sensitive"
        | "guardrail_intervened"
        | "safety"
        | "prohibited_content"
        | "recitation"
        | "blocklist"
        | "spii" => (End::Filtered, false),
        "refusal" => (End::Refused, true),
        "failed" | "cancelled" => (End::Broken, true),
        "error"
        | "network_error"
        | "insufficient_system_resource"
        | "abort"
        | "aborted"
        | "canceled"
        | "pause_turn" => (End::Broken, false),
        _ => (End::Whole, false),
    }
}

/// Whether an event is the one behind which nothing counts.
pub(super) fn is_last(dialect: Dialect, root: Value<'_>, event: &str) -> bool {
    let kind = root.get("type").and_then(Value::as_str);
    let kind = kind.as_deref().unwrap_or(event);
    match dialect {
        Dialect::Chat => false,
        Dialect::Responses => matches!(
            kind,
            "response.completed"
                | "response.incomplete"
                | "response.failed"
                | "response.cancelled"
                | "response.done"
                | "error"
        ),
        Dialect::Messages => matches!(kind, "message_stop" | "error"),
    }
}

/// Whether the data of an event, which are no document, say that nothing counts behind it: in chat alone. Gateways say the same in
/// the other dialects, whose own last event may still follow.
pub(super) fn is_done(dialect: Dialect, data: &str) -> bool {
    match dialect {
        Dialect::Chat => DONE.contains(&data),
        Dialect::Responses | Dialect::Messages => false,
    }
}
