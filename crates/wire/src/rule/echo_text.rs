//! The words of a turn come back unchanged or not at all.

use super::echoed_calls::issued_calls;
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "echo-text",
    summary: "words in an issued turn that the script did not send",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Made up.","tool_calls":[{"id":"call_gate_p_s1_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s1_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let mut seen = None;
    for (message, call) in issued_calls(asked.turn) {
        if seen.replace(message.index) == Some(message.index)
            || message.texts.iter().all(|text| text.trim().is_empty())
        {
            continue;
        }
        let Issued::Call { step, ours: true, .. } = asked.script.issued(&call.id) else { continue };
        // A client may send the text in several parts.
        let echoed = message.texts.concat();
        let sent = asked.script.text_of_step(step).unwrap_or_default();
        if echoed.trim() != sent.trim() {
            let pointer = (asked.turn.point)(Spot::Content(message.index));
            let what = format!("{} is not what was said with {}", say::quoted(&echoed), call.id);
            return Err(say::gate(say::ECHO, pointer, &what, "send the words back as they were, or none"));
        }
    }
    Ok(())
}
