//! The stream ends without `[DONE]`.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "done-missing",
    group: Group::Framing,
    summary: "the last event is the one before `[DONE]`, then the body ends as HTTP demands",
    dialects: Dialects::Only(&["openai-chat", "openai-completions"]),
    params: &[],
    example: r#"{"fault": "done-missing", "text": "hello"}"#,
    reports: &["2389-research/tracker#544"],
    right_reaction: "complete where a finish reason came: nothing waits for `[DONE]`",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, _: &Given<'_>) -> bool {
    let all = events.len();
    events.retain(|event| event.data != "[DONE]");
    events.len() < all
}
