//! Faults of the lines and chunks of a stream.

pub(super) mod data_after_done;
pub(super) mod done_as_json;
pub(super) mod done_missing;
pub(super) mod done_then_open;
pub(super) mod json_when_stream;
pub(super) mod sse_byte_drip;
pub(super) mod sse_comment_as_data;
pub(super) mod sse_cr_only;
pub(super) mod sse_crlf;
pub(super) mod sse_crlf_split;
pub(super) mod sse_event_keepalive_empty;
pub(super) mod sse_keepalive_comment;
pub(super) mod sse_long_line;
pub(super) mod sse_multiline_data;
pub(super) mod sse_no_space;
pub(super) mod sse_when_json;
pub(super) mod stream_wrong_content_type;
pub(super) mod utf8_split;

use super::{Event, Flow, Given, Param, ParamKind, Piece};
use std::time::Duration;

const WAIT: Param = Param {
    name: "wait",
    kind: ParamKind::Millis,
    default: "20",
    doc: "milliseconds between the two writes of a cut",
};

const APART: Param = Param {
    name: "apart",
    kind: ParamKind::Count,
    default: "3",
    doc: "how many cuts part two writes, from the first on; the others part two chunks",
};

/// Ends every line with this, whatever ended it before; gives whether any line ended otherwise.
fn end_lines(events: &mut [Event], given: &Given<'_>, end: &str) -> bool {
    if !given.sse() {
        return false;
    }
    let mut changed = false;
    for around in events.iter_mut().flat_map(|event| [&mut event.before, &mut event.after]) {
        let ended = around.replace("\r\n", "\n").replace('\r', "\n").replace('\n', end);
        changed |= ended != *around;
        *around = ended;
    }
    changed
}

/// Puts these lines before every event.
fn before_each(events: &mut Vec<Event>, given: &Given<'_>, lines: &str) -> bool {
    let breaks = given.sse();
    if breaks {
        *events = events.drain(..).flat_map(|event| [Event::lines(lines), event]).collect();
    }
    breaks
}

/// Cuts a body before each of these bytes, which ascend, as [`WAIT`] and [`APART`] say; gives whether there was any.
fn part_at(flow: &mut Flow, given: &Given<'_>, cuts: impl Iterator<Item = usize>) -> bool {
    let (pause, apart) = (given.params.wait(&WAIT), given.params.count(&APART));
    let mut cuts = cuts.enumerate().peekable();
    let (mut start, mut parted) = (0, false);
    for Piece { mut wait, bytes } in std::mem::take(&mut flow.pieces) {
        let end = start + bytes.len();
        let mut from = start;
        while let Some((nth, at)) = cuts.next_if(|(_, at)| *at < end) {
            flow.pieces.push(Piece { wait, bytes: bytes[from - start..at - start].to_vec() });
            (wait, from) = (if nth < apart { pause } else { Duration::ZERO }, at);
            parted = true;
        }
        flow.pieces.push(Piece { wait, bytes: bytes[from - start..].to_vec() });
        start = end;
    }
    parted
}
