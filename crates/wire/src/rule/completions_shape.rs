//! The documented completion request: types, words, ranges and required keys.

use super::shape::Look;
use super::{COMPLETIONS, Check, Example, Profile, Rule, Stage};
use crate::dialect::openai_completions::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "completions-shape",
    summary: "a value of another type, word, range or length than documented, a required key missing",
    codes: &[
        "missing_required_parameter",
        "invalid_type",
        "invalid_value",
        "empty_array",
        "array_above_max_length",
        "integer_below_min_value",
        "integer_above_max_value",
        "decimal_below_min_value",
        "decimal_above_max_value",
    ],
    stage: Stage::Api,
    dialects: COMPLETIONS,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","prompt":"hi","temperature":"hot"}"#),
    check: Check::Body(&REQUEST, Look::Values),
};
