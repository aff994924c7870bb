//! A network of its own for an agent: a loopback on which nothing listens but what we put there. The kernel lets nothing else out.
//!
//! The agent is started through our own program ([`enter`]), which makes the network, listens in it, hands the listening
//! sockets out to us and then becomes the agent. A socket stays in the network that it was made in, so our ordinary servers
//! serve there from outside. The ports are the same inside and outside, and so are all URLs.

use std::io;

use thiserror::Error;

use crate::process::StartError;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod loopback;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod pass;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Enclosure, enter, possible, prepare, try_here};
#[cfg(target_os = "linux")]
pub use inside::{enter, try_here};
#[cfg(target_os = "linux")]
pub use outside::{Enclosure, possible, prepare};

/// Why an agent is not in a network of its own.
#[derive(Debug, Error)]
pub enum EnclosedError {
    /// Only Linux has this.
    #[error("a network of its own for an agent needs Linux")]
    NotSupported,
    /// The kernel forbids it, or something fails inside.
    #[error("{0}")]
    Refused(String),
    /// The network is there, but the agent does not start in it.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Nothing was heard from inside in time.
    #[error("the agent's network did not come up in time")]
    Late,
    /// The sockets between inside and outside.
    #[error("cannot talk to the agent's network: {0}")]
    Talk(#[from] io::Error),
}
