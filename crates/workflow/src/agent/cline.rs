//! The coding agent cline on the command line.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

const PROVIDERS: &str = r#"{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "modes": {},
  "providers": {
    "openai-compatible": {
      "settings": {"provider": "openai-compatible", "apiKey": "test", "model": "{model}", "baseUrl": "{base_url}"},
      "updatedAt": "2026-01-01T00:00:00.000Z",
      "tokenSource": "manual"
    }
  }
}
"#;

const SETTINGS: &str = r#"{"telemetryOptOut": true, "autoUpdateEnabled": false}"#;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "cline",
    summary: "the coding agent cline on the command line",
    dialects: &["openai-chat"],
    program: Program::Own,
    install: "npm install cline@3.0.65",
    command: &[
        "cline",
        "--provider",
        "openai-compatible",
        "--model",
        "{model}",
        "--auto-approve",
        "true",
        "{prompt}",
    ],
    env: &[
        ("CLINE_GLOBAL_SETTINGS_PATH", "{home}/cline-settings.json"),
        ("DO_NOT_TRACK", "1"),
        ("CLINE_NO_AUTO_UPDATE", "1"),
        ("CLINE_SESSION_BACKEND_MODE", "local"),
    ],
    files: &[
        ("{home}/.cline/data/settings/providers.json", PROVIDERS),
        ("{home}/cline-settings.json", SETTINGS),
    ],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(180),
    shell: Some(Shell { tool: "run_commands", arguments: r#"{"commands": ["{command}"]}"# }),
    exits: "1 where a request failed for good",
    quiet: &["telemetryOptOut", "DO_NOT_TRACK", "CLINE_NO_AUTO_UPDATE", "--auto-approve"],
    notes: &[
        "Without CLINE_SESSION_BACKEND_MODE it would leave a process behind when it ends.",
        "One of its maker's hosts is tried in spite of all switches; the proxy of the run refuses it and notes it.",
    ],
};
