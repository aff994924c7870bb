//! An id with our prefix that the script never issued is invented.

use super::echoed_calls::{FIX, issued_calls};
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "echo-known-id",
    summary: "a call id with our prefix that was never issued",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s9_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s9_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (message, call) in issued_calls(asked.turn) {
        if let Issued::Never(why) = asked.script.issued(&call.id) {
            let pointer = (asked.turn.point)(Spot::CallId(message.index, call.index));
            let what = format!("the id {} was never issued: {why}", say::quoted(&call.id));
            return Err(say::gate(say::ECHO, pointer, &what, FIX));
        }
    }
    Ok(())
}
