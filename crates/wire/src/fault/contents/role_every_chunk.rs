//! Each delta names the role again.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "role-every-chunk",
    group: Group::Contents,
    summary: "each delta of the stream says `role: assistant`",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "role-every-chunk", "text": "hello"}"#,
    reports: &[],
    right_reaction: "one message, whatever is said again of its role",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| {
        everywhere(events, &["/choices/*/delta"], |delta| delta.set("role", "\"assistant\""))
    })],
};
