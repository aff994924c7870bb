//! Whether several calls come in one answer.

use super::tools;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "parallel_calls",
    finds: "makes two calls in one answer",
    needs: &["tools"],
    asks: Asks::Turn(|_| Some(Draft { tool: true, ..Draft::ask(TWICE) })),
    judge: |seen| tools::calls(seen, 2),
};

/// What asks for two calls at once.
pub(super) const TWICE: &str =
    "Call the tool report_word twice in one answer: once with the word one, once with the word two.";
