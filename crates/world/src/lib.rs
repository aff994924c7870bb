//! The only crate with effects: clock, ids, files, processes, sockets. It carries out what the pure crates decide.
//!
//! Must not know: dialects, rules, scenarios. It moves bytes and tells what really happened to them.
#![deny(unsafe_code)]

pub mod beneath;
pub mod clock;
pub mod database;
pub mod dial;
pub mod enclosed;
pub mod environment;
pub mod files;
mod handle;
pub mod http;
pub mod ids;
pub mod listen;
pub mod owned;
pub mod process;
mod pump;
pub mod record;
pub mod room;
pub mod shim;
pub mod sink;
pub mod stdio;
pub mod task;
pub mod vault;
