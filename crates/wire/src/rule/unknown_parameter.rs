//! Keys that the documented request does not have.

use super::shape::Look;
use super::{CHAT, Check, Example, Profile, Rule, Stage};
use crate::dialect::openai_chat::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "unknown-parameter",
    summary: "an undocumented key",
    codes: &["unknown_parameter"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"frobnicate":1}"#),
    check: Check::Body(&REQUEST, Look::Keys),
};
