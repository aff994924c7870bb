//! What the Gemini API says of calls and responses that do not pair; the same walk as the gate's.

use super::pairing::{Break, Fault, first_break};
use super::{Asked, Check, Example, GEMINI, Profile, Rule, Stage, Verdict, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "gemini-responses",
    summary: "a functionCall without functionResponse, a functionResponse without functionCall",
    codes: &["null"],
    stage: Stage::Api,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(Break { index, fault }) = first_break(asked.turn, |_| true) else { return Ok(()) };
    let message = match fault {
        Fault::Orphan(_) => {
            "Please ensure that function response turn comes immediately after a function call turn."
        }
        Fault::UnknownId(_) | Fault::AnsweredTwice(_) | Fault::Unanswered(_) => {
            "Please ensure that the number of function response parts is equal to the number of function call parts of \
             the function call turn."
        }
    };
    Err(say::api(None, None, (asked.turn.point)(Spot::Message(index)), message))
}
