//! The recording bridge: a server before a real provider that forwards a request at most as often as it may, keeps every byte of
//! it, and plays it again later.
//!
//! `core` decides over values, `state` is a fold over the journal's facts; `serve` and `relay` join them to the world.
#![forbid(unsafe_code)]

pub mod case;
pub mod cassette;
mod chores;
pub mod core;
mod cost;
pub mod denial;
pub mod exchange;
mod forward;
mod front;
mod kept;
pub mod key;
pub mod load;
mod mask;
mod outline;
mod passing;
mod pipe;
pub mod pretty;
pub mod projection;
pub mod records;
pub mod redactor;
pub mod relay;
pub mod replay;
pub mod serve;
pub mod setting;
pub mod state;
pub mod traffic;
pub mod unpack;
mod view;
mod words;
