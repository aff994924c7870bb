//! A gateway made data of a comment.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-comment-as-data",
    group: Group::Framing,
    summary: "the first event holds a comment in the place of JSON: `data: : OPENROUTER PROCESSING`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-comment-as-data", "text": "hello"}"#,
    reports: &["mnfst/llm-gateway#2053"],
    right_reaction: "data that is not JSON is an error of the stream which shows the text, where it is met and not far away",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Lines(lines)],
};

fn lines(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let breaks = given.sse();
    if breaks {
        events.insert(0, Event::data(": OPENROUTER PROCESSING"));
    }
    breaks
}
