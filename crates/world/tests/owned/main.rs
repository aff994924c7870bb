//! Owned files: nothing that stands in a tree leads a read or a write out of it, and a commit is whole or not at all.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build the trees that they look at")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "a child says that it is ready, and races say what they met")]

mod attack;
mod clean;
mod crash;
mod exact;
mod full;
mod race;
#[path = "../scratch/mod.rs"]
mod scratch;
mod stand;
mod turns;
