//! The documented Responses request: types, words, ranges and required keys.

use super::shape::Look;
use super::{Check, Example, Profile, RESPONSES, Rule, Stage};
use crate::dialect::openai_responses::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "responses-shape",
    summary: "a value of another type, word, range or length than documented, a required key missing",
    codes: &[
        "missing_required_parameter",
        "invalid_type",
        "invalid_value",
        "empty_string",
        "string_above_max_length",
        "integer_below_min_value",
        "integer_above_max_value",
        "decimal_below_min_value",
        "decimal_above_max_value",
        "object_above_max_properties",
        "null",
    ],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi","temperature":"hot"}"#),
    check: Check::Body(&REQUEST, Look::Values),
};
