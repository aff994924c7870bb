//! The requests of a batch as they are taken down: each has a line of its own, and one for what it will be told.

use crate::batch::Part;
use bytes::Bytes;
use rehearsal_journal::digest;
use rehearsal_journal::event::{Answered, Asked, End};
use rehearsal_script::pick::Counts;
use rehearsal_wire::follow::RequestHead;
use rehearsal_world::record::Recorder;

/// A request of a batch.
pub(crate) struct Taken {
    pub(crate) asked: Box<Asked>,
    body: Bytes,
    told: Vec<u8>,
}

impl Taken {
    pub(crate) fn of(part: Part<'_>) -> Self {
        let Part { asked, body, told, .. } = part;
        Self { asked, body: body.into(), told }
    }

    /// Takes it down. It is told later; what it will be told is known now.
    pub(crate) fn write(self, recorder: &Recorder, head: &RequestHead) {
        let Self { asked, body, told } = self;
        let exchange = recorder.asked(asked, Some(head.clone()), body).exchange;
        let (bytes, sha256) = (told.len() as u64, digest::text(&digest::of(&told)));
        recorder.answered(Answered { exchange, bytes, sha256, end: End::Complete });
    }
}

/// Counts what the requests of a batch used up: all or none, for each was decided behind those before it. False where the
/// lane moved on since.
pub(crate) fn commit(parts: &[Part<'_>], counts: &mut Counts) -> bool {
    let mut used = parts.iter().filter_map(|part| part.used.as_ref()).peekable();
    if used.peek().is_none() {
        return true;
    }
    let mut after = counts.clone();
    let all = used.all(|used| used.commit(&mut after));
    if all {
        *counts = after;
    }
    all
}
