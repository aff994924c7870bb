//! In a history that nothing was dropped from, the assistant turn number n was issued at step n. Agents that compact their history break this, so only `pinned` holds it.

use super::script::ID_PREFIX;
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, say};
use crate::turn::{Role, Spot};

pub(super) const ROW: Rule = Rule {
    name: "echo-turn",
    summary: "an issued call in another assistant turn than the one that made it",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s1_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s1_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let turns = asked.turn.messages.iter().filter(|message| message.role == Role::Assistant);
    for (ordinal, message) in turns.enumerate() {
        for call in message.calls.iter().filter(|call| call.id.starts_with(ID_PREFIX)) {
            let Issued::Call { step, ours: true, .. } = asked.script.issued(&call.id) else { continue };
            if step != ordinal {
                let pointer = (asked.turn.point)(Spot::CallId(message.index, call.index));
                let what = format!("{} was made in assistant turn {step}, not in turn {ordinal}", call.id);
                return Err(say::gate(say::ECHO, pointer, &what, "send the whole history"));
            }
        }
    }
    Ok(())
}
