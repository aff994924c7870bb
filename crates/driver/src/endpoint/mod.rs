//! One endpoint that speaks an `OpenAI`-compatible API (or one of its two neighbours), asked for one turn at a time.
//!
//! All files but `ask` decide over values. Must not know: what a task is, which files a worker may write, how its answer is
//! read as a patch, the command line.

pub mod answer;
pub mod ask;
pub mod attempts;
pub mod budget;
pub mod class;
mod complaint;
pub mod config;
pub mod ear;
pub mod mask;
mod redirect;
pub mod request;
mod watch;

pub use answer::{Call, Leniency, Reading, Received, Tokens, Told};
pub use ask::{Asker, Dialled, Exchange, Happened, Manner, Prepared, Transport, Written};
pub use attempts::{Attempt, Attempts, Metered, Policy, Spent};
pub use class::{Class, Failed};
pub use config::{ConfigError, Dialect, Endpoint, Given, check_key_name};
pub use mask::Mask;
pub use request::{Choice, Dialing, Limit, Message, Repair, Said, Schema, Structured, Talk, Tool, Turn};
