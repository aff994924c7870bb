//! Whether a stream tells its tokens where the option asks for them.

use super::{READY, taken};
use crate::endpoint::config::Dialect;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "stream_usage",
    finds: "tells the tokens of a stream where stream_options ask for them",
    needs: &["stream"],
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat => Some(Draft { stream: true, stream_usage: true, ..Draft::ask(READY) }),
        Dialect::Responses | Dialect::Messages => None,
    }),
    judge,
};

const QUIRK: &str = "q03_usage_stream_opt";

fn judge(seen: &Seen<'_>) -> Judged {
    match &seen.exchange.result {
        Ok(told) => match told.usage.total() {
            Some(total) => Judged::new(Verdict::Yes, format!("{total} in all")),
            None => {
                Judged::new(Verdict::No, "taken, and no usage came").and(QUIRK, "taken, and no usage came")
            }
        },
        Err(_) => taken::or_quirk(seen, Some(QUIRK)),
    }
}
