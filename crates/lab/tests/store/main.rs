//! The session store: what it refuses, what it keeps, and what is left of it after kills, cuts and full disks.
#![expect(clippy::disallowed_methods, reason = "tests start children and look at the files of a store")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "a child says what it has done, and tests what they met")]

mod attack;
#[cfg(target_os = "linux")]
mod crash;
mod cut;
#[cfg(target_os = "linux")]
mod full;
mod keep;
mod model;
mod raw;
mod stand;
