//! A step may ask for values at places in the body.

use super::{Asked, Check, Dialects, Example, Profile, Rule, Stage, Verdict, say};
use crate::json::{Likeness, likeness, parse};

pub(super) const ROW: Rule = Rule {
    name: "expect-values",
    summary: "another value than the script asks for, or none, at a place in the body",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: Dialects::All,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    for (pointer, wanted) in &expected.values {
        // A wanted text that is no JSON is refused when the file is read; it equals nothing here.
        let Ok(wanted) = parse(wanted.as_bytes()) else { continue };
        let sent = asked.tape.root().at(pointer);
        if sent.is_some_and(|sent| likeness(sent, wanted.root()) == Likeness::Same) {
            continue;
        }
        let found = sent.map_or("nothing".to_owned(), say::shown);
        let what = format!("the script expects {} here, not {found}", say::shown(wanted.root()));
        return Err(say::gate(say::EXPECT, pointer.clone(), &what, "send that value"));
    }
    Ok(())
}
