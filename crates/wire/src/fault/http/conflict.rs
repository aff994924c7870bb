//! A conflict with another request.

use super::{AGAIN, error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "409",
    group: Group::Http,
    summary: "409",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "409", "text": "hello"}"#,
    reports: &[],
    right_reaction: AGAIN,
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
