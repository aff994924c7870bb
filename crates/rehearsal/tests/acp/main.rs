//! `rehearsal daemon --acp` from outside, over its standard input and output. Whatever it says is held
//! against the official schema, too.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(clippy::disallowed_methods, reason = "tests have their own files, processes and deadlines")]

mod client;
mod quirks;
mod sessions;
mod turns;
