//! The subsystems that workflows drive: real ones, of which only a few ports can be replaced. What they observe is a [`Fact`].
//!
//! Must not know: workflow files, how a case is judged, the command line. It opens nothing by itself: `world` gives it handles.
#![forbid(unsafe_code)]

mod fact;
mod refusal;
pub mod workspace;

pub use fact::{Fact, Proof};
pub use refusal::{Code, Refusal, Stop};
