//! What tests need and the product does not: a client that shows the raw bytes of a connection and how it ended.
//!
//! Must not know any crate of this workspace.
#![forbid(unsafe_code)]

pub mod raw_client;

pub use raw_client::{End, RawClient, Seen};
