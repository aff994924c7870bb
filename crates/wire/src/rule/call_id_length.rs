//! Ids of calls of at most 40 characters: seen in error texts of the API, later reported as lifted.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "call-id-length",
    summary: "a call id of more than 40 characters",
    codes: &["string_above_max_length"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"call_00000000000000000000000000000000000000000000","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_00000000000000000000000000000000000000000000","content":""}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for message in &asked.turn.messages {
        for call in &message.calls {
            let length = call.id.chars().count();
            if length > LONGEST {
                let param = format!("messages[{}].tool_calls[{}].id", message.index, call.index);
                let pointer = format!("/messages/{}/tool_calls/{}/id", message.index, call.index);
                let message = format!(
                    "Invalid '{param}': string too long. Expected a string with maximum length {LONGEST}, \
                     but got a string with length {length} instead."
                );
                return Err(say::api(Some("string_above_max_length"), Some(param), pointer, message));
            }
        }
    }
    Ok(())
}

const LONGEST: usize = 40;
