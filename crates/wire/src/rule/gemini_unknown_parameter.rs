//! Keys that the documented Gemini request does not have.

use super::shape::Look;
use super::{Check, Example, GEMINI, Profile, Rule, Stage};
use crate::dialect::google_gemini::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "gemini-unknown-parameter",
    summary: "an undocumented key of a request, a content, a part, a call, a tool or a setting",
    codes: &["null"],
    stage: Stage::Api,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"contents":[{"parts":[{"text":"hi"}]}],"frobnicate":1}"#),
    check: Check::Body(&REQUEST, Look::Keys),
};
