//! The scripted provider: `core` decides what becomes of a request, `serve` joins it to the world.
//!
//! Must not know: how a run is started or graded, other actors.
#![forbid(unsafe_code)]

mod batch;
mod cloud;
mod compose;
pub mod core;
mod dice;
mod notice;
mod plausible;
mod refusal;
mod route;
pub mod serve;
mod side;
mod stored;
mod taken;
mod talk;
mod visit;
mod warm;

pub use warm::warm_up;
