//! The documented completion request of Ollama: types, and the model.

use super::shape::Look;
use super::{Check, Example, OLLAMA_GENERATE, Profile, Rule, Stage};
use crate::dialect::ollama_generate::shape::REQUEST;

pub(super) const ROW: Rule = Rule {
    name: "ollama-generate-shape",
    summary: "no model, or a value of another type than documented, in a completion by Ollama",
    codes: &["null"],
    stage: Stage::Api,
    dialects: OLLAMA_GENERATE,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","prompt":["hi"]}"#),
    check: Check::Body(&REQUEST, Look::Values),
};
