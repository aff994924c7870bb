//! Half a surrogate pair is no text: it cannot be written as UTF-8.

use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "lone-surrogate",
    summary: "an escape of half a surrogate pair",
    codes: &["null"],
    stage: Stage::Api,
    dialects: Dialects::All,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"\ud800"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(offset) = asked.tape.lone_surrogate else { return Ok(()) };
    let message =
        format!("We could not parse the JSON body of your request: half a surrogate pair at byte {offset}.");
    Err(say::api(None, None, "", message))
}
