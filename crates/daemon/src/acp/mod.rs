//! The Agent Client Protocol, version 1, over standard input and output: a second front end of the same runs. Facts about it are those of
//! the official schema crate, `agent-client-protocol-schema` 1.20.
//!
//! `front` decides over lines and times; `stdio` joins it to the world.

mod front;
mod line;
mod method;
mod session;
mod stdio;
mod turn;
mod update;

pub use stdio::{AcpError, serve};
