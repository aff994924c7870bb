//! A conflict with another request.

use super::{error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "409",
    group: Group::Http,
    summary: "409",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "409", "text": "hello"}"#,
    reports: &[],
    right_reaction: "tried again after a growing wait with some chance in it, a bounded number of times, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        refuse(
            answer,
            given,
            &error(409, "conflict_error", "Another request is in progress. Please try again."),
        )
    })],
};
