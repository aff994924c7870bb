//! The workspace's boundary: nothing that stands in it, and nobody who works on it at the same time, leads a file out of it.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests build the folders that they look at")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "races say what they met")]

mod attack;
mod fact;
mod fails;
mod portable;
mod quota;
mod race;
mod stand;
