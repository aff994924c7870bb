//! Too many requests; how long to wait is said in milliseconds.

use super::{REPORTS, WAITED, limited};
use crate::fault::{Arrives, Dialects, Fault, Group, Param, ParamKind, Work};

const MS: Param = Param { name: "ms", kind: ParamKind::Millis, default: "200", doc: "what the header says" };

pub(in crate::fault) const ROW: Fault = Fault {
    name: "429-retry-after-ms",
    group: Group::Http,
    summary: "429 with `retry-after-ms` and no `retry-after`",
    dialects: Dialects::All,
    params: &[MS],
    example: r#"{"fault": "429-retry-after-ms", "text": "hello"}"#,
    reports: REPORTS,
    right_reaction: WAITED,
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        let millis = given.params.wait(&MS).as_millis().to_string();
        limited(answer, given, Some(("retry-after-ms", millis)))
    })],
};
