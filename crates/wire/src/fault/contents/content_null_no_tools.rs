//! The model is done and said nothing.

use crate::fault::{Arrives, Dialects, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "content-null-no-tools",
    group: Group::Contents,
    summary: "null content, no calls, the reason is `stop`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "content-null-no-tools", "text": "hello"}"#,
    reports: &["vercel/ai#13744"],
    right_reaction: "an empty answer ends the turn; it goes into no history, or in a form that the API takes",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    let says_words = reply.text.is_some() && reply.calls.is_empty() && reply.refusal.is_none();
    if says_words {
        reply.text = None;
    }
    says_words
}
