//! What a refusal is about: which of the things that were sent it names, and so which step it calls for.

use super::ladder::{LimitField, Refusal, Rung, Shape, Step};

/// Codes of faults that no other shape of the request cures.
const FINAL_CODES: &[&str] = &[
    "context_length_exceeded",
    "insufficient_quota",
    "rate_limit_exceeded",
    "invalid_api_key",
    "model_not_found",
    "content_policy_violation",
    "content_filter",
    "billing_hard_limit_reached",
];
/// Words of such faults, for endpoints whose code says nothing.
const FINAL_WORDS: &[&str] = &[
    "context length",
    "context window",
    "context size",
    "maximum context",
    "too large",
    "too long",
    "quota",
    "rate limit",
];
/// Words with which a server refuses a field or a value of it.
const REFUSING: &[&str] = &[
    "not support",
    "unsupported",
    "n't support",
    "only support",
    "only the default",
    "supported values",
    "supported types",
    "not permitted",
    "not allowed",
    "forbid",
    "unrecognized",
    "unrecognised",
    "unknown",
    "unexpected",
    "extra input",
    "extra field",
    "unavailable",
    "not available",
    "not implemented",
    "not enabled",
    "must be",
    "must alternate",
    "deprecated",
    "not compatible",
    "incompatible",
    "invalid value",
    "invalid parameter",
    "invalid type",
    "invalid response_format",
    "expected one of",
    "instead",
    "only user and assistant",
];
/// Words with which a server says that it could not make a grammar of a schema.
const FAILING: &[&str] = &[
    "fail",
    "error",
    "cannot",
    "can't",
    "could not",
    "unable",
    "invalid",
    "not contain",
    "contains features",
];
/// Names of what a server makes of a schema.
const GRAMMAR: &[&str] = &[
    "grammar",
    "json schema",
    "json_schema",
    "guided_json",
    "guided decoding",
    "guided_decoding",
    "structured output",
    "structured outputs",
];
/// Names of the answer's form, as messages spell them.
const FORM: &[&str] = &[
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "structured output",
    "structured outputs",
    "grammar",
    "guided_json",
    "guided decoding",
    "guided_decoding",
];
/// How servers say that the system role is not for them, or that roles must alternate.
const SYSTEM: &[&str] = &[
    "system role",
    "role system",
    "'system'",
    "\"system\"",
    "`system`",
    "system message",
    "system messages",
    "system prompt",
    "developer instruction",
    "must alternate",
    "only user and assistant roles",
];

/// How servers say that what the model thought must come back with its answer.
const THOUGHTS: &[&str] = &["reasoning_content", "reasoning content"];
const WANTING: &[&str] = &["must", "missing", "required", "expected"];

/// The step that a refusal calls for, given what was sent.
pub(super) fn step(sent: &Shape, refusal: &Refusal<'_>) -> Option<Step> {
    let message = refusal.message.to_lowercase();
    let is_final = refusal.code.is_some_and(|code| FINAL_CODES.contains(&code.to_ascii_lowercase().as_str()))
        || FINAL_WORDS.iter().any(|words| message.contains(words));
    let can_be = matches!(refusal.status, 400 | 422 | 500 | 501);
    if !can_be || is_final {
        return None;
    }
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if !sent.reasoning && says(THOUGHTS) && says(WANTING) {
        return Some(Step::SentReasoning);
    }
    let form = match sent.rung {
        Rung::JsonSchema => Some(Step::DroppedSchema),
        Rung::JsonObject => Some(Step::DroppedJsonObject),
        Rung::None => None,
    };
    let fields: Vec<(&str, &[&str], Step)> = [
        form.map(|step| ("response_format", FORM, step)),
        sent.temperature.then_some(("temperature", &["temperature"][..], Step::DroppedTemperature)),
        sent.limit.map(|field| (field.name(), names(field), Step::RenamedLimit)),
        sent.stream_options.then_some((
            "stream_options",
            &["stream_options", "include_usage"][..],
            Step::DroppedStreamOptions,
        )),
        sent.system.then_some(("messages", SYSTEM, Step::FoldedSystem)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_refusing = REFUSING.iter().any(|words| message.contains(words));
    let broke_on_schema =
        earliest(&message, GRAMMAR).is_some() && FAILING.iter().any(|words| message.contains(words));
    // A server that fails on the schema says so; any other failure is its own affair.
    if refusal.status == 500 {
        return form.filter(|_| broke_on_schema || (is_refusing && earliest(&message, FORM).is_some()));
    }
    if let Some(param) = refusal.param {
        return by_param(param, &fields, &message, refusal.code);
    }
    let named = fields.iter().filter_map(|(_, words, step)| Some((earliest(&message, words)?, *step)));
    // A message may list everything that is allowed after what is not.
    let step = named.min_by_key(|(at, _)| *at).map(|(_, step)| step);
    step.filter(|step| is_refusing || (broke_on_schema && form == Some(*step)))
}

/// The step for a refusal that names its parameter. Nothing else that its message mentions counts.
fn by_param(
    param: &str,
    fields: &[(&str, &[&str], Step)],
    message: &str,
    code: Option<&str>,
) -> Option<Step> {
    let param = param.trim_start_matches("body.").to_ascii_lowercase();
    let top = param.split(['.', '[', '/']).next().unwrap_or_default();
    let (_, words, step) = fields.iter().find(|(name, _, _)| *name == top)?;
    let is_code = code.is_some_and(|code| code.to_ascii_lowercase().starts_with("unsupported"));
    match step {
        Step::DroppedSchema
        | Step::DroppedJsonObject
        | Step::DroppedTemperature
        | Step::DroppedStreamOptions
        | Step::SentReasoning => Some(*step),
        // A limit may be refused for its value; then its name is not the matter.
        Step::RenamedLimit => {
            (is_code || UNKNOWN_FIELD.iter().any(|words| message.contains(words))).then_some(*step)
        }
        Step::FoldedSystem => {
            let is_refusing = is_code || REFUSING.iter().any(|words| message.contains(words));
            (is_refusing && earliest(message, words).is_some()).then_some(*step)
        }
    }
}

/// Words with which a server says that it does not know a field, or not for this model.
const UNKNOWN_FIELD: &[&str] = &[
    "unsupported",
    "not support",
    "unrecognized",
    "unrecognised",
    "unknown",
    "extra",
    "not permitted",
    "not allowed",
    "unexpected",
    "instead",
    "forbidden",
];

fn names(field: LimitField) -> &'static [&'static str] {
    match field {
        LimitField::MaxTokens => &["max_tokens"],
        LimitField::MaxCompletionTokens => &["max_completion_tokens"],
    }
}

/// Where in a message the first of these names stands as a word of its own.
fn earliest(message: &str, names: &[&str]) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    names
        .iter()
        .flat_map(|name| message.match_indices(name))
        .filter(|(at, name)| {
            !message[..*at].ends_with(is_part) && !message[at + name.len()..].starts_with(is_part)
        })
        .map(|(at, _)| at)
        .min()
}
