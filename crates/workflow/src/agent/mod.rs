//! Agents by name: how each known one is found, started, pointed at us and quieted. How to add one stands in docs/add-an-agent.md.
//!
//! A row is data alone. It must not know cases, sockets or how a run is judged.

mod ai_sdk;
mod aider;
mod anthropic_python;
mod chosen;
mod claude_code;
mod cline;
mod codex;
mod continue_cn;
mod copilot_cli;
mod find;
mod gemini_cli;
mod langchain;
mod llm;
mod openai_agents;
mod openai_node;
mod openai_python;
mod opencode;
mod pi;
mod pydantic_ai;
mod row;
mod shell;

pub use chosen::{Agent, Origin};
pub use find::{Found, Missing, find};
pub use row::{KnownAgent, Program, Shell};
pub use shell::{BUILT_IN, NoShell, fitted};

/// All agents that `--agent` knows, by name.
pub const AGENTS: &[KnownAgent] = &[
    ai_sdk::ROW,
    aider::ROW,
    anthropic_python::ROW,
    claude_code::ROW,
    cline::ROW,
    codex::ROW,
    continue_cn::ROW,
    copilot_cli::ROW,
    gemini_cli::ROW,
    langchain::ROW,
    llm::ROW,
    openai_agents::ROW,
    openai_node::ROW,
    openai_python::ROW,
    opencode::ROW,
    pi::ROW,
    pydantic_ai::ROW,
];

/// The row of this name.
#[must_use]
pub fn agent(name: &str) -> Option<&'static KnownAgent> {
    AGENTS.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests;
