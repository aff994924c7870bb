//! Keys of requests that hold a conversation, in one that holds a prompt.

use super::foreign::{NOTHING, Table, refuse};
use super::{Asked, COMPLETIONS, Check, Example, Profile, Rule, Stage, Verdict};

pub(super) const ROW: Rule = Rule {
    name: "completions-leaks",
    summary: "messages, input, tools or settings of another API in a completion request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: COMPLETIONS,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    refuse(asked.tape.root(), KEYS, |_, _| None)
}

const TEXT: &str = "send the text as `prompt`";

const KEYS: &Table = &Table::of(&[
    ("messages", TEXT),
    ("input", TEXT),
    ("contents", TEXT),
    ("system", TEXT),
    ("instructions", TEXT),
    ("tools", NOTHING),
    ("tool_choice", NOTHING),
    ("parallel_tool_calls", NOTHING),
    ("functions", NOTHING),
    ("response_format", NOTHING),
    ("max_completion_tokens", "send it as `max_tokens`"),
    ("max_output_tokens", "send it as `max_tokens`"),
    ("max_tokens_to_sample", "send it as `max_tokens`"),
    ("stop_sequences", "send it as `stop`"),
    ("top_k", NOTHING),
    ("thinking", NOTHING),
    ("reasoning", NOTHING),
    ("reasoning_effort", NOTHING),
    ("options", "send its values as top-level keys"),
    ("keep_alive", NOTHING),
    ("generationConfig", "send its values as top-level keys"),
]);
