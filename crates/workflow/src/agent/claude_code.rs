//! Anthropic's coding agent Claude Code.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "claude-code",
    summary: "Anthropic's coding agent Claude Code",
    dialects: &["anthropic-messages"],
    program: Program::Own,
    install: "npm install @anthropic-ai/claude-code@2.1.332",
    command: &["claude", "-p", "--allowedTools", "Bash"],
    env: &[
        ("ANTHROPIC_MODEL", "{model}"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_TELEMETRY", "1"),
    ],
    files: &[],
    stdin: Some("{prompt}"),
    model: "claude-sonnet-4-5",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell { tool: "Bash", arguments: r#"{"command": "{command}"}"# }),
    exits: "1 where a request failed for good",
    quiet: &[
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
        "--allowedTools",
    ],
    notes: &[
        "Its package asks for Node.js 22; it runs on 20 too.",
        "A refused request is sent again up to five times, each time with fewer beta features.",
        "Arguments outside the offered schema are missing from what it sends back.",
        "A text such as \\u0041 in arguments becomes the letter A, in the command that it runs and in what it sends back.",
    ],
};
