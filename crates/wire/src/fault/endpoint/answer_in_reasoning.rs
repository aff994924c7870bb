//! The answer stands where thoughts should, and the content is null.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};
use crate::json::{Kind, edit};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "answer-in-reasoning",
    group: Group::Endpoint,
    summary: "the words arrive as `reasoning_content`; the content is null",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "answer-in-reasoning", "text": "hello"}"#,
    reports: &[
        "vllm-project/vllm#48645",
        "vllm-project/vllm#50753",
        "vllm-project/vllm#52640",
        "sgl-project/sglang#25267",
        "scouzi1966/maclocal-api#44",
    ],
    right_reaction: "an answer that says nothing; thoughts are taken for it only where somebody wants that, and it is told",
    arrives: Arrives::Otherwise,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(|events, _| {
        everywhere(events, &["/choices/*/message", "/choices/*/delta"], |said| {
            let words = said
                .value
                .get("content")
                .filter(|content| content.kind() == Kind::String && !content.is_str(""))?;
            let made = said.set("reasoning_content", words.text())?;
            edit::replace(&made, &said.below("content"), "null")
        })
    })],
};
