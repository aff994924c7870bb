//! The command-line tool llm.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

/// Every function of the file becomes a tool, so that it holds one alone.
const TOOL: &str = include_str!("scripts/llm.py");

const MODELS: &str = "\
- model_id: rehearsal
  model_name: {model}
  api_base: {base_url}
  api_key_name: openai
  supports_tools: true
";

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "llm",
    summary: "the command-line tool llm, with a function of ours as its tool",
    dialects: &["openai-chat"],
    program: Program::Own,
    install: "pip install llm==0.36",
    command: &[
        "llm",
        "prompt",
        "--model",
        "rehearsal",
        "--functions",
        "{home}/agent/shell_tool.py",
        "--chain-limit",
        "0",
        "--no-log",
        "--",
        "{prompt}",
    ],
    env: &[("LLM_USER_PATH", "{home}/llm")],
    files: &[("{home}/agent/shell_tool.py", TOOL), ("{home}/llm/extra-openai-models.yaml", MODELS)],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(120),
    shell: Some(Shell { tool: "run_command", arguments: r#"{"command": "{command}"}"# }),
    exits: "not 0 where a request failed for good, and 1 after a call with broken arguments",
    quiet: &[],
    notes: &[],
};
