//! Brotli (RFC 7932).

use super::{Sink, Stop};
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

/// One stream; windows beyond 16 MiB are refused.
pub(super) struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    ended: bool,
}

impl std::fmt::Debug for Brotli {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Brotli").field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl Brotli {
    pub(super) fn new() -> Self {
        let alloc = StandardAlloc::default;
        Self { state: BrotliState::new_strict(alloc(), alloc(), alloc()), ended: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Stop> {
        let (mut left, mut used) = (bytes.len(), 0);
        let mut buffer = [0; 8192];
        while !self.ended {
            let (mut room, mut written, mut total) = (buffer.len(), 0, 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut used,
                bytes,
                &mut room,
                &mut written,
                &mut buffer,
                &mut total,
                &mut self.state,
            );
            sink.put(&buffer[..written])?;
            match result {
                BrotliResult::ResultSuccess => self.ended = true,
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultFailure => return Err(Stop::Broken),
            }
        }
        Ok(())
    }

    pub(super) fn is_whole(&self) -> bool {
        self.ended
    }
}
