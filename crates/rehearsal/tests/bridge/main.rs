//! `rehearsal record` before a provider that breaks in every way that providers do. Each test is named after what is right.
#![expect(clippy::print_stderr, reason = "a test that is not tried says why")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests have their own files, sockets, processes and deadlines"
)]

mod access;
mod damage;
mod disk;
mod echoed;
mod evidence;
mod failures;
mod fidelity;
mod killed;
mod once;
mod open_record;
mod stand;
mod surface;
mod upstream;
