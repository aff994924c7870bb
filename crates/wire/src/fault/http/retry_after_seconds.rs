//! Too many requests; how long to wait is said in seconds.

use super::limited;
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
    reports: &["CopilotKit/CopilotKit#3842", "vercel/fetch-retry#31", "tinyhumansai/openhuman#6504"],
    right_reaction: "the wait is as long as was said at least, up to a limit; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        let seconds = given.params.count(&SECONDS).to_string();
        limited(answer, given, Some(("retry-after", seconds)))
    })],
};
