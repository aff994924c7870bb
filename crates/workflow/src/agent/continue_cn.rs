//! Continue on the command line, cn.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

const CONFIG: &str = "\
name: rehearsal
version: 1.0.0
schema: v1
models:
  - name: rehearsal
    provider: openai
    model: {model}
    apiBase: {base_url}
    apiKey: test
    roles: [chat]
    capabilities: [tool_use]
";

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "continue",
    summary: "Continue on the command line, cn",
    dialects: &["openai-chat"],
    program: Program::Own,
    install: "npm install @continuedev/cli@1.5.47",
    command: &["cn", "--config", "{home}/continue.yaml", "--auto", "-p", "{prompt}"],
    env: &[
        ("CONTINUE_TELEMETRY_ENABLED", "0"),
        ("CONTINUE_METRICS_ENABLED", "0"),
        ("CONTINUE_CLI_DISABLE_COMMIT_SIGNATURE", "1"),
    ],
    files: &[("{home}/continue.yaml", CONFIG)],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell { tool: "Bash", arguments: r#"{"command": "{command}"}"# }),
    exits: "not to be relied on: after a stream that says nothing it ends with 0",
    quiet: &["CONTINUE_TELEMETRY_ENABLED", "CONTINUE_METRICS_ENABLED", "--auto"],
    notes: &[],
};
