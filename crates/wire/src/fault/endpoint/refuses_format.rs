//! Forms of the answer that an endpoint does not hold: a schema, an object of JSON, a keyword of a schema.

use super::{refuses, refusing};
use crate::dialect::ErrorBody;
use crate::fault::http::{error, refuse};
use crate::fault::{Answer, Fault, Given, Work};
use crate::json::{Kind, Value};

pub(in crate::fault) const JSON_SCHEMA: Fault = refusing(
    "refuses-json-schema",
    "400 where `response_format` is `json_schema`; `json_object` is taken",
    r#"{"fault": "refuses-json-schema", "text": "hello"}"#,
    &[
        "microsoft/autogen#8174",
        "plastic-labs/honcho#751",
        "LLMQuant/quant-mind#128",
        "testomatio/explorbot#58",
    ],
    &[Work::Answer(|answer, given| {
        let message =
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
        refuses(answer, given, |request| wants(request, "json_schema"), "response_format", CODE, message)
    })],
);

pub(in crate::fault) const JSON_OBJECT: Fault = refusing(
    "refuses-json-object",
    "400 where `response_format` is `json_object`",
    r#"{"fault": "refuses-json-object", "text": "hello"}"#,
    &["InternLM/lmdeploy#4079", "GD4AI/obsidian-llm-wiki#447"],
    &[Work::Answer(|answer, given| {
        let message =
            "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model.";
        refuses(answer, given, |request| wants(request, "json_object"), "response_format", CODE, message)
    })],
);

pub(in crate::fault) const SCHEMA_KEYWORD: Fault = refusing(
    "refuses-schema-keyword",
    "500 where a schema holds a keyword that the server cannot compile: `enum`, `pattern`, `minimum`, `maximum`",
    r#"{"fault": "refuses-schema-keyword", "text": "hello"}"#,
    &["noonghunna/club-3090#45", "vllm-project/vllm#26421", "ggml-org/llama.cpp#7789"],
    &[Work::Answer(keyword)],
);

const CODE: &str = "unsupported_parameter";

fn wants(request: Value<'_>, form: &str) -> bool {
    request.at("/response_format/type").is_some_and(|kind| kind.is_str(form))
}

fn keyword(answer: &mut Answer, given: &Given<'_>) -> bool {
    let finds = |request: Value<'_>| {
        request.at("/response_format/json_schema/schema").is_some_and(|schema| holds_keyword(schema, 0))
    };
    let message = "failed to compile the grammar of the JSON schema: unsupported keyword";
    given.asks(finds)
        && refuse(answer, given, &ErrorBody { code: None, ..error(500, "internal_server_error", message) })
}

/// Keywords that simple compilers of grammars do not know.
const KEYWORDS: [&str; 4] = ["enum", "pattern", "minimum", "maximum"];

/// Deeper no schema of a client goes.
const DEPTH: usize = 32;

fn holds_keyword(schema: Value<'_>, depth: usize) -> bool {
    let inside = |value: Value<'_>| match value.kind() {
        Kind::Object | Kind::Array => depth < DEPTH && holds_keyword(value, depth + 1),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => false,
    };
    schema.entries().any(|(key, value)| KEYWORDS.iter().any(|keyword| key.is_str(keyword)) || inside(value))
        || schema.items().any(inside)
}
