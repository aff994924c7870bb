//! OpenAI's coding agent codex.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

const CONFIG: &str = r#"model = "{model}"
model_provider = "rehearsal"
check_for_update_on_startup = false

[model_providers.rehearsal]
name = "rehearsal"
base_url = "{base_url}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[analytics]
enabled = false

[features]
plugins = false
apps = false
"#;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "codex",
    summary: "OpenAI's coding agent codex",
    dialects: &["openai-responses"],
    program: Program::Own,
    install: "npm install @openai/codex@0.171.0",
    command: &[
        "codex",
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--ephemeral",
        "-",
    ],
    env: &[],
    files: &[("{home}/.codex/config.toml", CONFIG)],
    stdin: Some("{prompt}"),
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell { tool: "exec_command", arguments: r#"{"cmd": "{command}"}"# }),
    exits: "1 where a request failed for good",
    quiet: &[
        "--dangerously-bypass-approvals-and-sandbox",
        "--ephemeral",
        "check_for_update_on_startup = false",
        "analytics",
        "plugins = false",
        "apps = false",
    ],
    notes: &[
        "It speaks the Responses API alone, always streamed.",
        "Names that begin with gpt-5 let it offer further tools.",
        "It commits no file: without a sandbox of its own it works in the workspace directly.",
    ],
};
