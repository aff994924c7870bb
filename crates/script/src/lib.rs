//! Files that people write, read strictly: scenarios, findings with a place and a hint, and which step answers a request.
//!
//! Must not know: sockets, files on disk (it gets their text), clocks, the journal.
#![forbid(unsafe_code)]

mod circle;
pub mod daemon;
pub mod drill;
mod find;
pub mod finding;
mod fold;
pub mod issued;
mod kept;
mod lint;
mod node;
pub mod paths;
pub mod pick;
pub mod placeholder;
mod pointer;
mod prompt;
mod read;
pub mod runs;
pub mod scenario;
mod schema;
pub mod span;
pub mod spoil;
mod unnamed;
pub mod wave;
pub mod workflow;
pub mod write;

pub use read::{File, Known, lint, lint_and_read, read, read_under};
pub use schema::{FileKind, json_schema};
