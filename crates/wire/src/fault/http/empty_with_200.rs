//! Success, and nothing else.

use super::page;
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "200-empty-body",
    group: Group::Http,
    summary: "200 with a body of no bytes",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "200-empty-body", "text": "hello"}"#,
    reports: &[],
    right_reaction: "an error that says so; a bounded number of retries",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(|answer, given| page(answer, 200, given.dialect.content_type, ""))],
};
