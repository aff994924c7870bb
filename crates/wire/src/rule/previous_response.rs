//! A request goes on from a reply that there is: one that was sent, and with `store` not false.

use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::dialect::openai_responses::stored::was_kept;
use crate::reject::Reject;

pub(super) const ROW: Rule = Rule {
    name: "previous-response",
    summary: "previous_response_id that no reply had, or one that was not stored; a conversation that never began",
    codes: &["previous_response_not_found", "null"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","input":"hi","previous_response_id":"resp_0123"}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(kept) = &asked.turn.kept else { return Ok(()) };
    if asked.script.replied(&kept.id) && was_kept(&kept.id) {
        return Ok(());
    }
    if kept.pointer == "/conversation" {
        let message = format!("Conversation with id '{}' not found.", kept.id);
        return Err(Box::new(Reject { status: 404, ..*say::api(None, None, kept.pointer, message) }));
    }
    let message = format!("Previous response with id '{}' not found.", kept.id);
    let param = kept.pointer.trim_start_matches('/').to_owned();
    Err(say::api(Some("previous_response_not_found"), Some(param), kept.pointer, message))
}
