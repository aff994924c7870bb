//! What an endpoint really does: a few small questions, each a row of [`PROBES`], and what their answers show.
//!
//! `core` decides over values what is asked next; `run` joins it to the endpoint. What was found is kept as a file and read again
//! (`kept`), told as a table (`told`) and as the capabilities of a driver (`capabilities`). `sample` measures accuracy. Must not
//! know: the command line, which tasks a worker gets.

pub mod capabilities;
pub mod core;
pub mod draft;
pub mod kept;
pub mod quirk;
mod row;
mod rows;
pub mod run;
pub mod sample;
mod sight;
pub mod told;

pub use kept::{Accuracy, Kept, tier};
pub use quirk::{Observed, QUIRKS, Quirk};
pub use row::{Finding, Judged, Probe, Seen, Verdict};
pub use rows::PROBES;
