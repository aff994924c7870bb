//! The built-in reference agent: a small honest tool loop over any endpoint that speaks chat completions; and `worker`, which
//! gives one task with owned files to such an endpoint and gets files back.
//!
//! Both ask through `endpoint`: any provider asked for one turn, its failures classed.
//!
//! The core of each decides without I/O and clock. Must not know: the stand-in, scenarios, journals
//! of runs, the command line.
#![forbid(unsafe_code)]

mod agent;
pub mod book;
pub mod endpoint;
pub mod endpoint_driver;
pub mod operations;
pub mod policy;
pub mod probe;
pub mod roles;
mod secret;
pub mod wave;
pub mod worker;

pub use agent::{Exit, Options, run};
pub use secret::Secret;
