//! Bytes to meaning and back, without effects: JSON, HTTP heads, the neutral turn, dialects, rules and faults.
//!
//! Must not know: sockets, files, clocks, scenario files, the journal. Time, ids and seeds come as arguments.
#![forbid(unsafe_code)]

pub mod act;
mod base64;
mod calendar;
pub mod dialect;
pub mod fault;
pub mod follow;
pub mod frames;
pub mod head;
pub mod host;
pub mod json;
pub mod names;
pub mod reject;
pub mod relay;
pub mod reply;
pub mod rule;
pub mod sse;
pub mod target;
pub mod turn;
