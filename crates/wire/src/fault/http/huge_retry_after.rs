//! Too many requests, and nobody waits so long.

use super::limited_for;
use crate::fault::{Arrives, Dialects, Fault, Group, Param, ParamKind, Work};

const SECONDS: Param =
    Param { name: "seconds", kind: ParamKind::Count, default: "7200", doc: "what the header says" };

pub(in crate::fault) const ROW: Fault = Fault {
    name: "429-huge-retry-after",
    group: Group::Http,
    summary: "429 with a `retry-after` of hours",
    dialects: Dialects::All,
    params: &[SECONDS],
    example: r#"{"fault": "429-huge-retry-after", "text": "hello"}"#,
    reports: &["vercel/fetch-retry#31"],
    right_reaction: "a clear failure that names the wait, not a program that seems to hang; a shorter wait than was said is no answer",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(|answer, given| limited_for(answer, given, &SECONDS))],
};
