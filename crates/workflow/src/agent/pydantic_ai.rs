//! pydantic-ai for Python, by a small agent of ours.

use super::row::{KnownAgent, Program};
use super::shell::BUILT_IN;
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "pydantic-ai",
    summary: "a small agent of ours on pydantic-ai for Python",
    dialects: &["openai-chat"],
    program: Program::Python(&["pydantic_ai", "openai"]),
    install: "pip install 'pydantic-ai-slim[openai]==2.68.0'",
    command: &["python3", "{home}/agent/agent.py"],
    env: &[],
    files: &[
        ("{home}/agent/shell_tool.py", include_str!("scripts/shell_tool.py")),
        ("{home}/agent/agent.py", include_str!("scripts/pydantic_ai.py")),
    ],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(BUILT_IN),
    exits: "not 0 where a request failed for good",
    quiet: &[],
    notes: &[],
};
