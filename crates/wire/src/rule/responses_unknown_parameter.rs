//! Keys that the documented Responses request does not have. Items, parts and tools may hold any: they grow with each version.

use super::shape::Look;
use super::{Check, Example, Profile, RESPONSES, Rule, Stage};
use crate::dialect::openai_responses::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "responses-unknown-parameter",
    summary: "an undocumented key",
    codes: &["unknown_parameter"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi","frobnicate":1}"#),
    check: Check::Body(&REQUEST, Look::Keys),
};
