//! The documented chat request of Ollama: types, and the model.

use super::shape::Look;
use super::{Check, Example, OLLAMA_CHAT, Profile, Rule, Stage};
use crate::dialect::ollama_chat::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "ollama-shape",
    summary: "no model, or a value of another type than documented, in a chat with Ollama",
    codes: &["null"],
    stage: Stage::Api,
    dialects: OLLAMA_CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Body(&REQUEST, Look::Values),
};
