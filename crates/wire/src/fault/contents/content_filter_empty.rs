//! A filter took everything: no words, no refusal, only the reason.

use crate::fault::{Arrives, Dialects, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "content-filter-empty",
    group: Group::Contents,
    summary: "no words, no calls and no refusal; the reason is `content_filter`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "content-filter-empty", "text": "hello"}"#,
    reports: &[
        "openai/openai-agents-python#3769",
        "openai/openai-agents-python#4159",
        "librefang/librefang#3450",
    ],
    right_reaction: "taken as a refusal and said so; the same request is not sent again and again",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: true,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    let filtered =
        Reply { finish: Some("content_filter".to_owned()), usage: reply.usage, ..Reply::default() };
    let changed = *reply != filtered;
    *reply = filtered;
    changed
}
