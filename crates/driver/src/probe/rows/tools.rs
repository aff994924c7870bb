//! Whether a tool is called.

use super::{ANSWERS, taken};
use crate::probe::draft::{Draft, TOOL};
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "tools",
    finds: "calls a tool",
    needs: ANSWERS,
    asks: Asks::Turn(|_| {
        Some(Draft { tool: true, ..Draft::ask("Call the tool report_word with the word ready.") })
    }),
    judge: |seen| calls(seen, 1),
};

/// Yes where so many calls of our tool came.
pub(super) fn calls(seen: &Seen<'_>, wanted: usize) -> Judged {
    match &seen.exchange.result {
        Ok(told) => {
            let ours = told.calls.iter().filter(|call| call.name == TOOL).count();
            let note = match (told.calls.len(), ours) {
                (0, _) => "offered, and answered in words".to_owned(),
                (all, ours) if all == ours => format!("{all} of {wanted} asked for"),
                (all, _) => format!("{all} of {wanted} asked for, of other tools among them"),
            };
            Judged::new(if ours >= wanted { Verdict::Yes } else { Verdict::No }, note)
        }
        Err(failed) if failed.status == Some(200) => Judged::new(Verdict::No, taken::short(&failed.message)),
        Err(_) => taken::or_quirk(seen, None),
    }
}
