//! A local server that still loads its model.

use crate::dialect::ErrorBody;
use crate::fault::http::{error, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "503-loading",
    group: Group::Endpoint,
    summary: "503 that says the model is being loaded",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "503-loading", "text": "hello"}"#,
    reports: &["cline/cline#440"],
    right_reaction: "tried again after a growing wait with some chance in it, a bounded number of times, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(|answer, given| {
        let error = error(503, "unavailable_error", "Loading model");
        refuse(answer, given, &ErrorBody { code: Some("503"), ..error })
    })],
};
