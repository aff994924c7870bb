//! A stream says that it lives, and nothing else.

use super::whole_until;
use crate::fault::{Arrives, Dialects, End, Fault, Flow, Given, Group, Param, ParamKind, Piece, Work};

const START: Param = Param {
    name: "at",
    kind: ParamKind::Place,
    default: "0",
    doc: "how much of the stream arrives before, whole events only",
};

const EVERY: Param =
    Param { name: "every", kind: ParamKind::Millis, default: "250", doc: "milliseconds before each comment" };

const COMMENTS: Param = Param {
    name: "comments",
    kind: ParamKind::Count,
    default: "80",
    doc: "how many comments come before the silence, 10000 at the most",
};

/// Each comment is a part of the plan, which is held in memory.
const MOST: usize = 10_000;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "stall-keepalive-only",
    group: Group::Life,
    summary: "comments at intervals and no event, then silence: the connection stays open",
    dialects: Dialects::All,
    params: &[START, EVERY, COMMENTS],
    example: r#"{"fault": {"name": "stall-keepalive-only", "every": 100, "comments": 50}, "text": "hello"}"#,
    reports: &["openai/codex#31539", "BenedictKing/ccx#67"],
    right_reaction: "whether comments are a sign of life is a choice, which must be stated; a time limit for the whole answer holds in any case",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::End(end)],
};

fn end(flow: &mut Flow, given: &Given<'_>) -> bool {
    if given.sse() {
        flow.cut(whole_until(flow, given, given.params.place(&START, flow)));
        let comment = Piece { wait: given.params.wait(&EVERY), bytes: b": keepalive\n\n".to_vec() };
        let comments = given.params.count(&COMMENTS).min(MOST);
        flow.pieces.extend(std::iter::repeat_n(comment, comments));
        flow.end = End::Silent;
    }
    given.sse()
}
