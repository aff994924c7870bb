//! Whether the endpoint answers at all.

use super::{READY, taken::short};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "answers",
    finds: "answers at all",
    needs: &[],
    asks: Asks::Turn(|_| Some(Draft::ask(READY))),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    match &seen.exchange.result {
        Ok(told) => match told.model.as_deref().filter(|model| *model != seen.model) {
            Some(model) => Judged::new(Verdict::Yes, format!("as {}", short(model))),
            None => Judged::new(Verdict::Yes, ""),
        },
        Err(failed) => {
            Judged::new(Verdict::No, format!("{}: {}", failed.class.name(), short(&failed.message)))
        }
    }
}
