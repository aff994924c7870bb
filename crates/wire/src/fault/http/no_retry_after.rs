//! Too many requests, and no word of how long to wait.

use super::{AGAIN, limited};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "429-no-retry-after",
    group: Group::Http,
    summary: "429 without `retry-after`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "429-no-retry-after", "text": "hello"}"#,
    reports: &["JustinBeckwith/linkinator#681"],
    right_reaction: AGAIN,
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| limited(answer, given, None))],
};
