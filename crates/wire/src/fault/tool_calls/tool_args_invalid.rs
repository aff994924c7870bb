//! The arguments of the last call are no JSON.

use super::{argue, last};
use crate::fault::places::BREAKABLE;
use crate::fault::{Arrives, Fault, Group, Param, ParamKind, Params, Work};
use crate::json::parse;
use crate::reply::Reply;

const MALFORMED: Param = Param {
    name: "malformed",
    kind: ParamKind::Flag,
    default: "false",
    doc: "all of it is there, but in single quotes",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-invalid",
    group: Group::ToolCalls,
    summary: "the arguments of the last call lack their end, or are malformed all through",
    dialects: BREAKABLE,
    params: &[MALFORMED],
    example: r#"{"fault": {"name": "tool-args-invalid", "malformed": true}, "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &[
        "MoonshotAI/kimi-cli#1171",
        "MoonshotAI/kimi-cli#2165",
        "charmbracelet/crush#1169",
        "janhq/jan#8744",
        "justrach/codegraff#752",
        "openai/openai-agents-python#2062",
        "local-inference-lab/vllm#684",
        "NousResearch/hermes-agent#4724",
        "petersalomonsen/javascriptmusic#208",
    ],
    right_reaction: "the call is answered with an error, and the next request is valid",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    let malformed = params.flag(&MALFORMED);
    argue(last(reply), |text| {
        let broken = if malformed {
            text.replace('"', "'")
        } else {
            let mut cut = text.trim_end().to_owned();
            cut.pop();
            cut
        };
        parse(broken.as_bytes()).is_err().then_some(broken)
    })
}
