//! Arguments in the history that are no JSON object text: a finding, for correct clients echo what a model sent.

use super::{Asked, Check, Dialects, Example, Issued, Note, Profile, Rule, Stage, Verdict};
use crate::json::{Kind, parse};
use crate::turn::Spot;

pub(super) const ROW: Rule = Rule {
    name: "history-arguments",
    summary: "notes arguments that are not JSON or are double-encoded; never refuses",
    codes: &["arguments-not-json", "arguments-double-encoded"],
    stage: Stage::Own,
    dialects: Dialects::All,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"write_file","arguments":"{\"a\":"}}]},{"role":"tool","tool_call_id":"call_1","content":"x"}]}"#,
    ),
    check: Check::Noting(check),
};

fn check(asked: &Asked<'_>, notes: &mut Vec<Note>) -> Verdict {
    // Older turns were looked at when they were new.
    let Some(message) = asked.turn.messages.iter().rev().find(|message| !message.calls.is_empty()) else {
        return Ok(());
    };
    for call in message.calls.iter().filter(|call| !call.custom && !call.arguments.is_empty()) {
        // Our own calls were compared with the script, which may have broken them on purpose.
        if matches!(asked.script.issued(&call.id), Issued::Call { .. }) {
            continue;
        }
        let (code, what) = match parse(call.arguments.as_bytes()) {
            Err(_) => ("arguments-not-json", "are not JSON"),
            Ok(tape) if tape.root().kind() == Kind::String => {
                ("arguments-double-encoded", "are a JSON string, so encoded twice")
            }
            Ok(_) => continue,
        };
        let pointer = (asked.turn.point)(Spot::CallArguments(message.index, call.index));
        notes.push(Note { code, pointer, message: format!("the arguments of {} {what}", call.id) });
    }
    Ok(())
}
