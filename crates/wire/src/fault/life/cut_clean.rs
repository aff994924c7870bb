//! A stream ends early, and HTTP says that all is well.

use super::{AT, whole_until};
use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "cut-clean",
    group: Group::Life,
    summary: "so much of the stream arrives, whole events only, then the body ends as HTTP demands and FIN follows: no finish reason, no last event",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": {"name": "cut-clean", "at": 0.25}, "text": "hello"}"#,
    reports: &[
        "griffinwork40/agent-afk#635",
        "GCWing/OpenBitFun#2038",
        "brightwave-inc/tidebreak#1124",
        "can1357/oh-my-pi#8563",
        "ranxianglei/billion-context#239",
        "openai/codex#3229",
    ],
    right_reaction: "an incomplete turn, never a finished one: a bounded number of retries while nothing was shown, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    if given.stream {
        flow.cut(whole_until(flow, given, given.params.place(&AT, flow)));
        flow.end = End::Told;
    }
    given.stream
}
