//! Two calls of one turn have two ids, else no answer can say which it answers.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "call-ids-unique",
    summary: "one call id twice in a turn",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":""}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for message in asked.turn.messages.iter().filter(|message| message.calls.len() > 1) {
        for (at, call) in message.calls.iter().enumerate() {
            if message.calls[..at].iter().any(|other| other.id == call.id) {
                let pointer = format!("/messages/{}/tool_calls/{}/id", message.index, call.index);
                let message = format!("Duplicate tool call id '{}' in one assistant message.", call.id);
                return Err(say::api(None, None, pointer, message));
            }
        }
    }
    Ok(())
}
