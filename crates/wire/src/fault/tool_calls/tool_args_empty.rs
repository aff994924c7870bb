//! A call without arguments has an empty text for them.

use super::{argue, is_object, last};
use crate::fault::places::BREAKABLE;
use crate::fault::{Arrives, Fault, Group, Params, Work};
use crate::json::parse;
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-empty",
    group: Group::ToolCalls,
    summary: "arguments that are an empty object are an empty text; where no call has such, those of the last call",
    dialects: BREAKABLE,
    params: &[],
    example: r#"{"fault": "tool-args-empty", "tool_calls": [{"name": "list_files", "arguments": {}}]}"#,
    reports: &[
        "openai/openai-agents-js#664",
        "vercel/ai#2103",
        "vercel/ai#6687",
        "langchain-ai/langchainjs#11311",
        "BerriAI/litellm#5063",
        "cheshire-cat-ai/core#1140",
        "sigoden/aichat#1217",
        "brave/brave-browser#56601",
    ],
    right_reaction: "read as `{}`: a tool without parameters is run, another says what it lacks",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    let is_empty =
        |text: &str| parse(text.as_bytes()).is_ok_and(|tape| tape.root().is_empty() && is_object(text));
    let emptied = |text: &str| is_empty(text).then(String::new);
    argue(&mut reply.calls, emptied) || argue(last(reply), |_| Some(String::new()))
}
