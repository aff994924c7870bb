//! A request with too many bytes.

use super::{error, refuse, status};
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const STATUS: Param = Param {
    name: "status",
    kind: ParamKind::Count,
    default: "413",
    doc: "the status, 400 to 499; any other is 413",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "payload-too-large",
    group: Group::Http,
    summary: "413, or 400, with a limit for the bytes of a request",
    dialects: Dialects::All,
    params: &[STATUS],
    example: r#"{"fault": {"name": "payload-too-large", "status": 400}, "text": "hello"}"#,
    reports: &["MoonshotAI/kimi-code#476", "QwenLM/qwen-code#1082"],
    right_reaction: "the history is made shorter and the request sent once more, or a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let status = status(given, &STATUS, 400..=499, 413);
    let message = "Request exceeds the maximum size: total message size 4718592 exceeds limit 4194304";
    refuse(answer, given, &error(status, "request_too_large", message))
}
