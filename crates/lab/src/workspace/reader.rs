//! The bytes of a file of the workspace for somebody who keeps them: an end is only an end if nobody wrote meanwhile.

use rehearsal_world::beneath::Held;
use std::io::{self, Read};

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
            Ok(_) => Err(io::Error::other("the file changed while it was read")),
            Err(_) => Err(io::Error::other("the file cannot be looked at any more")),
        }
    }
}
