//! A step may require a choice of tools: its mode, in this API.

use super::{Asked, Check, Example, GEMINI, Profile, Rule, Stage, Verdict, say};
use crate::dialect::google_gemini::read::field;
use crate::dialect::google_gemini::shape::MODES;

pub(super) const ROW: Rule = Rule {
    name: "gemini-expect-choice",
    summary: "no mode of function calling where the script requires a tool_choice",
    codes: &["gate_expect"],
    stage: Stage::Expect,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"contents":[{"parts":[{"text":"hi"}]}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if asked.script.expected().is_none_or(|expected| !expected.require_tool_choice) {
        return Ok(());
    }
    let config = field(asked.tape.root(), "toolConfig");
    let calling = config.and_then(|config| field(config, "functionCallingConfig"));
    let mode = calling.and_then(|calling| calling.get("mode"));
    if mode.is_some_and(|mode| MODES.iter().any(|word| mode.is_str(word))) {
        return Ok(());
    }
    let place = "/toolConfig/functionCallingConfig/mode".to_owned();
    let what = "the script expects a mode of function calling here: AUTO, ANY, NONE or VALIDATED";
    Err(say::gate(say::EXPECT, place, what, "send it, \"AUTO\" where the model may choose"))
}
