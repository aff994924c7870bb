//! Check 7 of the original stub: no two tools of one name. The API takes them; which one is called is not defined.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use std::collections::BTreeSet;
pub(super) const ROW: Rule = Rule {
    name: "tool-names-unique",
    summary: "two tools of one name",
    codes: &["gate_tools_shape"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{}}},{"type":"function","function":{"name":"f","description":"d","parameters":{}}}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let tools = &asked.turn.tools;
    let twice = if tools.len() <= PAIRWISE {
        (1..tools.len()).find(|&index| tools[..index].iter().any(|tool| tool.name == tools[index].name))
    } else {
        let mut seen = BTreeSet::new();
        tools.iter().position(|tool| !seen.insert(&tool.name))
    };
    let Some(index) = twice else { return Ok(()) };
    let what = format!("two tools are named {}", say::quoted(&tools[index].name));
    Err(say::gate(say::TOOLS, "/tools".to_owned(), &what, "offer each tool once"))
}

/// Up to so many names the search over pairs is cheaper than a set.
const PAIRWISE: usize = 32;
