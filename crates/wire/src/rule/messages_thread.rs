//! A thread goes on from a reply that the server sent. Official clients that are told otherwise send the whole history.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::reject::Reject;

pub(super) const ROW: Rule = Rule {
    name: "messages-thread",
    summary: "a thread that goes on from a message that was never sent",
    codes: &["thread_not_found"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"on"}],"thread":{"type":"continue","previous_message_id":"msg_x"}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(kept) = asked.turn.kept.as_ref().filter(|kept| !asked.script.replied(&kept.id)) else {
        return Ok(());
    };
    let message =
        format!("thread.previous_message_id: no thread holds the message {}", say::quoted(&kept.id));
    let reject = Reject::of_no_place("", 404, Some("thread_not_found"), message);
    Err(Box::new(Reject { pointer: kept.pointer.to_owned(), ..reject }))
}
