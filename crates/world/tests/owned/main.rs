//! Owned files: nothing that stands in a tree leads a read or a write out of it, and a commit is whole or not at all.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests build the trees that they look at")]

mod attack;
mod clean;
mod crash;
mod exact;
mod full;
mod race;
#[path = "../scratch/mod.rs"]
mod scratch;
mod stand;
