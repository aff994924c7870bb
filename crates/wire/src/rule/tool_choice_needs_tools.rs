//! A choice among no tools.

use super::expect_no_tools::offers_tools;
use super::stream_options_needs_stream::is_given;
use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "tool-choice-needs-tools",
    summary: "tool_choice without tools",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tool_choice":"auto"}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if !is_given(asked, "tool_choice") || offers_tools(asked) {
        return Ok(());
    }
    let message =
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.";
    Err(say::api(None, Some("tool_choice".to_owned()), "/tool_choice", message))
}
