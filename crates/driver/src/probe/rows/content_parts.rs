//! Whether the content of a message may be a list of parts.

use super::{ANSWERS, READY, taken};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "content_parts",
    finds: "takes contents that are lists of parts",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft { parts: true, keep: true, ..Draft::ask(READY) })),
    judge: |seen| taken::or_quirk(seen, Some("q20_request_parts")),
};
