//! The bytes of a file of the workspace for somebody who keeps them: an end is only an end if nobody wrote meanwhile.

use rehearsal_world::beneath::Held;
use std::io::{self, Read};

/// What a reader fails with where the file changed meanwhile: a race, and no failure of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Changed;

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the file changed while it was read")
    }
}

impl std::error::Error for Changed {}

impl Changed {
    /// Whether an error of a reader is this one.
    pub(crate) fn is_it(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Self>())
    }
}

/// Reads a file, and looks at its end whether it is what it was at the beginning.
pub(super) struct Reader {
    held: Held,
    got: u64,
}

impl Reader {
    pub(super) fn of(held: Held) -> Self {
        Self { held, got: 0 }
    }
}

impl Read for Reader {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let got = self.held.read(block)?;
        self.got += got as u64;
        if got > 0 || block.is_empty() {
            return Ok(got);
        }
        let before = self.held.seen();
        match self.held.now() {
            Ok(now) if self.got == before.size && before.is_unchanged(&now) => Ok(0),
            Ok(_) => Err(io::Error::other(Changed)),
            Err(_) => Err(io::Error::other("the file cannot be looked at any more")),
        }
    }
}
