//! A call that another conversation issued has no place in this one.

use super::echoed_calls::issued_calls;
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "echo-own-calls",
    summary: "a call that was issued to another phrasing",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_q_s0_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_q_s0_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    // In the background no conversation is matched, and a title or a summary may be asked for with any history.
    if asked.script.expected().is_none() {
        return Ok(());
    }
    for (message, call) in issued_calls(asked.turn) {
        if let Issued::Call { ours: false, .. } = asked.script.issued(&call.id) {
            let pointer = (asked.turn.point)(Spot::CallId(message.index, call.index));
            let what = format!("{} was issued in another conversation", say::quoted(&call.id));
            return Err(say::gate(say::ECHO, pointer, &what, "keep conversations apart"));
        }
    }
    Ok(())
}
