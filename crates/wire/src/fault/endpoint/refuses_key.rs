//! Keys of a request that an endpoint does not take, or not with every value.

use super::{has, refuses, refusing};
use crate::fault::{Fault, Work};
use crate::json::Value;

pub(in crate::fault) const TEMPERATURE: Fault = refusing(
    "refuses-temperature",
    "400 where `temperature` is anything but 1",
    r#"{"fault": "refuses-temperature", "text": "hello"}"#,
    &["QwenLM/qwen-code#921", "tmc/langchaingo#1355", "HKUDS/nanobot#370", "johny-b/llmcomp#69"],
    &[Work::Answer(|answer, given| {
        let message = "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported.";
        let other = |request: Value<'_>| {
            has(request, "temperature") && request.get("temperature").and_then(Value::as_i64) != Some(1)
        };
        refuses(answer, given, other, "temperature", "unsupported_value", message)
    })],
);

pub(in crate::fault) const STREAM_OPTIONS: Fault = refusing(
    "refuses-stream-options",
    "400 where `stream_options` are sent",
    r#"{"fault": "refuses-stream-options", "text": "hello"}"#,
    &["ollama/ollama#5200", "huggingface/text-generation-inference#2531", "langgenius/dify-plugin-sdks#50"],
    &[Work::Answer(|answer, given| {
        let message = "Unknown parameter: 'stream_options'.";
        refuses(
            answer,
            given,
            |request| has(request, "stream_options"),
            "stream_options",
            "unknown_parameter",
            message,
        )
    })],
);

pub(in crate::fault) const TOOLS: Fault = refusing(
    "refuses-tools",
    "400 where tools are offered",
    r#"{"fault": "refuses-tools", "text": "hello"}"#,
    &[],
    &[Work::Answer(|answer, given| {
        let message = "This model does not support tools.";
        refuses(answer, given, |request| has(request, "tools"), "tools", "unsupported_parameter", message)
    })],
);
