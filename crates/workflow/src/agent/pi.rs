//! The coding agent pi.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

const MODELS: &str = r#"{"providers": {"rehearsal": {"baseUrl": "{base_url}", "apiKey": "test", "api": "openai-completions", "models": [{"id": "{model}"}]}}}"#;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "pi",
    summary: "the coding agent pi",
    dialects: &["openai-chat", "openai-responses", "anthropic-messages"],
    program: Program::Own,
    install: "npm install @mariozechner/pi-coding-agent@0.73.1",
    command: &["pi", "-p", "--provider", "rehearsal", "--model", "{model}", "--no-session", "{prompt}"],
    env: &[("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1"), ("PI_TELEMETRY", "0")],
    files: &[("{home}/.pi/agent/models.json", MODELS)],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell { tool: "bash", arguments: r#"{"command": "{command}"}"# }),
    exits: "not to be relied on: after a stream that says nothing it ends with 0",
    quiet: &["PI_OFFLINE", "PI_SKIP_VERSION_CHECK", "PI_TELEMETRY", "-p", "--no-session"],
    notes: &[
        "Another `api` in models.json (openai-responses; anthropic-messages with {root_url}) lets it speak the other dialects.",
        "A prompt that begins with `@` or `-` is taken for a file or a switch.",
    ],
};
