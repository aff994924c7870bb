//! The coding agent opencode.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

const CONFIG: &str = r#"{
  "autoupdate": false,
  "share": "disabled",
  "permission": {"bash": "allow", "edit": "allow"},
  "provider": {
    "rehearsal": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "{base_url}", "apiKey": "test"},
      "models": {"{model}": {"name": "{model}"}}
    }
  }
}
"#;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "opencode",
    summary: "the coding agent opencode",
    dialects: &["openai-chat"],
    program: Program::Own,
    install: "npm install opencode-ai@1.18.33",
    command: &["opencode", "run", "--model", "rehearsal/{model}", "{prompt}"],
    env: &[
        ("OPENCODE_CONFIG", "{home}/opencode.json"),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ],
    files: &[("{home}/opencode.json", CONFIG)],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(180),
    shell: Some(Shell {
        tool: "bash",
        arguments: r#"{"command": "{command}", "description": "Run a command"}"#,
    }),
    exits: "0 in most cases: only the journal tells",
    quiet: &[
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        "autoupdate",
        "share",
    ],
    notes: &[
        "A request for a title, without tools, comes beside the first one and may take an error that the script meant for the other.",
        "It asks the npm registry for its provider package; where that is refused, it works all the same.",
    ],
};
