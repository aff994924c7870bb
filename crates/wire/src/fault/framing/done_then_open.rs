//! The connection stays open behind the end of a stream.

use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "done-then-open",
    group: Group::Framing,
    summary: "the whole stream, then neither the end of the body nor FIN: the socket stays open",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "done-then-open", "text": "hello"}"#,
    reports: &["ltmoerdani/opencode-copilot-chat#170"],
    right_reaction: "the turn ends with its last event, be it `[DONE]`, `message_stop` or `response.completed`; nothing waits for the socket",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    if given.stream {
        flow.end = End::Silent;
    }
    given.stream
}
