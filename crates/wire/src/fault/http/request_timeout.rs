//! The provider waited too long for the request.

use super::{error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "408",
    group: Group::Http,
    summary: "408",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "408", "text": "hello"}"#,
    reports: &[],
    right_reaction: "tried again after a growing wait with some chance in it, a bounded number of times, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        refuse(answer, given, &error(408, "timeout_error", "Request timed out."))
    })],
};
