//! Check 11 of the original stub: a call that the script issued comes back with its name and the value of its arguments.

use super::echo::Outcome;
use super::script::ID_PREFIX;
use super::{Asked, Check, Dialects, Example, Issued, Note, Profile, Rule, Stage, Verdict, echo, say};
use crate::turn::{Call, Message, Spot, Turn};

pub(super) const ROW: Rule = Rule {
    name: "echoed-calls",
    summary: "an issued call that comes back with another name or other arguments",
    codes: &[
        "gate_echo_mismatch",
        "broken-arguments-changed",
        "arguments-through-doubles",
        "arguments-stripped",
    ],
    stage: Stage::Echo,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s0_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":2}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s0_0","content":"x"}]}"#,
    ),
    check: Check::Noting(check),
};

fn check(asked: &Asked<'_>, notes: &mut Vec<Note>) -> Verdict {
    for (message, call) in issued_calls(asked.turn) {
        let Issued::Call { name, arguments, .. } = asked.script.issued(&call.id) else { continue };
        if call.arguments == arguments && call.name == name {
            continue;
        }
        let point = |spot: fn(usize, usize) -> Spot| (asked.turn.point)(spot(message.index, call.index));
        let pointer = || point(Spot::CallArguments);
        match echo::compare(asked, call, (name, arguments)) {
            // Double encoding has a rule of its own.
            Outcome::Same | Outcome::DoubleEncoded => {}
            Outcome::Broken => {
                let message = format!("the script broke the call {}, and it came back changed", call.id);
                notes.push(Note { code: "broken-arguments-changed", pointer: point(Spot::Call), message });
            }
            Outcome::Renamed => {
                let (was, is) = (say::quoted(name), say::quoted(&call.name));
                let what = format!("{} called {was}, not {is}", call.id);
                return Err(say::gate(say::ECHO, point(Spot::CallName), &what, FIX));
            }
            Outcome::Explained(code, why) => {
                notes.push(Note { code, pointer: pointer(), message: why.to_owned() });
            }
            Outcome::Differs(what) => {
                let what = format!("the arguments of {} {what}", call.id);
                return Err(say::gate(say::ECHO, pointer(), &what, FIX));
            }
        }
    }
    Ok(())
}

pub(super) const FIX: &str = "send calls back as they were made";

/// The calls in the history whose ids look like ours, each with its message.
pub(super) fn issued_calls<'t>(turn: &'t Turn<'_>) -> impl Iterator<Item = (&'t Message<'t>, &'t Call<'t>)> {
    turn.messages
        .iter()
        .flat_map(|message| message.calls.iter().map(move |call| (message, call)))
        .filter(|(_, call)| call.id.starts_with(ID_PREFIX))
}
