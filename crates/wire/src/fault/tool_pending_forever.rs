//! Every reply asks for one more tool call: the work never ends.

use super::{Arrives, Dialects, Fault, Faulted, Group, Wanted, Work};
use crate::reply::{Envelope, IssuedCall, Reply, Usage};

pub(super) const ROW: Fault = Fault {
    name: "tool-pending-forever",
    group: Group::ToolCalls,
    summary: "each reply is one more write_file call under a fresh id, whatever was answered before",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "tool-pending-forever"}"#,
    reports: &[],
    right_reaction: "a cap on turns, then a clear failure that says so",
    arrives: Arrives::Otherwise,
    may_give_up: true,
    hostile: true,
    works: &[Work::Plan(plan)],
};

fn plan(wanted: &Wanted<'_>) -> Faulted {
    let number = format!("{:04}", wanted.ordinal);
    let call = IssuedCall {
        id: format!("call_hostile_pending_{number}"),
        name: "write_file".to_owned(),
        arguments: format!(r#"{{"path": "never-{number}.md", "content": "this run never completes"}}"#),
    };
    let reply = Reply { calls: vec![call], usage: Usage { prompt: 1, completion: 1 }, ..Reply::default() };
    let envelope = Envelope {
        model: "\"gate-openai-model\"".to_owned(),
        choices: 1,
        logprobs: false,
        ..wanted.envelope.clone()
    };
    wanted.unharmed(ROW.name, reply, &envelope)
}
