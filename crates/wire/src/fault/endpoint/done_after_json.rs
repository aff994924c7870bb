//! A whole answer that ends as a stream does.

use crate::fault::places::CHAT;
use crate::fault::{Answer, Arrives, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "done-after-json",
    group: Group::Endpoint,
    summary: "no stream was asked for; behind the JSON stands `data: [DONE]`, under `text/event-stream`",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "done-after-json", "text": "hello"}"#,
    reports: &["decolua/9router#3492"],
    right_reaction: "the object is the answer, where nothing follows it but the end of a stream",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    if given.stream {
        return false;
    }
    answer.content_type = "text/event-stream".into();
    for event in &mut answer.events {
        event.after.push_str("\n\ndata: [DONE]\n\n");
    }
    true
}
