//! Under which name the limit of tokens is taken.

use super::{ANSWERS, READY, taken};
use crate::endpoint::config::Dialect;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const MAX_TOKENS: Probe = Probe {
    name: "max_tokens",
    finds: "takes max_tokens (in Responses max_output_tokens)",
    needs: ANSWERS,
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat | Dialect::Messages => Some(Draft::ask(READY).with(OLD, MOST)),
        Dialect::Responses => Some(Draft::ask(READY).with("max_output_tokens", MOST)),
    }),
    judge: |seen| taken::or_quirk(seen, Some("q36_max_tokens")),
};

pub(super) const MAX_COMPLETION_TOKENS: Probe = Probe {
    name: "max_completion_tokens",
    finds: "takes max_completion_tokens",
    needs: ANSWERS,
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat => Some(Draft::ask(READY).with(NEW, MOST)),
        Dialect::Responses | Dialect::Messages => None,
    }),
    judge: |seen| taken::or_quirk(seen, Some("q37_max_completion")),
};

pub(super) const BOTH: Probe = Probe {
    name: "both_limits",
    finds: "takes both names of the limit in one request, which the API forbids and we never send",
    needs: &["max_tokens", "max_completion_tokens"],
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat => Some(Draft::ask(READY).with(OLD, MOST).with(NEW, MOST)),
        Dialect::Responses | Dialect::Messages => None,
    }),
    judge: |seen| taken::or_quirk(seen, Some("q38_both_limits")),
};

const OLD: &str = "max_tokens";
const NEW: &str = "max_completion_tokens";
/// Enough for a word and some thoughts before it.
const MOST: &str = "256";
