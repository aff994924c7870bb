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

/// So many bytes drip, the rest comes at once: each is a part of the plan, which is held in memory.
const MOST: usize = 64 << 10;

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
    let mut first = flow.bytes();
    let rest = first.split_off(first.len().min(MOST));
    flow.pieces = first.into_iter().enumerate().map(piece).collect();
    flow.pieces.push(Piece { wait: Duration::ZERO, bytes: rest });
    true
}
