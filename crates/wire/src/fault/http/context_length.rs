//! A conversation that is longer than the model's window, in six wordings that providers and gateways have for it.

use super::{error, error_text, final_error, refuse};
use crate::dialect::ErrorBody;
use crate::fault::{Answer, Fault, Given, Work};

pub(in crate::fault) const EXCEEDED: Fault = final_error(
    "context-length-exceeded",
    "400 with the code `context_length_exceeded`",
    r#"{"fault": "context-length-exceeded", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, given| {
        let error = error(
            400,
            KIND,
            "Your input exceeds the context window of this model. Please adjust your input.",
        );
        refuse(answer, given, &ErrorBody { code: Some("context_length_exceeded"), ..error })
    })],
);

pub(in crate::fault) const MAXIMUM: Fault = final_error(
    "context-length-maximum",
    "400 without a code: \"maximum context length\"",
    r#"{"fault": "context-length-maximum", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, given| {
        let message = "This model's maximum context length is 131072 tokens. However, your messages resulted in 140211 \
                       tokens. Please reduce the length of the messages.";
        refuse(answer, given, &error(400, KIND, message))
    })],
);

pub(in crate::fault) const PROMPT_TOO_LONG: Fault = final_error(
    "context-length-prompt-too-long",
    "400 without a code: \"prompt is too long\"",
    r#"{"fault": "context-length-prompt-too-long", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, given| refuse(answer, given, &error(400, KIND, TOO_LONG)))],
);

pub(in crate::fault) const INPUT_AND_MAX_TOKENS: Fault = final_error(
    "context-length-input-and-max-tokens",
    "400 without a code: \"input length and `max_tokens` exceed context limit\"",
    r#"{"fault": "context-length-input-and-max-tokens", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, given| {
        let message = "input length and `max_tokens` exceed context limit: 196000 + 8192 > 200000, decrease input length \
                       or `max_tokens` and try again";
        refuse(answer, given, &error(400, KIND, message))
    })],
);

pub(in crate::fault) const TOKEN_COUNT: Fault = final_error(
    "context-length-token-count",
    "400 without a code: \"input token count exceeds\"",
    r#"{"fault": "context-length-token-count", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, given| {
        let message =
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
        refuse(answer, given, &error(400, KIND, message))
    })],
);

pub(in crate::fault) const WRAPPED: Fault = final_error(
    "context-length-wrapped",
    "400 of a gateway, whose message holds the provider's error as text",
    r#"{"fault": "context-length-wrapped", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(wrapped)],
);

const KIND: &str = "invalid_request_error";

const TOO_LONG: &str = "prompt is too long: 210433 tokens > 200000 maximum";

fn wrapped(answer: &mut Answer, given: &Given<'_>) -> bool {
    let inner = error_text(given, &error(400, KIND, TOO_LONG));
    let message = format!("upstream provider returned status 400: {inner}");
    refuse(answer, given, &ErrorBody { code: Some("400"), ..error(400, "upstream_error", &message) })
}

const REPORTS: &[&str] = &[
    "windmill-labs/windmill#10928",
    "aaif-goose/goose#3635",
    "anthropics/claude-code#476",
    "anthropics/claude-code#4006",
    "esengine/DeepSeek-Reasonix#8004",
    "can1357/oh-my-pi#1618",
    "MoonshotAI/kimi-code#476",
    "openclaw/openclaw#85921",
];

const RIGHT: &str =
    "taken for what it is, whatever its words: the history is made shorter and the request sent once more";
