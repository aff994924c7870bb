//! The stream ends with a chunk of no choices that holds the usage, though nobody asked for it.

use crate::fault::places::CHAT;
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};
use crate::json::edit;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "empty-choices-usage",
    group: Group::Contents,
    summary: "the last chunk of the stream has no choices and the usage, asked for or not",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "empty-choices-usage", "text": "hello"}"#,
    reports: &["openai/openai-agents-js#107", "awslabs/llmeter#34", "datawhalechina/hello-agents#517"],
    right_reaction: "the usage is read, and no choice is looked for",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    // Where it was asked for it is there without the fault.
    if !given.stream || given.envelope.include_usage {
        return false;
    }
    let Some(at) = events.iter().rposition(|event| event.data.starts_with('{')) else { return false };
    let usage = given.reply.usage;
    let usage = format!(
        r#"{{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{}}}"#,
        usage.prompt,
        usage.completion,
        usage.prompt.saturating_add(usage.completion)
    );
    let last = edit::replace(&events[at].data, "/choices", "[]");
    let Some(last) = last.and_then(|last| edit::set(&last, "", "usage", &usage)) else { return false };
    events.insert(at + 1, Event::data(last));
    true
}
