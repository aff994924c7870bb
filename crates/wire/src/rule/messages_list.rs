//! Check 8 of the original stub: a body that is an object with a non-empty message array.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::Kind;
pub(super) const ROW: Rule = Rule {
    name: "messages-list",
    summary: "a body or messages of the wrong shape, or no message",
    codes: &["gate_messages_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":5}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let body = asked.tape.root();
    if body.kind() != Kind::Object {
        let what = format!("the body must be an object, not {}", body.kind().phrase());
        return Err(say::gate(say::MESSAGES, String::new(), &what, "send {\"model\": …, \"messages\": […]}"));
    }
    let (what, fix) = match body.get("messages") {
        None => ("`messages` is missing".to_owned(), "send the conversation as `messages`"),
        Some(list) if list.kind() != Kind::Array => (
            format!("`messages` must be an array, not {}", list.kind().phrase()),
            "wrap the messages in an array",
        ),
        Some(list) if list.is_empty() => ("`messages` is empty".to_owned(), "send at least one message"),
        Some(_) => return Ok(()),
    };
    Err(say::gate(say::MESSAGES, "/messages".to_owned(), &what, fix))
}
