//! The bridge's decisions over values: its guards in their order, its state, what it shows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod fold;
mod guards;
mod setting;
mod shown;
