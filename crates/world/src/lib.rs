//! The only crate with effects: clock, ids, files, processes, sockets. It carries out what the pure crates decide.
//!
//! Must not know: dialects, rules, scenarios. It moves bytes and tells what really happened to them.
#![deny(unsafe_code)]

pub mod dial;
pub mod http;
pub mod listen;
mod pump;
pub mod room;
pub mod clock;
pub mod files;
pub mod ids;
pub mod process;
pub mod record;
