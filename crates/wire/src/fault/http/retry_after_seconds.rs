//! Too many requests; how long to wait is said in seconds.

use super::{REPORTS, WAITED, limited_for};
use crate::fault::{Arrives, Dialects, Fault, Group, Param, ParamKind, Work};

const SECONDS: Param =
    Param { name: "seconds", kind: ParamKind::Count, default: "1", doc: "what the header says" };

pub(in crate::fault) const ROW: Fault = Fault {
    name: "429-retry-after-seconds",
    group: Group::Http,
    summary: "429 with `retry-after` in seconds",
    dialects: Dialects::All,
    params: &[SECONDS],
    example: r#"{"fault": "429-retry-after-seconds", "text": "hello"}"#,
    reports: REPORTS,
    right_reaction: WAITED,
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| limited_for(answer, given, &SECONDS))],
};
