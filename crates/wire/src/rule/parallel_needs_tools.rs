//! Parallel calls of no tools.

use super::expect_no_tools::offers_tools;
use super::stream_options_needs_stream::is_given;
use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "parallel-needs-tools",
    summary: "parallel_tool_calls without tools",
    codes: &["null"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"parallel_tool_calls":false}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    if !is_given(asked, "parallel_tool_calls") || offers_tools(asked) {
        return Ok(());
    }
    let message = "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.";
    Err(say::api(None, Some("parallel_tool_calls".to_owned()), "/parallel_tool_calls", message))
}
