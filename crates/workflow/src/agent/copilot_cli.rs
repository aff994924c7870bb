//! GitHub's coding agent Copilot CLI.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "copilot-cli",
    summary: "GitHub's coding agent Copilot CLI, without an account",
    dialects: &["openai-chat", "openai-responses", "anthropic-messages"],
    program: Program::Own,
    install: "npm install @github/copilot@1.0.102",
    command: &["copilot", "-p", "{prompt}", "--allow-all-tools"],
    env: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
        ("COPILOT_PKG_CACHE_HOME", "{home}/../../../copilot"),
        ("COPILOT_PROVIDER_BASE_URL", "{base_url}"),
        ("COPILOT_PROVIDER_API_KEY", "test"),
        ("COPILOT_MODEL", "{model}"),
    ],
    files: &[],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell {
        tool: "bash",
        arguments: r#"{"command": "{command}", "description": "Run a command"}"#,
    }),
    exits: "1 where a request failed for good",
    quiet: &["COPILOT_OFFLINE", "COPILOT_AUTO_UPDATE", "--allow-all-tools"],
    notes: &[
        "It unpacks itself, 235 MB, at its first start: once for each run, into the folder `copilot` of the run.",
        "COPILOT_PROVIDER_WIRE_API=responses, or COPILOT_PROVIDER_TYPE=anthropic with {root_url}, lets it speak the other dialects.",
    ],
};
