//! Names that may stand once: those of tools, and the ids of the calls of one turn.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::turn::Spot;
use std::collections::BTreeSet;

pub(super) const ROW: Rule = Rule {
    name: "messages-names-unique",
    summary: "two tools of one name, or one tool_use id twice in a turn",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let mut names = BTreeSet::new();
    if !asked.turn.tools.iter().all(|tool| names.insert(&*tool.name)) {
        return Err(say::api(None, None, "/tools", "tools: Tool names must be unique."));
    }
    for message in asked.turn.messages.iter().filter(|message| message.calls.len() > 1) {
        let mut ids = BTreeSet::new();
        if let Some(call) = message.calls.iter().find(|call| !ids.insert(&*call.id)) {
            let pointer = (asked.turn.point)(Spot::CallId(message.index, call.index));
            let place = pointer.trim_start_matches('/').trim_end_matches("/id").replace('/', ".");
            return Err(say::api(None, None, pointer, format!("{place}: `tool_use` ids must be unique")));
        }
    }
    Ok(())
}
