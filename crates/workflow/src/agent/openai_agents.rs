//! the openai-agents package for Python, by a small agent of ours.

use super::row::{KnownAgent, Program};
use super::shell::BUILT_IN;
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "openai-agents",
    summary: "a small agent of ours on the openai-agents package for Python",
    dialects: &["openai-responses"],
    program: Program::Python(&["agents"]),
    install: "pip install openai-agents==0.24.0",
    command: &["python3", "{home}/agent/agent.py"],
    env: &[("OPENAI_AGENTS_DISABLE_TRACING", "1")],
    files: &[
        ("{home}/agent/shell_tool.py", include_str!("scripts/shell_tool.py")),
        ("{home}/agent/agent.py", include_str!("scripts/openai_agents.py")),
    ],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(BUILT_IN),
    exits: "not 0 where a request failed for good",
    quiet: &["OPENAI_AGENTS_DISABLE_TRACING"],
    notes: &["A call of a tool that it does not offer ends it with an error."],
};
