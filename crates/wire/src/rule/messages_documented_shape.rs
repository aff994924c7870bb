//! The documented Messages request: required keys, types, words, ranges and lengths.

use super::shape::Look;
use super::{Check, Example, MESSAGES_API, Profile, Rule, Stage};
use crate::dialect::anthropic_messages::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "messages-documented-shape",
    summary: "a value of another type, word, range or length than documented, a required key missing",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Body(&REQUEST, Look::Values),
};
