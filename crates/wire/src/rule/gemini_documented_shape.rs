//! The documented Gemini request: required keys, types, words and ranges.

use super::shape::Look;
use super::{Check, Example, GEMINI, Profile, Rule, Stage};
use crate::dialect::google_gemini::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "gemini-documented-shape",
    summary: "a value of another type, word or range than documented, a required key missing",
    codes: &["null"],
    stage: Stage::Api,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"contents":[]}"#),
    check: Check::Body(&REQUEST, Look::Values),
};
