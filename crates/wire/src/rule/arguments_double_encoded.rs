//! The commonest way to break an echo: the arguments, a JSON text already, are encoded as JSON once more.

use super::echo::Outcome;
use super::echoed_calls::{FIX, issued_calls};
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, echo, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "arguments-double-encoded",
    summary: "an issued call whose arguments come back as a JSON string that holds the JSON text",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Echo,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s0_0","type":"function","function":{"name":"write_file","arguments":"\"{\\\"a\\\":1}\""}}]},{"role":"tool","tool_call_id":"call_gate_p_s0_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (message, call) in issued_calls(asked.turn) {
        // Only a string can be double-encoded, so that good calls cost a look at one byte.
        if !call.arguments.trim_start().starts_with('"') {
            continue;
        }
        let Issued::Call { name, arguments, .. } = asked.script.issued(&call.id) else { continue };
        if matches!(echo::compare(asked, call, (name, arguments)), Outcome::DoubleEncoded) {
            let pointer = (asked.turn.point)(Spot::CallArguments(message.index, call.index));
            let what = format!(
                "the arguments of {} are double-encoded: a JSON string that holds the JSON text",
                call.id
            );
            return Err(say::gate(say::ECHO, pointer, &what, FIX));
        }
    }
    Ok(())
}
