//! The stream begins with a chunk that has no choices, as Azure sends the verdict on the prompt.

use crate::fault::places::CHAT;
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};

const FIRST: &str = concat!(
    r#"{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"#,
    r#""content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}]}"#
);

pub(in crate::fault) const ROW: Fault = Fault {
    name: "empty-choices-first",
    group: Group::Contents,
    summary: "the stream begins with a chunk of no choices: the verdict on the prompt, under an empty id and model",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "empty-choices-first", "text": "hello"}"#,
    reports: &[
        "pydantic/logfire#64",
        "pydantic/pydantic-ai#164",
        "AbanteAI/archive-old-cli-mentat#429",
        "seratch/ChatGPT-in-Slack#49",
        "langfuse/langfuse#2833",
        "CoderCookE/vim-llm-agent#37",
        "langchain-ai/langchain-azure#23",
    ],
    right_reaction: "a chunk without choices says nothing: it is passed over",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    if !given.stream {
        return false;
    }
    events.insert(0, Event::data(FIRST));
    true
}
