//! Whether a word that ends the answer is taken.

use super::{ANSWERS, READY, taken};
use crate::endpoint::config::Dialect;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "stop",
    finds: "takes a stop word",
    needs: ANSWERS,
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat => Some(Draft::ask(READY).with("stop", "[\"###\"]")),
        Dialect::Messages => Some(Draft::ask(READY).with("stop_sequences", "[\"###\"]")),
        Dialect::Responses => None,
    }),
    judge: |seen| taken::or_quirk(seen, None),
};
