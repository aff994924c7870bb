//! The later call arrives first.

use super::{chunk, two_calls};
use crate::fault::places::CHAT;
use crate::fault::{Arrives, Event, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-index-out-of-order",
    group: Group::ToolCalls,
    summary: "of two calls the one with index 1 arrives before that with index 0; a single call is made twice",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-index-out-of-order", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}, {"name": "read_file", "arguments": {"path": "plan.md"}}]}"#,
    reports: &[],
    right_reaction: "calls are told apart, and put in order, by their index",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(two_calls), Work::Documents(|events, _| documents(events))],
};

fn documents(events: &mut [Event]) -> bool {
    let places: Vec<(usize, usize)> =
        events.iter().enumerate().filter_map(|(at, event)| Some((at, chunk(event)?.of.1))).collect();
    let mut turned = places.clone();
    turned.sort_by_key(|(_, call)| std::cmp::Reverse(*call));
    if turned == places {
        return false;
    }
    let old = events.to_vec();
    for ((to, _), (from, _)) in places.iter().zip(&turned) {
        events[*to] = old[*from].clone();
    }
    true
}
