//! Quirks by their names: what endpoints do that the letter of the API does not say.
//!
//! Names that begin with `q` and a number are those of the collection of field reports; the others are leniencies of our reading.

use crate::endpoint::answer::Leniency;

/// A quirk that can be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirk {
    /// Its name in reports.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
}

/// A quirk that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its name.
    pub name: String,
    /// What was seen; may be empty.
    pub note: String,
    /// The row whose answer showed it first.
    pub row: String,
}

const fn quirk(name: &'static str, summary: &'static str) -> Quirk {
    Quirk { name, summary }
}

/// All that a probe can name.
pub const QUIRKS: &[Quirk] = &[
    quirk("q01_usage_absent", "no usage in a normal answer"),
    quirk("q02_usage_null_fields", "a usage of which a count is missing"),
    quirk("q03_usage_stream_opt", "stream_options are refused, or tell no usage"),
    quirk("q04_error_in_200", "an error under the status of success"),
    quirk("q05_choices_null", "no choices, and no error that says why"),
    quirk("q06_not_json_200", "a page or nothing under the status of success"),
    quirk("q07_dup_done", "a whole answer that ends as a stream does"),
    quirk("q08_sse_anyway", "a stream that nobody asked for"),
    quirk("q09_sse_no_space", "`data:` without the space behind it"),
    quirk("q10_sse_error_event", "an error inside a stream"),
    quirk("q11_no_done", "a stream without its last event"),
    quirk("q12_content_null_reasoning", "no content; words stand where thoughts should"),
    quirk("q13_json_in_reasoning", "the JSON that was asked for stands where thoughts should"),
    quirk("q14_think_prefix", "a `<think>` block before the answer"),
    quirk("q16_code_fence", "JSON in a Markdown fence"),
    quirk("q17_wrong_fence", "a fence with something else before the JSON"),
    quirk("q18_prose_around", "prose around the JSON"),
    quirk("q19_content_parts", "a content that is a list of parts"),
    quirk("q20_request_parts", "contents that are lists are refused"),
    quirk("q21_refusal", "the model refuses a harmless question"),
    quirk("q22_length", "an answer of a word is cut at a limit that nobody set"),
    quirk("q23_content_filter", "a harmless answer is held back"),
    quirk("q24_finish_odd", "a finish reason that is missing, unknown or does not fit"),
    quirk("q25_tool_instead", "a call of a tool that nobody offered"),
    quirk("q26_args_object", "arguments as a value instead of a text"),
    quirk("q27_delta_no_index", "pieces of calls without an index"),
    quirk("q28_delta_same_index", "two calls under one index"),
    quirk("q29_delta_no_id", "calls without an id"),
    quirk("q30_json_schema_400", "json_schema is refused"),
    quirk("q32_json_object_400", "json_object is refused"),
    quirk("q33_schema_ignored", "a schema is taken and not followed"),
    quirk("q34_schema_keyword", "a keyword of a schema cannot be compiled"),
    quirk("q35_temperature", "temperature 0 is refused"),
    quirk("q36_max_tokens", "max_tokens is refused"),
    quirk("q37_max_completion", "max_completion_tokens is refused"),
    quirk("q38_both_limits", "both names of the limit together are refused"),
    quirk("q39_system_role", "the system role is refused, or roles must take turns"),
    quirk("q40_reasoning_back", "an earlier answer must come back with its thoughts"),
    quirk("q41_context_silent", "a long prompt is cut without a word"),
    quirk("q42_quota_429", "what was paid for is used up, told as a rate"),
    quirk("q43_quota_words", "a rate that is told in words of a quota"),
    quirk("q44_quota_400", "a rate or quota with status 400"),
    quirk("q45_503_loading", "the server is loading or has too much to do"),
    quirk("q46_error_shapes", "errors that have not the shape of the API"),
    quirk("byte_order_mark", "a byte order mark before the body"),
    quirk("duplicate_key", "a key that stands twice in its object"),
    quirk("empty_answer", "an answer without words"),
    quirk("more_choices", "more choices than were asked for"),
    quirk("whole_anyway", "a whole answer where a stream was asked for"),
];

/// The quirk that a leniency of our reading shows; `json` says that JSON was asked for.
#[must_use]
pub fn of(leniency: Leniency, json: bool) -> &'static str {
    match leniency {
        Leniency::ByteOrderMark => "byte_order_mark",
        Leniency::DuplicateKey => "duplicate_key",
        Leniency::DoneAfterWhole => "q07_dup_done",
        Leniency::StreamAnyway => "q08_sse_anyway",
        Leniency::WholeAnyway => "whole_anyway",
        Leniency::NoLastEvent => "q11_no_done",
        Leniency::NoFinish | Leniency::OddFinish => "q24_finish_odd",
        Leniency::ContentParts => "q19_content_parts",
        Leniency::ArgumentsAsValue => "q26_args_object",
        Leniency::IdMade => "q29_delta_no_id",
        Leniency::MoreChoices => "more_choices",
        Leniency::AnswerFromReasoning if json => "q13_json_in_reasoning",
        Leniency::AnswerFromReasoning => "q12_content_null_reasoning",
    }
}
