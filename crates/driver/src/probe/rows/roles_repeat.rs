//! Whether a user may speak twice in a row.

use super::{ANSWERS, READY, taken};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "roles_repeat",
    finds: "takes two user messages in a row",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft::ask("I ask for one word.").then("user", READY))),
    judge: |seen| taken::or_quirk(seen, Some("q39_system_role")),
};
