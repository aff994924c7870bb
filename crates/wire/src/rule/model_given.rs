//! The API names no place when the model is missing.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;

pub(super) const ROW: Rule = Rule {
    name: "model-given",
    summary: "no model",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if asked.tape.root().kind() != Kind::Object || asked.turn.model.is_some_and(|model| !model.is_null()) {
        return Ok(());
    }
    Err(say::api(None, None, "/model", "you must provide a model parameter"))
}
