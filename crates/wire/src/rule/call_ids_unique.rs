//! Two calls of one turn have two ids, else no answer can say which it answers.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::turn::Call;

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
        if let Some(call) = second_of_an_id(&message.calls) {
            let pointer = format!("/messages/{}/tool_calls/{}/id", message.index, call.index);
            let message = format!("Duplicate tool call id '{}' in one assistant message.", call.id);
            return Err(say::api(None, None, pointer, message));
        }
    }
    Ok(())
}

/// Up to so many calls the search over pairs is cheaper than sorting; a peer may send a hundred thousand.
const PAIRWISE: usize = 32;

/// The first call whose id another had before it.
fn second_of_an_id<'t>(calls: &'t [Call<'t>]) -> Option<&'t Call<'t>> {
    if calls.len() <= PAIRWISE {
        let mut later = calls.iter().enumerate();
        return later
            .find(|(at, call)| calls[..*at].iter().any(|other| other.id == call.id))
            .map(|(_, call)| call);
    }
    let mut order: Vec<(&str, usize)> = calls.iter().enumerate().map(|(at, call)| (&*call.id, at)).collect();
    order.sort_unstable();
    let again = order.windows(2).filter(|two| two[0].0 == two[1].0).map(|two| two[1].1).min();
    again.map(|at| &calls[at])
}
