//! The append-only ground truth: events, lines, the hash chain, what may be shown, and folds over it.
//!
//! Must not know: where lines are kept, what a dialect is, anything of ours.
#![forbid(unsafe_code)]

pub mod body;
pub mod bound;
pub mod bridge;
pub mod chain;
pub mod daemon;
pub mod digest;
pub mod drive;
pub mod event;
pub mod fold;
pub mod line;
pub mod normal;
pub mod redact;
pub mod run;
pub mod stub_log;
pub mod verify;
pub mod work;
mod write;
