//! Plays recorded traffic again. Nothing in here can reach a network: a recording is served, or the request is refused.

pub mod call;
pub mod instead;
pub mod miss;
pub mod play;
pub mod serve;
pub mod shelf;
