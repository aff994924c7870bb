//! Thoughts that came as `reasoning_content` go back with the calls that they led to: those who send them refuse or forget without.

use super::echoed_calls::issued_calls;
use super::{Asked, CHAT, Check, Example, Issued, Note, Profile, Rule, Stage, Verdict};
use crate::fault::SHOWS_THOUGHTS;
use crate::json::Value;
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "reasoning-echoed",
    summary: "notes calls that come back without the `reasoning_content` that was sent with them, or with another; never refuses",
    codes: &["reasoning-dropped"],
    stage: Stage::Own,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s0_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}},{"id":"call_gate_p_s0_1","type":"function","function":{"name":"read_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s0_0","content":"x"},{"role":"tool","tool_call_id":"call_gate_p_s0_1","content":"x"}]}"#,
    ),
    check: Check::Noting(check),
};

fn check(asked: &Asked<'_>, notes: &mut Vec<Note>) -> Verdict {
    let mut seen = None;
    for (message, call) in issued_calls(asked.turn) {
        if seen.replace(message.index) == Some(message.index) {
            continue;
        }
        let Issued::Call { step, ours: true, .. } = asked.script.issued(&call.id) else { continue };
        let Some(thinking) = asked.script.thinking_of_step(step) else { continue };
        // The chat API shows no thoughts but by this fault.
        if !asked.script.has_fault(step, SHOWS_THOUGHTS) {
            continue;
        }
        let sent = asked.tape.root().at(&format!("/messages/{}/reasoning_content", message.index));
        let what = match sent.and_then(Value::as_str) {
            Some(echoed) if echoed == thinking => continue,
            Some(_) => "with another reasoning_content than was sent with it",
            None => "without the reasoning_content that was sent with it",
        };
        let pointer = (asked.turn.point)(Spot::Call(message.index, call.index));
        let message = format!("{} came back {what}", call.id);
        notes.push(Note { code: "reasoning-dropped", pointer, message });
    }
    Ok(())
}
