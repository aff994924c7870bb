//! Turns come back in the order in which they were issued, each once and in one piece.

use super::echoed_calls::{FIX, issued_calls};
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "echo-order",
    summary: "issued turns that come back twice, split, mixed or out of order",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s0_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s0_0","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s0_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s0_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let mut before: Option<(usize, usize)> = None;
    for (message, call) in issued_calls(asked.turn) {
        let Issued::Call { step, ours: true, .. } = asked.script.issued(&call.id) else { continue };
        let what = match before {
            Some((index, last)) if index == message.index && last != step => {
                "belongs to another turn than the call before it"
            }
            Some((index, last)) if index < message.index && last == step => {
                "belongs to a turn that already came back"
            }
            Some((index, last)) if index < message.index && last > step => {
                "belongs to a turn before the one that came back last"
            }
            Some(_) | None => {
                before = Some((message.index, step));
                continue;
            }
        };
        let pointer = (asked.turn.point)(Spot::CallId(message.index, call.index));
        return Err(say::gate(say::ECHO, pointer, &format!("{} {what}", call.id), FIX));
    }
    Ok(())
}
