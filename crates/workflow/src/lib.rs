//! Runs suites: one case for each phrasing, side by side, each with a base URL, a journal and a workspace of its own.
//!
//! Must not know: the command line, how a report looks.
#![forbid(unsafe_code)]

mod case;
pub mod grade;
mod run;
pub mod suite;
pub mod told;

pub use run::{Order, Progress, RunError, run};
