//! Whether an earlier answer may come back as it is.

use super::{ANSWERS, taken};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "history",
    finds: "takes an earlier answer back",
    needs: ANSWERS,
    asks: Asks::Turn(|_| {
        let talk = Draft::ask("Name a bird in one word.")
            .then("assistant", "heron")
            .then("user", "Name another one.");
        Some(Draft { keep: true, ..talk })
    }),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    let judged = taken::or_quirk(seen, None);
    let of_thoughts = |note: &str| note.contains("reasoning") || note.contains("thinking");
    if judged.verdict == Verdict::No && of_thoughts(&judged.note) {
        let note = judged.note.clone();
        return judged.and("q40_reasoning_back", note);
    }
    judged
}
