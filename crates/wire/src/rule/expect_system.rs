//! A step may ask for words in the instructions.

use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};
use crate::turn::{Role, Spot};

pub(super) const ROW: Rule = Rule {
    name: "expect-system",
    summary: "instructions without the words that the script asks for",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: Dialects::All,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    if expected.system_contains.is_empty() || asked.turn.keeps_setting() {
        return Ok(());
    }
    let instructions = || {
        let messages = asked.turn.messages.iter();
        messages
            .filter(|message| matches!(message.role, Role::System | Role::Developer))
            .flat_map(|m| &m.texts)
    };
    let absent = expected
        .system_contains
        .iter()
        .find(|words| !instructions().any(|text| text.contains(words.as_str())));
    let Some(words) = absent else { return Ok(()) };
    let what = format!("no system or developer message holds {}", say::quoted(words));
    Err(say::gate(
        say::EXPECT,
        (asked.turn.point)(Spot::List),
        &what,
        "send the instructions that the script asks for",
    ))
}
