//! Whether several answers to one question can be had.

use super::{ANSWERS, READY, taken};
use crate::endpoint::config::Dialect;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};

pub(super) const ROW: Probe = Probe {
    name: "n",
    finds: "gives as many choices as are asked for",
    needs: ANSWERS,
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat => Some(Draft::ask(READY).with("n", "2")),
        Dialect::Responses | Dialect::Messages => None,
    }),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    match &seen.exchange.result {
        Ok(told) if told.other_choices == 1 => Judged::new(Verdict::Yes, "2 of 2"),
        Ok(told) => Judged::new(Verdict::No, format!("taken, and {} of 2 came", told.other_choices + 1)),
        Err(_) => taken::or_quirk(seen, None),
    }
}
