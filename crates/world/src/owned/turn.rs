//! Who may put files into a tree: one at a time, whatever folder of records each of them has.
//!
//! The system's lock of the tree's folder says whose turn it is. It goes with its process, and it binds us alone: others may do with
//! their files what they like.

use crate::handle::Folder;
use std::io;

/// The turn of whoever holds this.
#[derive(Debug)]
pub(super) struct Turn {
    #[cfg(unix)]
    _lock: Option<std::os::fd::OwnedFd>,
}

impl Turn {
    /// Waits for its turn, some seconds at most: a commit takes milliseconds. Where folders have no locks it is everybody's turn.
    pub(super) fn wait(tree: &Folder) -> io::Result<Self> {
        #[cfg(unix)]
        {
            use rustix::fs::{FlockOperation, flock};
            use rustix::io::Errno;
            /// Looks before it is given up, and the milliseconds between two of them.
            const LOOKS: u64 = 2000;
            const BETWEEN: u64 = 5;
            let lock = tree.itself()?;
            for _ in 0..LOOKS {
                match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                    Ok(()) => return Ok(Self { _lock: Some(lock) }),
                    Err(Errno::WOULDBLOCK | Errno::INTR) => pause(BETWEEN),
                    Err(_) => return Ok(Self { _lock: None }),
                }
            }
            let seconds = LOOKS * BETWEEN / 1000;
            let why = format!("another process has been writing into this tree for {seconds} s");
            Err(io::Error::new(io::ErrorKind::WouldBlock, why))
        }
        #[cfg(not(unix))]
        {
            let _ = tree;
            Ok(Self {})
        }
    }
}

#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "nothing tells the end of another's lock without waiting for ever"
)]
fn pause(millis: u64) {
    std::thread::sleep(std::time::Duration::from_millis(millis));
}
