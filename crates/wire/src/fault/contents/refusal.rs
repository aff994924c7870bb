//! The model refuses, in the field that is for it.

use super::{REFUSAL, refuse};
use crate::fault::{Arrives, Dialects, Fault, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "refusal",
    group: Group::Contents,
    summary: "a refusal in its own field, null content, no calls",
    dialects: Dialects::All,
    params: &[REFUSAL],
    example: r#"{"fault": {"name": "refusal", "text": "That is not for me to do."}, "text": "hello"}"#,
    reports: &["openai/openai-agents-python#3055"],
    right_reaction: "the refusal is shown as one and ends the work; the same request is not sent again and again",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: true,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    refuse(reply, params.text(&REFUSAL), None)
}
