//! A turn of several calls comes back with all of them.

use super::echoed_calls::{FIX, issued_calls};
use super::{Asked, Check, Dialects, Example, Issued, Profile, Rule, Stage, Verdict, echo, say};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "echo-complete",
    summary: "an issued call that is missing from its turn",
    codes: &["gate_echo_mismatch"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s0_0","type":"function","function":{"name":"write_file","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"call_gate_p_s0_0","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let mut seen = None;
    for (message, call) in issued_calls(asked.turn) {
        if seen.replace(message.index) == Some(message.index) {
            continue;
        }
        let Issued::Call { step, ours: true, .. } = asked.script.issued(&call.id) else { continue };
        let issued = asked.script.ids_of_step(step);
        let absent =
            issued.iter().find(|id| message.calls.iter().all(|call| call.id != **id) && !may_go(asked, id));
        if let Some(id) = absent {
            let pointer = (asked.turn.point)(Spot::Calls(message.index));
            return Err(say::gate(
                say::ECHO,
                pointer,
                &format!("the call {id} of this turn is missing"),
                FIX,
            ));
        }
    }
    Ok(())
}

/// A call that the script broke may be dropped: some clients keep no call that they cannot read.
fn may_go(asked: &Asked<'_>, id: &str) -> bool {
    match asked.script.issued(id) {
        Issued::Call { arguments, .. } => echo::is_broken(arguments, asked.script.echo()),
        Issued::Foreign | Issued::Never(_) => true,
    }
}
