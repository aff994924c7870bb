//! The documented request: required keys, types, words, ranges and lengths.

use super::shape::Look;
use super::{CHAT, Check, Example, Profile, Rule, Stage};
use crate::dialect::openai_chat::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "documented-shape",
    summary: "a value of another type, word, range or length than documented, a required key missing",
    codes: &[
        "missing_required_parameter",
        "invalid_type",
        "invalid_value",
        "empty_array",
        "empty_string",
        "string_above_max_length",
        "array_above_max_length",
        "integer_below_min_value",
        "integer_above_max_value",
        "decimal_below_min_value",
        "decimal_above_max_value",
        "object_above_max_properties",
        "null",
    ],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":"hot"}"#,
    ),
    check: Check::Body(&REQUEST, Look::Values),
};
