//! All that a socket can be made to do: the last form of every reply, played by `world::pump`.

use std::time::Duration;

/// One thing to do on the raw socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Send these bytes in a write of their own.
    Write(Vec<u8>),
    /// Do nothing for this long.
    Wait(Duration),
    /// Send FIN; reading goes on.
    HalfClose,
    /// Let what was sent arrive, then reset the connection.
    Abort,
    /// Send nothing more and keep the socket open until the peer leaves.
    Stall,
}

/// What becomes of the connection once the acts are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The next request may follow.
    KeepAlive,
    /// Send FIN, read what still comes (bounded), close.
    Close,
}

/// A whole reply as acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What to do, in order.
    pub acts: Vec<Act>,
    /// What then.
    pub after: After,
}
