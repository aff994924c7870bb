//! Check 14 of the original stub, last part: a step may pin parallel_tool_calls.

use super::{Asked, Check, Example, OPENAI, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "expect-parallel",
    summary: "parallel_tool_calls absent or of another value than the script pins",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: OPENAI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(expected) = asked.script.expected() else { return Ok(()) };
    let Some(pinned) = expected.parallel_tool_calls else { return Ok(()) };
    let sent = asked.top("parallel_tool_calls");
    if sent.and_then(Value::as_bool) == Some(pinned) {
        return Ok(());
    }
    let what = match sent {
        None => format!("the script expects `parallel_tool_calls` {pinned} here, and it is missing"),
        Some(sent) => {
            format!("the script expects `parallel_tool_calls` {pinned} here, not {}", say::shown(sent))
        }
    };
    let fix = format!("send \"parallel_tool_calls\": {pinned}");
    Err(say::gate(say::EXPECT, "/parallel_tool_calls".to_owned(), &what, &fix))
}
