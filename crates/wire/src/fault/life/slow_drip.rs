//! A slow answer.

use crate::fault::{Arrives, Dialects, Fault, Flow, Given, Group, Param, ParamKind, Work};

const WAIT: Param =
    Param { name: "wait", kind: ParamKind::Millis, default: "40", doc: "milliseconds before every event" };

pub(in crate::fault) const ROW: Fault = Fault {
    name: "slow-drip",
    group: Group::Life,
    summary: "the whole stream, with a wait before every event",
    dialects: Dialects::All,
    params: &[WAIT],
    example: r#"{"fault": {"name": "slow-drip", "wait": 2000}, "text": "hello"}"#,
    reports: &["qxcnm/Codex-Manager#36"],
    right_reaction: "the same answer: a time limit for silence begins anew with every event",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Pieces(pieces)],
};

fn pieces(flow: &mut Flow, given: &Given<'_>) -> bool {
    let wait = given.params.wait(&WAIT);
    if given.stream {
        flow.pieces.iter_mut().for_each(|piece| piece.wait = wait);
    }
    given.stream && !wait.is_zero()
}
