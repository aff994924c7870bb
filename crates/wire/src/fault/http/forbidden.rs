//! A key that may not do this.

use super::{STOP, error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "403",
    group: Group::Http,
    summary: "403",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "403", "text": "hello"}"#,
    reports: &[],
    right_reaction: STOP,
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        refuse(
            answer,
            given,
            &error(403, "permission_error", "You are not allowed to sample from this model."),
        )
    })],
};
