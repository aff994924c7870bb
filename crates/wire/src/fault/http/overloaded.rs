//! The provider has too much to do.

use super::{AGAIN, error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "529-overloaded",
    group: Group::Http,
    summary: "529 with the dialect's error; `overloaded_error` in the Messages API",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "529-overloaded", "text": "hello"}"#,
    reports: &["Doriandarko/claude-engineer#161", "vercel/ai#7546"],
    right_reaction: AGAIN,
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        refuse(answer, given, &error(529, "overloaded_error", "Overloaded"))
    })],
};
