//! Keys that the documented Messages request does not have. A request that names a beta may hold any.

use super::shape::Look;
use super::{Check, Example, MESSAGES_API, Profile, Rule, Stage};
use crate::dialect::anthropic_messages::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "messages-unknown-parameter",
    summary: "an undocumented key in a request that names no beta",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"frobnicate":1}"#,
    ),
    check: Check::Body(&REQUEST, Look::Keys),
};
