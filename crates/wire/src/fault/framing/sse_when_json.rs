//! A stream where one JSON object was asked for.

use crate::fault::{Answer, Arrives, Dialects, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-when-json",
    group: Group::Framing,
    summary: "no stream was asked for, yet the JSON comes as one event under `text/event-stream`, then `[DONE]`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-when-json", "text": "hello"}"#,
    reports: &[
        "decolua/9router#3492",
        "decolua/9router#3301",
        "headroomlabs-ai/headroom#3131",
        "diegosouzapw/OmniRoute#6740",
    ],
    right_reaction: "read as what it is, or a clear error",
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
    answer.chunked = true;
    for event in &mut answer.events {
        // A line end would end the data; in JSON it is white space.
        *event = Event::data(event.data.replace(['\r', '\n'], " "));
    }
    answer.events.push(Event::data("[DONE]"));
    true
}
