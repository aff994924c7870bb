//! Whether calls come as a stream, too, and how their pieces are numbered.

use super::parallel_calls::TWICE;
use super::tools;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Probe};

pub(super) const ROW: Probe = Probe {
    name: "stream_tools",
    finds: "streams calls",
    needs: &["stream", "tools"],
    asks: Asks::Turn(|_| Some(Draft { tool: true, stream: true, ..Draft::ask(TWICE) })),
    judge: |seen| tools::calls(seen, 1),
};
