//! What the Responses API says of calls and answers that do not pair; the same walk as the gate's.

use super::pairing::{Break, Fault, first_break};
use super::{Asked, Check, Example, Profile, RESPONSES, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "responses-answers",
    summary: "calls without an answer, answers without a call",
    codes: &["null"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call_output","call_id":"call_1","output":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(Break { index, fault }) = first_break(asked.turn, |_| true) else { return Ok(()) };
    let message = match fault {
        Fault::Orphan(id) | Fault::UnknownId(id) => {
            format!("No tool call found for function call output with call_id {id}.")
        }
        Fault::Unanswered(ids) => {
            format!("No tool output found for function call {}.", ids.first().copied().unwrap_or_default())
        }
        // The API takes a second answer; which of them counts is not said.
        Fault::AnsweredTwice(_) => return Ok(()),
    };
    let pointer = (asked.turn.point)(crate::turn::Spot::Message(index));
    Err(say::api(None, Some("input".to_owned()), pointer, message))
}
