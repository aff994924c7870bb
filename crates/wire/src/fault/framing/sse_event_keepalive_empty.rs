//! Events that have a name and no data keep the connection.

use super::before_each;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-event-keepalive-empty",
    group: Group::Framing,
    summary: "`event: keepalive` and a blank line before every event, without a data line",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "sse-event-keepalive-empty", "text": "hello"}"#,
    reports: &["diegosouzapw/OmniRoute#1146"],
    right_reaction: "an event without data lines is none",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Lines(|events, given| before_each(events, given, "event: keepalive\n\n"))],
};
