//! Faults of what documents hold beside tool calls.

pub(super) mod choices_empty_200;
pub(super) mod choices_missing;
pub(super) mod content_filter_empty;
pub(super) mod content_null_no_tools;
pub(super) mod empty_choices_first;
pub(super) mod empty_choices_usage;
pub(super) mod envelope_nulls;
pub(super) mod finish_empty_string;
pub(super) mod finish_length_with_tools;
pub(super) mod finish_null_final;
pub(super) mod finish_stop_with_tools;
pub(super) mod finish_tools_truncated;
pub(super) mod finish_tools_without_calls;
pub(super) mod finish_unknown;
pub(super) mod native_finish_null;
pub(super) mod reasoning_content;
pub(super) mod refusal;
pub(super) mod refusal_empty_content;
pub(super) mod role_every_chunk;
pub(super) mod usage_details_null;
pub(super) mod usage_null;
pub(super) mod zero_delta;

use super::param::part;
use super::{Dialects, Param, ParamKind};
use crate::json::parse;
use crate::reply::Reply;

/// Dialects that say in a word of the model's why a reply ended.
const REASONS: Dialects =
    Dialects::Only(&["openai-chat", "openai-completions", "anthropic-messages", "google-gemini"]);

/// Those that have a word of its own for a reply with calls.
const CALL_REASONS: Dialects = Dialects::Only(&["openai-chat", "anthropic-messages"]);

const AT: Param = Param {
    name: "at",
    kind: ParamKind::Fraction,
    default: "0.5",
    doc: "how much of the last call's arguments there is",
};

const REFUSAL: Param = Param {
    name: "text",
    kind: ParamKind::Text,
    default: "\"I can't help with that.\"",
    doc: "the refusal in the model's words",
};

/// Leaves so much of the last call's arguments; false where there is none, or what is left is JSON all the same.
fn cut_last_call(reply: &mut Reply, share: f64) -> bool {
    let Some(call) = reply.calls.last_mut() else { return false };
    let mut end = part(call.arguments.len(), share);
    while !call.arguments.is_char_boundary(end) {
        end -= 1;
    }
    let is_cut = parse(&call.arguments.as_bytes()[..end]).is_err() && end < call.arguments.len();
    if is_cut {
        call.arguments.truncate(end);
    }
    is_cut
}

/// Leaves nothing of what the model says but a refusal and, beside it, these words; false where it is that already.
fn refuse(reply: &mut Reply, refusal: String, text: Option<&str>) -> bool {
    let (refusal, text) = (Some(refusal), text.map(str::to_owned));
    let refused =
        Reply { refusal, text, calls: Vec::new(), finish: None, thinking: None, usage: reply.usage };
    let changed = *reply != refused;
    *reply = refused;
    changed
}
