//! `rehearsal daemon` from outside, over raw sockets. Each test is named after what is right.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests have their own files, sockets, processes and deadlines"
)]

mod a2a;
mod beside;
mod defects;
mod engine;
mod events;
mod hostile;
mod scripted;
mod stand;
mod strangers;
mod workspaces;
