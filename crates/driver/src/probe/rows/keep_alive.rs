//! Whether a connection carries a second request: the one before, of `history`, is asked to leave it open.

use super::ANSWERS;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "keep_alive",
    finds: "keeps a connection for the next request",
    needs: ANSWERS,
    asks: Asks::Of("content_parts"),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    match &seen.exchange.received {
        Some(received) if received.reused => Judged::new(Verdict::Yes, ""),
        Some(_) => Judged::new(Verdict::No, "the second request needed a connection of its own"),
        None => Judged::new(Verdict::Unknown, ""),
    }
}
