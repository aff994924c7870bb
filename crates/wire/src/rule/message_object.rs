//! Check 9a of the original stub: a message is an object.

use super::{Asked, CHAT, Check, Element, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "message-object",
    summary: "a message that is not an object",
    codes: &["gate_messages_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":["hi"]}"#),
    check: Check::Message(check),
};

fn check(_: &Asked<'_>, (index, message): Element<'_>) -> Verdict {
    if message.kind() == Kind::Object {
        return Ok(());
    }
    let what = format!("a message must be an object, not {}", message.kind().phrase());
    let fix = "send {\"role\": …, \"content\": …}";
    Err(say::gate(say::MESSAGES, format!("/messages/{index}"), &what, fix))
}
