//! The subsystems that workflows drive: real ones, of which only a few ports can be replaced. What they observe is a [`Fact`].
//!
//! Must not know: workflow files, how a case is judged, the command line. It opens nothing by itself: `world` gives it handles.
#![forbid(unsafe_code)]

mod exec;
mod fact;
mod http;
mod plain;
mod refusal;
mod rehearsed;
mod service;
pub mod store;
pub mod workspace;

pub use exec::{Done, Exec, Interrupt, Used, exec};
pub use fact::{Fact, Proof};
pub use http::{Http, http};
pub use refusal::{Code, Refusal, Stop};
pub use rehearsed::rehearsed;
pub use service::{Ready, Service, Start};
