//! What tests need and the product does not: a client that shows the raw bytes of a connection and how it ended,
//! empty folders, pages that a test writes, programs to talk with, and the packages for Python, Node.js and Rust by which others
//! read what we send.
//!
//! Must not know any crate of this workspace.
#![forbid(unsafe_code)]

pub mod dice;
pub mod folder;
pub mod node;
pub mod outside;
pub mod page;
pub mod program;
pub mod raw_client;
pub mod venv;

pub use folder::{said, scratch};
pub use program::{Heard, Program};
pub use raw_client::{End, RawClient, Seen};
