//! Whether a text before the task is taken, in the place that the API has for it.

use super::{ANSWERS, READY, taken};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "system",
    finds: "takes a system message",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft { system: Some("You answer with one word."), ..Draft::ask(READY) })),
    judge: |seen| taken::or_quirk(seen, Some("q39_system_role")),
};
