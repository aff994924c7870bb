//! Recorded traffic read back: what is checked, what is found for a request, which conversations it makes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(clippy::disallowed_methods, reason = "tests have their own files")]

mod finding;
mod reading;
mod talking;
mod tape;
