//! A stream ends with its last word, but never said how the turn ended.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};
use crate::json::edit;

const ABSENT: Param = Param {
    name: "absent",
    kind: ParamKind::Flag,
    default: "false",
    doc: "whether the key is missing instead of null",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "done-no-finish",
    group: Group::Life,
    summary: "the whole stream up to `[DONE]`, with a null finish reason in each chunk",
    dialects: Dialects::Only(&["openai-chat", "openai-completions"]),
    params: &[ABSENT],
    example: r#"{"fault": "done-no-finish", "text": "hello"}"#,
    reports: &["can1357/oh-my-pi#9433"],
    right_reaction: "the last event was seen: the turn is used as it is, and the missing reason noted",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let mut changed = false;
    if given.stream {
        for event in events {
            let made = if given.params.flag(&ABSENT) {
                edit::remove(&event.data, "/choices/0", "finish_reason")
            } else {
                edit::replace(&event.data, "/choices/0/finish_reason", "null")
            };
            if let Some(data) = made {
                changed |= data != event.data;
                event.data = data;
            }
        }
    }
    changed
}
