//! Google's coding agent Gemini CLI.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

const SETTINGS: &str = r#"{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false},
  "privacy": {"usageStatisticsEnabled": false}
}
"#;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "gemini-cli",
    summary: "Google's coding agent Gemini CLI",
    dialects: &["google-gemini"],
    program: Program::Own,
    install: "npm install @google/gemini-cli@0.61.0",
    command: &["gemini", "--model", "{model}", "--yolo", "--prompt", "{prompt}"],
    env: &[
        ("GEMINI_TELEMETRY_ENABLED", "false"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GEMINI_SANDBOX", "false"),
    ],
    files: &[("{home}/.gemini/settings.json", SETTINGS)],
    stdin: None,
    model: "gemini-2.5-pro",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell { tool: "run_shell_command", arguments: r#"{"command": "{command}"}"# }),
    exits: "not 0 where a request failed for good",
    quiet: &["GEMINI_TELEMETRY_ENABLED", "usageStatisticsEnabled", "enableAutoUpdate", "--yolo"],
    notes: &[
        "It waits 6 s after a 429, whatever Retry-After says.",
        "It refuses to run a command that holds `$(` or a backtick, quoted or not, and tells the model so.",
    ],
};
