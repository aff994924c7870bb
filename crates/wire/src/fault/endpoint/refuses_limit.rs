//! Names of the limit of tokens that an endpoint does not know.

use super::{has, refuses, refusing};
use crate::fault::{Fault, Work};
use crate::json::Value;

pub(in crate::fault) const MAX_TOKENS: Fault = refusing(
    "refuses-max-tokens",
    "400 where `max_tokens` is sent: the limit is called `max_completion_tokens`",
    r#"{"fault": "refuses-max-tokens", "text": "hello"}"#,
    &["teilomillet/gollm#33", "HKUDS/nanobot#2462", "Gitlawb/openclaude#85"],
    &[Work::Answer(|answer, given| {
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        refuses(answer, given, |request| has(request, OLD), OLD, "unsupported_parameter", message)
    })],
);

pub(in crate::fault) const MAX_COMPLETION_TOKENS: Fault = refusing(
    "refuses-max-completion-tokens",
    "400 where `max_completion_tokens` is sent: the limit is called `max_tokens`",
    r#"{"fault": "refuses-max-completion-tokens", "text": "hello"}"#,
    &["voideditor/void#128"],
    &[Work::Answer(|answer, given| {
        let message = "max_completion_tokens: Extra inputs are not permitted";
        refuses(answer, given, |request| has(request, NEW), NEW, "unknown_parameter", message)
    })],
);

pub(in crate::fault) const BOTH: Fault = refusing(
    "refuses-both-limits",
    "400 where `max_tokens` and `max_completion_tokens` are sent together",
    r#"{"fault": "refuses-both-limits", "text": "hello"}"#,
    &["HKUDS/nanobot#2476", "HKUDS/nanobot#2491"],
    &[Work::Answer(|answer, given| {
        let message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
        let both = |request: Value<'_>| has(request, OLD) && has(request, NEW);
        refuses(answer, given, both, OLD, "invalid_parameter_combination", message)
    })],
);

const OLD: &str = "max_tokens";
const NEW: &str = "max_completion_tokens";
