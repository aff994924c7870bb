//! the openai package for Node.js, by a small agent of ours.

use super::row::{KnownAgent, Program};
use super::shell::BUILT_IN;
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "openai-node",
    summary: "a small agent of ours on the openai package for Node.js",
    dialects: &["openai-chat"],
    program: Program::Node(&["openai"]),
    install: "npm install openai@6.49.0",
    command: &["node", "{home}/agent/agent.mjs"],
    env: &[],
    files: &[
        ("{home}/agent/shell_tool.mjs", include_str!("scripts/shell_tool.mjs")),
        ("{home}/agent/agent.mjs", include_str!("scripts/openai_node.mjs")),
    ],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(60),
    shell: Some(BUILT_IN),
    exits: "not 0 where a request failed for good",
    quiet: &[],
    notes: &[],
};
