//! The usage is null, or is not there.

use crate::fault::places::everywhere;
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};
use crate::json::Kind;

const ABSENT: Param =
    Param { name: "absent", kind: ParamKind::Flag, default: "false", doc: "the key is not there either" };

const USAGE: &[&str] =
    &["/usage", "/message/usage", "/response/usage", "/usageMetadata", "/prompt_eval_count", "/eval_count"];

pub(in crate::fault) const ROW: Fault = Fault {
    name: "usage-null",
    group: Group::Contents,
    summary: "the usage is null, or not there at all, wherever it stands",
    dialects: Dialects::All,
    params: &[ABSENT],
    example: r#"{"fault": {"name": "usage-null", "absent": true}, "text": "hello"}"#,
    reports: &[
        "simonw/llm#1697",
        "SWE-agent/SWE-agent#168",
        "SakanaAI/AI-Scientist-v2#92",
        "rowboatlabs/rowboat#116",
        "typesafe-ai/system-one-adapter-python#39",
    ],
    right_reaction: "no tokens are counted; the answer is used",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    let absent = given.params.flag(&ABSENT);
    everywhere(events, USAGE, |usage| match usage.value.kind() {
        Kind::Object | Kind::Number if absent => usage.taken_out(),
        Kind::Object | Kind::Number => usage.put("null"),
        Kind::Null | Kind::Bool | Kind::String | Kind::Array => None,
    })
}
