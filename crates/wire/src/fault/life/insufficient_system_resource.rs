//! The provider breaks off for want of resources.

use crate::fault::{Arrives, Dialects, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "insufficient-system-resource",
    group: Group::Life,
    summary: "half of the words, no calls, and the finish reason `insufficient_system_resource`",
    dialects: Dialects::Only(&["openai-chat"]),
    params: &[],
    example: r#"{"fault": "insufficient-system-resource", "text": "hello"}"#,
    reports: &["can1357/oh-my-pi#8563"],
    right_reaction: "a failure of the provider that may pass, never a finished turn: a bounded number of retries",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    let said = reply.text.take().unwrap_or_default();
    reply.text = Some(said.chars().take(said.chars().count() / 2).collect());
    reply.calls.clear();
    reply.finish = Some("insufficient_system_resource".to_owned());
    true
}
