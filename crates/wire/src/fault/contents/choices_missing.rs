//! No document has its `choices`.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "choices-missing",
    group: Group::Contents,
    summary: "the body, or every chunk of the stream, is there without its `choices`",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "choices-missing", "text": "hello"}"#,
    reports: &["openai/openai-node#364", "langchain-ai/langchainjs#11417", "OvidijusParsiunas/deep-chat#117"],
    right_reaction: "an error of its own kind that says what is missing; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(|events, _| everywhere(events, &["/choices"], |choices| choices.taken_out()))],
};
