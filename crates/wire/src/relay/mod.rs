//! What a relay between a client and a provider changes in their bytes: the provider's model id becomes a public one and back.
//!
//! Everything is fed in any chunking and gives out as early as it can; what is held back is bounded by the length of the id.
//! Must not know: sockets, heads, budgets, records.

pub mod coding;
mod escape;
pub mod events;
pub mod json;
mod names;
pub mod request;
pub mod same_input;
mod scalar;
mod search;
pub mod text;

pub use names::{NameFault, Names};
