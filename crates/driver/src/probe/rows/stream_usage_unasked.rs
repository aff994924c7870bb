//! Whether a stream tells its tokens where nobody asked.

use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "stream_usage_unasked",
    finds: "tells the tokens of a stream unasked",
    needs: &["stream"],
    asks: Asks::Of("stream"),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    match seen.exchange.result.as_ref().ok().and_then(|told| told.usage.total()) {
        Some(total) => Judged::new(Verdict::Yes, format!("{total} in all")),
        None => Judged::new(Verdict::No, ""),
    }
}
