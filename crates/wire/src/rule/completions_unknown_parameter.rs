//! Keys that the documented completion request does not have.

use super::shape::Look;
use super::{COMPLETIONS, Check, Example, Profile, Rule, Stage};
use crate::dialect::openai_completions::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "completions-unknown-parameter",
    summary: "an undocumented key",
    codes: &["unknown_parameter"],
    stage: Stage::Api,
    dialects: COMPLETIONS,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","prompt":"hi","frobnicate":1}"#),
    check: Check::Body(&REQUEST, Look::Keys),
};
