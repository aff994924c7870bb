//! the anthropic package for Python, by a small agent of ours.

use super::row::{KnownAgent, Program};
use super::shell::BUILT_IN;
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "anthropic-python",
    summary: "a small agent of ours on the anthropic package for Python",
    dialects: &["anthropic-messages"],
    program: Program::Python(&["anthropic"]),
    install: "pip install anthropic==2.14.0",
    command: &["python3", "{home}/agent/agent.py"],
    env: &[],
    files: &[
        ("{home}/agent/shell_tool.py", include_str!("scripts/shell_tool.py")),
        ("{home}/agent/agent.py", include_str!("scripts/anthropic_python.py")),
    ],
    stdin: None,
    model: "claude-sonnet-4-5",
    time_limit: Duration::from_secs(60),
    shell: Some(BUILT_IN),
    exits: "not 0 where a request failed for good",
    quiet: &[],
    notes: &[],
};
