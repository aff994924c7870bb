//! Whether an answer can be had as a stream.

use super::{ANSWERS, READY, taken};
use crate::endpoint::answer::Leniency;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "stream",
    finds: "streams",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft { stream: true, ..Draft::ask(READY) })),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    match &seen.exchange.result {
        Ok(told) if told.leniencies.contains(&Leniency::WholeAnyway) => {
            Judged::new(Verdict::No, "taken, and a whole answer came")
        }
        Ok(_) => Judged::new(Verdict::Yes, ""),
        Err(failed) if failed.status == Some(200) => Judged::new(Verdict::No, taken::short(&failed.message)),
        Err(_) => taken::or_quirk(seen, None),
    }
}
