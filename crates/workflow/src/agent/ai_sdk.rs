//! the AI SDK for Node.js, by a small agent of ours.

use super::row::{KnownAgent, Program};
use super::shell::BUILT_IN;
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "ai-sdk",
    summary: "a small agent of ours on the AI SDK for Node.js",
    dialects: &["openai-chat"],
    program: Program::Node(&["ai", "@ai-sdk/openai-compatible"]),
    install: "npm install ai@6.0.326 @ai-sdk/openai-compatible@2.0.92",
    command: &["node", "{home}/agent/agent.mjs"],
    env: &[],
    files: &[
        ("{home}/agent/shell_tool.mjs", include_str!("scripts/shell_tool.mjs")),
        ("{home}/agent/agent.mjs", include_str!("scripts/ai_sdk.mjs")),
    ],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(60),
    shell: Some(BUILT_IN),
    exits: "not 0 where a request failed for good",
    quiet: &[],
    notes: &["It waits 2 s and 4 s between its attempts, and gives up after three."],
};
