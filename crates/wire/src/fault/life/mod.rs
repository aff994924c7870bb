//! Faults of whether, when and how an answer begins and ends.

pub(super) mod cut_clean;
pub(super) mod cut_mid_json;
pub(super) mod cut_mid_tool;
pub(super) mod cut_reset;
pub(super) mod done_no_finish;
pub(super) mod error_in_stream;
pub(super) mod error_in_stream_anthropic;
pub(super) mod failed_event_open_socket;
mod failing;
pub(super) mod insufficient_system_resource;
pub(super) mod slow_drip;
pub(super) mod stall_first;
pub(super) mod stall_keepalive_only;
pub(super) mod stall_mid;

use super::{Flow, Given, Param, ParamKind};

const AT: Param =
    Param { name: "at", kind: ParamKind::Place, default: "0.5", doc: "how much of the answer arrives" };

/// Where the documents of a stream end: at the blank lines of server-sent events, else at the ends of the pieces.
fn document_ends(flow: &Flow, given: &Given<'_>) -> Vec<usize> {
    if given.sse() {
        let all = flow.bytes();
        let blank =
            |end: &usize| [&b"\n\n"[..], b"\n\r\n", b"\r\r"].iter().any(|ends| all[..*end].ends_with(ends));
        return (1..=all.len()).filter(blank).collect();
    }
    let mut end = 0;
    let ends = flow.pieces.iter().map(|piece| {
        end += piece.bytes.len();
        end
    });
    ends.collect()
}

/// The bytes of the whole documents among the first so many.
fn whole_until(flow: &Flow, given: &Given<'_>, bytes: usize) -> usize {
    document_ends(flow, given).into_iter().take_while(|end| *end <= bytes).last().unwrap_or(0)
}
