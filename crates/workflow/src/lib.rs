//! Runs suites: one case for each phrasing, side by side, each with a base URL, a journal and a workspace of its own.
//!
//! Must not know: the command line, how a report looks.
#![forbid(unsafe_code)]

pub mod agent;
mod case;
pub mod cassette;
pub mod choose;
mod daemon;
mod drill;
mod field;
pub mod grade;
pub mod merge;
pub mod reach;
mod rounds;
mod run;
pub mod run_scripts;
pub mod step;
pub mod suite;
mod surroundings;
mod switchboard;
pub mod told;
mod work;

pub use run::{Enclose, Order, Progress, RunError, run};
