//! The reply ends for a reason that no list of reasons has.

use super::REASONS;
use crate::fault::{Arrives, Fault, Group, Param, ParamKind, Params, Work};
use crate::reply::Reply;

const REASON: Param = Param {
    name: "reason",
    kind: ParamKind::Text,
    default: "\"eos\"",
    doc: "the word, such as `error`, `network_error`, `sensitive` or `guardrail_intervened`",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "finish-unknown",
    group: Group::Contents,
    summary: "the reason why the reply ended is a word that is on no list, such as `eos`, `sensitive` or `guardrail_intervened`",
    dialects: REASONS,
    params: &[REASON],
    example: r#"{"fault": {"name": "finish-unknown", "reason": "sensitive"}, "text": "hello"}"#,
    reports: &["pydantic/pydantic-ai#2844", "pydantic/pydantic-ai#7816"],
    right_reaction: "the reason is taken for one that is known and kept as it came; what was said is used",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    let reason = Some(params.text(&REASON));
    let changed = reply.finish != reason;
    reply.finish = reason;
    changed
}
