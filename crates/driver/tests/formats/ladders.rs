//! Refusals as endpoints word them, and the one step that each calls for.

use rehearsal_driver::worker::format::ladder::{Ladder, LimitField, Refusal, Rung, Shape, Step, Verdict};
use std::collections::BTreeSet;

const FULL: Shape = Shape {
    rung: Rung::JsonSchema,
    temperature: true,
    limit: Some(LimitField::MaxTokens),
    system: true,
    stream_options: true,
    reasoning: false,
};

const FINAL: Verdict = Verdict::Final;

fn refusal<'a>(status: u16, param: &'a str, code: &'a str, message: &'a str) -> Refusal<'a> {
    let some = |text: &'a str| Some(text).filter(|text| !text.is_empty());
    Refusal { status, param: some(param), code: some(code), message }
}

#[track_caller]
fn says(sent: Shape, status: u16, param: &str, code: &str, message: &str, verdict: Verdict) {
    let answer = Ladder::new(sent).refused(&refusal(status, param, code, message));
    assert_eq!(answer, verdict, "{status} {param} {code} {message}");
}

#[test]
fn q30_a_refused_schema_becomes_json_object() {
    for (status, param, code, message) in [
        (
            400,
            "response_format",
            "",
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        ),
        (400, "", "invalid_request_error", "This response_format type is unavailable now"),
        (400, "", "", "This model does not support response format `json_schema`. See supported models"),
        (
            400,
            "response_format.type",
            "invalid_value",
            "Invalid value: 'json_schema'. Supported values are: 'text' and 'json_object'.",
        ),
        (
            422,
            "",
            "",
            "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"response_format\"],\"msg\":\"Extra inputs are not permitted\"}]}",
        ),
    ] {
        says(FULL, status, param, code, message, Verdict::Again(Step::DroppedSchema));
    }
}

#[test]
fn q31_an_unrelated_refusal_is_final_though_it_mentions_the_word() {
    for (status, param, code, message) in [
        (
            400,
            "",
            "model_not_found",
            "The model `m` does not exist; response_format json_schema is not supported either",
        ),
        (
            400,
            "",
            "context_length_exceeded",
            "maximum context length is 4096 tokens, temperature not supported",
        ),
        (400, "", "", "This model's maximum context length is 4096 tokens; response_format is unsupported"),
        (
            400,
            "messages",
            "",
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        ),
        (400, "tools", "unsupported_parameter", "tools are not supported together with response_format"),
        (400, "", "", "Bad request: response_format was json_schema, temperature was 0, max_tokens was 5"),
        (401, "response_format", "", "response_format not supported"),
        (404, "", "", "No endpoint supports response_format"),
        (429, "", "insufficient_quota", "json_schema is not supported in the free tier"),
        (503, "", "", "json_schema backend unavailable"),
        (
            400,
            "max_tokens",
            "invalid_value",
            "max_tokens is too large: 100000. This model supports at most 4096 completion tokens",
        ),
        (400, "max_tokens", "integer_below_min_value", "Invalid 'max_tokens': integer below minimum value."),
        (400, "", "", "max_tokens_per_day is not supported"),
        (500, "", "", "internal error"),
        (500, "temperature", "", "temperature is not supported"),
        (400, "", "", ""),
    ] {
        says(FULL, status, param, code, message, FINAL);
    }
    let plain = Shape {
        rung: Rung::None,
        temperature: false,
        limit: None,
        system: false,
        stream_options: false,
        reasoning: false,
    };
    for param in ["response_format", "temperature", "max_tokens", "messages[0].role", "stream_options"] {
        says(plain, 400, param, "unsupported_parameter", "Unsupported: 'system'", FINAL);
    }
}

#[test]
fn q32_a_refused_json_object_becomes_nothing_and_is_kept_only_after_a_success() {
    let refused = refusal(400, "response_format", "", "'response_format.type' must be 'text'");
    let mut ladder = Ladder::new(FULL);
    assert_eq!(ladder.refused(&refused), Verdict::Again(Step::DroppedSchema));
    assert_eq!(ladder.refused(&refused), Verdict::Again(Step::DroppedJsonObject));
    assert_eq!((ladder.shape().rung, ladder.known().rung), (Rung::None, Rung::JsonSchema));
    assert_eq!(ladder.refused(&refused), FINAL);
    assert_eq!((ladder.shape(), ladder.known()), (FULL, FULL));
    ladder.refused(&refused);
    ladder.gave_up();
    assert_eq!(ladder.shape(), FULL);
    ladder.refused(&refused);
    assert_eq!(ladder.succeeded(), [Step::DroppedSchema]);
    assert_eq!(ladder.known().rung, Rung::JsonObject);
    assert_eq!(ladder.refused(&refusal(400, "model", "", "no")), FINAL);
    assert_eq!(ladder.shape().rung, Rung::JsonObject);
    assert_eq!(ladder.succeeded(), []);
}

#[test]
fn q34_a_schema_that_cannot_be_compiled_is_a_step_though_the_status_is_500() {
    for (status, message) in [
        (400, "Failed to parse grammar"),
        (500, "JSON schema conversion failed: Unrecognized schema: {}"),
        (400, "The provided JSON schema contains features not supported by xgrammar."),
        (500, "error while compiling grammar"),
        (500, "guided decoding backend could not be started"),
    ] {
        says(FULL, status, "", "", message, Verdict::Again(Step::DroppedSchema));
    }
    says(FULL, 500, "", "", "database schema migration failed", FINAL);
}

#[test]
fn q35_a_refused_temperature_is_dropped() {
    for (param, code, message) in [
        (
            "temperature",
            "unsupported_value",
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        ),
        ("", "", "Unsupported parameter: 'temperature' is not supported with this model."),
        ("", "", "invalid temperature: only 1 is allowed for this model; temperature must be 1"),
        ("", "", "`temperature` is deprecated for this model."),
    ] {
        says(FULL, 400, param, code, message, Verdict::Again(Step::DroppedTemperature));
    }
}

#[test]
fn q36_q37_the_limit_goes_by_its_other_name_once() {
    let completion = Shape { limit: Some(LimitField::MaxCompletionTokens), ..FULL };
    let renamed = Verdict::Again(Step::RenamedLimit);
    let modern = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    says(FULL, 400, "max_tokens", "unsupported_parameter", modern, renamed);
    says(FULL, 400, "", "", modern, renamed);
    let extra = "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]";
    says(completion, 422, "", "", extra, renamed);
    says(
        completion,
        400,
        "max_completion_tokens",
        "",
        "Unrecognized request argument supplied: max_completion_tokens",
        renamed,
    );
    let mut ladder = Ladder::new(FULL);
    ladder.refused(&refusal(400, "", "", modern));
    assert_eq!(ladder.shape().limit, Some(LimitField::MaxCompletionTokens));
    assert_eq!(ladder.refused(&refusal(422, "", "", extra)), FINAL);
    ladder.refused(&refusal(400, "", "", modern));
    ladder.succeeded();
    assert_eq!(ladder.refused(&refusal(422, "", "", extra)), renamed);
}

#[test]
fn q38_a_shape_names_one_limit_field_at_most() {
    for field in [LimitField::MaxTokens, LimitField::MaxCompletionTokens] {
        let mut ladder = Ladder::new(Shape { limit: Some(field), ..FULL });
        ladder.refused(&refusal(400, field.name(), "unsupported_parameter", ""));
        assert!(ladder.shape().limit.is_some_and(|other| other != field && other.name() != field.name()));
    }
}

#[test]
fn q39_a_refused_system_role_is_folded_into_the_user() {
    for (param, code, message) in [
        ("", "", "System role not supported"),
        ("", "", "Conversation roles must alternate user/assistant/user/assistant/..."),
        ("", "", "Only user and assistant roles are supported!"),
        (
            "messages[0].role",
            "unsupported_value",
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        ),
        ("", "", "Developer instruction is not enabled for models/gemma-3"),
    ] {
        says(FULL, 400, param, code, message, Verdict::Again(Step::FoldedSystem));
    }
    says(FULL, 400, "messages[1].content", "", "Invalid value for 'content': expected a string", FINAL);
}

#[test]
fn q03_refused_stream_options_are_dropped() {
    for (status, param, message) in [
        (400, "", "Unrecognized request argument supplied: stream_options"),
        (400, "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
        (
            422,
            "",
            "unknown field `stream_options`, expected one of `model`, `messages`, `temperature`, `max_tokens`",
        ),
        (400, "stream_options.include_usage", "no"),
    ] {
        says(FULL, status, param, "", message, Verdict::Again(Step::DroppedStreamOptions));
    }
}

#[test]
fn several_refusals_take_one_step_each() {
    let mut ladder = Ladder::new(FULL);
    for (param, step) in [
        ("temperature", Step::DroppedTemperature),
        ("max_tokens", Step::RenamedLimit),
        ("response_format", Step::DroppedSchema),
        ("stream_options", Step::DroppedStreamOptions),
    ] {
        assert_eq!(ladder.refused(&refusal(400, param, "unsupported_parameter", "")), Verdict::Again(step));
    }
    assert_eq!(ladder.succeeded().len(), 4);
}

#[test]
fn what_an_endpoint_refused_before_is_not_sent_again() {
    let known = BTreeSet::from([Step::DroppedJsonObject, Step::DroppedSchema, Step::RenamedLimit]);
    let shape = Ladder::knowing(FULL, &known).shape();
    assert_eq!((shape.rung, shape.limit), (Rung::None, FULL.limit.map(|_| LimitField::MaxCompletionTokens)));
    assert!(shape.temperature && shape.system);
    // A step down is none where there is nothing to step down from.
    let low = Shape { rung: Rung::None, limit: None, ..FULL };
    assert_eq!(Ladder::knowing(low, &known).shape(), low);
}
