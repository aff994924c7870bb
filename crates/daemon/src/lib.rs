//! The stand-in for an agent-run daemon: runs that are started, asked, answered, steered, cancelled and edit files, without any
//! model.
//!
//! `run` is what a run does, whoever asks; `v2` is the protocol over HTTP, `a2a` another on the same port; `core` decides over values;
//! `serve` joins them to the world.
#![forbid(unsafe_code)]

mod a2a;
pub mod acp;
mod core;
mod disk;
pub mod edits;
mod effect;
mod failure;
pub mod install;
mod mask;
mod receipt;
pub mod run;
pub mod serve;
pub mod setting;
mod state;
mod stream;
mod uploads;
mod v2;
mod wire_reply;
