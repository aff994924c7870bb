//! aider, which edits files by blocks in its text.

use super::row::{KnownAgent, Program};
use std::time::Duration;

/// Without an entry for its model it asks a code host for the list of all models.
const MODELS: &str = r#"{"openai/{model}": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 128000, "max_output_tokens": 16384, "input_cost_per_token": 0, "output_cost_per_token": 0}}"#;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "aider",
    summary: "aider: edits files by blocks in its text, offers no tools",
    dialects: &["openai-chat"],
    program: Program::Own,
    install: "pip install aider-chat==0.86.2",
    command: &[
        "aider",
        "--message",
        "{prompt}",
        "--model",
        "openai/{model}",
        "--yes-always",
        "--no-git",
        "--no-gitignore",
        "--no-check-update",
        "--no-show-release-notes",
        "--no-show-model-warnings",
        "--analytics-disable",
        "--no-detect-urls",
        "--no-suggest-shell-commands",
        "--no-pretty",
    ],
    env: &[("LITELLM_LOCAL_MODEL_COST_MAP", "True")],
    files: &[("{home}/.aider/caches/model_prices_and_context_window.json", MODELS)],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(180),
    shell: None,
    exits: "0 also where a request was refused: only the journal tells",
    quiet: &[
        "--analytics-disable",
        "--no-check-update",
        "--no-show-release-notes",
        "--yes-always",
        "litellm_provider",
        "LITELLM_LOCAL_MODEL_COST_MAP",
    ],
    notes: &[
        "It offers no tools, so that a script with tool calls is nothing for it.",
        "Its first request holds assistant turns of its own: examples of edits.",
    ],
};
