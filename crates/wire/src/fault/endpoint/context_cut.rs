//! A prompt that is longer than the window is cut to it without a word.

use crate::fault::places::everywhere;
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};

const BYTES: Param = Param {
    name: "bytes",
    kind: ParamKind::Count,
    default: "12000",
    doc: "how long a request may be; a longer one is cut",
};

const TOKENS: Param = Param {
    name: "tokens",
    kind: ParamKind::Count,
    default: "512",
    doc: "tokens of the prompt that the usage tells then",
};

/// Where the tokens of a prompt stand.
const PROMPT: &[&str] = &[
    "/usage/prompt_tokens",
    "/usage/input_tokens",
    "/message/usage/input_tokens",
    "/response/usage/input_tokens",
    "/usageMetadata/promptTokenCount",
    "/prompt_eval_count",
];

pub(in crate::fault) const ROW: Fault = Fault {
    name: "context-cut",
    group: Group::Endpoint,
    summary: "200, and the usage tells fewer tokens of the prompt than it must have: it was cut to the window",
    dialects: Dialects::All,
    params: &[BYTES, TOKENS],
    example: r#"{"fault": {"name": "context-cut", "bytes": 10, "tokens": 1}, "text": "hello"}"#,
    reports: &[
        "ollama/ollama#8099",
        "ollama/ollama#3839",
        "ollama/ollama#18107",
        "esengine/DeepSeek-Reasonix#10245",
        "ralphgrewe/TradingAgents#168",
        "microsoft/vscode#255164",
    ],
    right_reaction: "the tokens that were read are compared with what was sent; an answer to half a prompt is not used",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    let most = given.params.count(&BYTES);
    if !given.asks(|request| request.text().len() > most) {
        return false;
    }
    let tokens = given.params.count(&TOKENS).to_string();
    everywhere(events, PROMPT, |count| count.put(&tokens))
}
