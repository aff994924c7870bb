//! A gateway's page in the place of an error.

use super::{HTML, page, status};
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};
use crate::head::reason;

const STATUS: Param = Param {
    name: "status",
    kind: ParamKind::Count,
    default: "502",
    doc: "the status, 500 to 599; any other is 502",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "5xx-html",
    group: Group::Http,
    summary: "502 (or another status from 500) with an HTML page",
    dialects: Dialects::All,
    params: &[STATUS],
    example: r#"{"fault": {"name": "5xx-html", "status": 521}, "text": "hello"}"#,
    reports: &["Significant-Gravitas/AutoGPT#944", "letta-ai/letta-code#1179"],
    right_reaction: "tried again after a growing wait, a bounded number of times, then a clear failure in one line, without the page",
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let status = status(given, &STATUS, 500..=599, 502);
    let title = format!("{status} {}", reason(status));
    let title = title.trim_end();
    let text = format!(
        "<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n<hr>\
         <center>nginx</center>\r\n</body>\r\n</html>\r\n"
    );
    page(answer, status, HTML, text)
}
