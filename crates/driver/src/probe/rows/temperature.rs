//! Whether the temperature may be 0.

use super::{ANSWERS, READY, taken};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "temperature",
    finds: "takes temperature 0",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft::ask(READY).with("temperature", "0"))),
    judge: |seen| taken::or_quirk(seen, Some("q35_temperature")),
};
