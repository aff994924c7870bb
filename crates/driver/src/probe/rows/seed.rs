//! Whether a seed is taken.

use super::{ANSWERS, READY, taken};
use crate::endpoint::config::Dialect;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "seed",
    finds: "takes a seed",
    needs: ANSWERS,
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat => Some(Draft::ask(READY).with("seed", "7")),
        Dialect::Responses | Dialect::Messages => None,
    }),
    judge: |seen| taken::or_quirk(seen, None),
};
