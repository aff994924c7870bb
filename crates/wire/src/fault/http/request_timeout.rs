//! The provider waited too long for the request.

use super::{AGAIN, error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "408",
    group: Group::Http,
    summary: "408",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "408", "text": "hello"}"#,
    reports: &[],
    right_reaction: AGAIN,
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        refuse(answer, given, &error(408, "timeout_error", "Request timed out."))
    })],
};
