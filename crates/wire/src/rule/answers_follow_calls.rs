//! What the API says of calls and answers that do not pair; the same walk as the gate's.

use super::pairing::{Break, Fault, first_break};
use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "answers-follow-calls",
    summary: "calls without an answer, answers without a call",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"call_1","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(Break { index, fault }) = first_break(asked.turn, |_| true) else { return Ok(()) };
    let (key, message) = match fault {
        Fault::Orphan(_) => (
            "role",
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                .to_owned(),
        ),
        Fault::AnsweredTwice(id) => ("tool_call_id", format!("Duplicate value for 'tool_call_id' of '{id}'.")),
        Fault::UnknownId(id) => ("role", unanswered(&[id])),
        Fault::Unanswered(ids) => ("role", unanswered(&ids)),
    };
    let (param, pointer) = (format!("messages.[{index}].{key}"), format!("/messages/{index}/{key}"));
    Err(say::api(None, Some(param), pointer, message))
}

fn unanswered(ids: &[&str]) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
         'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    )
}
