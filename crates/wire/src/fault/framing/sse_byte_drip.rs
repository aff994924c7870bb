//! One byte of a stream after the other.

use crate::fault::{Arrives, Dialects, Fault, Flow, Given, Group, Param, ParamKind, Piece, Work};
use std::time::Duration;

const WAIT: Param = Param {
    name: "wait",
    kind: ParamKind::Millis,
    default: "1",
    doc: "milliseconds before each byte that is a write of its own",
};

const APART: Param = Param {
    name: "apart",
    kind: ParamKind::Count,
    default: "500",
    doc: "how many bytes are writes of their own, from the first on",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-byte-drip",
    group: Group::Framing,
    summary: "every byte of the stream is a chunk of its own, and the first ones are writes of their own",
    dialects: Dialects::All,
    params: &[WAIT, APART],
    example: r#"{"fault": "sse-byte-drip", "text": "hello"}"#,
    reports: &["kubernetes-sigs/inference-perf#781", "deeplethe/utopia#764"],
    right_reaction: "the same answer, however the bytes are cut",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Pieces(pieces)],
};

fn pieces(flow: &mut Flow, given: &Given<'_>) -> bool {
    if !given.stream {
        return false;
    }
    let (wait, apart) = (given.params.wait(&WAIT), given.params.count(&APART));
    let piece =
        |(at, byte)| Piece { wait: if at < apart { wait } else { Duration::ZERO }, bytes: vec![byte] };
    flow.pieces = flow.bytes().into_iter().enumerate().map(piece).collect();
    !flow.pieces.is_empty()
}
