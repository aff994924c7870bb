//! langchain for Python with langchain-openai, by a small agent of ours.

use super::row::{KnownAgent, Program};
use super::shell::BUILT_IN;
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "langchain",
    summary: "a small agent of ours on langchain for Python with langchain-openai",
    dialects: &["openai-chat"],
    program: Program::Python(&["langchain", "langchain_openai"]),
    install: "pip install langchain==1.5.2 langchain-openai==1.7.4",
    command: &["python3", "{home}/agent/agent.py"],
    env: &[("LANGSMITH_TRACING", "false")],
    files: &[
        ("{home}/agent/shell_tool.py", include_str!("scripts/shell_tool.py")),
        ("{home}/agent/agent.py", include_str!("scripts/langchain.py")),
    ],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(BUILT_IN),
    exits: "not 0 where a request failed for good; 0 after a call with broken arguments, at which its loop just ends",
    quiet: &["LANGSMITH_TRACING"],
    notes: &[],
};
