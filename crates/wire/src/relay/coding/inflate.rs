//! Deflate, raw or in zlib's wrapping, and what gzip shares with it.

use super::{Sink, Stop};
use flate2::{Decompress, FlushDecompress, Status};

/// Undoes deflate as far as the bytes go; gives how many were used and whether the stream is at its end.
pub(super) fn inflate(
    stream: &mut Decompress,
    bytes: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), Stop>,
) -> Result<(usize, bool), Stop> {
    let mut used = 0;
    let mut buffer = [0; 8192];
    loop {
        let (read, written) = (stream.total_in(), stream.total_out());
        let result = stream.decompress(&bytes[used..], &mut buffer, FlushDecompress::None);
        let count = |now: u64, before: u64| usize::try_from(now - before).unwrap_or(0);
        let (read, written) = (count(stream.total_in(), read), count(stream.total_out(), written));
        used += read;
        put(&buffer[..written])?;
        match result {
            Err(_) => return Err(Stop::Broken),
            Ok(Status::StreamEnd) => return Ok((used, true)),
            Ok(Status::Ok | Status::BufError) if read == 0 && written == 0 => return Ok((used, false)),
            Ok(Status::Ok | Status::BufError) => {}
        }
    }
}

/// The coding `deflate`: zlib by the standard, raw deflate by what some servers send.
#[derive(Debug, Default)]
pub(super) struct Deflate {
    /// The first byte, while it waits for the second.
    first: Option<u8>,
    stream: Option<Decompress>,
    ended: bool,
}

impl Deflate {
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut bytes = bytes;
        while self.stream.is_none() {
            let Some((&byte, rest)) = bytes.split_first() else { return Ok(()) };
            bytes = rest;
            if let Some(first) = self.first {
                let mut stream = Decompress::new(is_zlib(first, byte));
                inflate(&mut stream, &[first], |part| sink.put(part))?;
                self.ended = inflate(&mut stream, &[byte], |part| sink.put(part))?.1;
                self.stream = Some(stream);
            } else {
                self.first = Some(byte);
            }
        }
        if let Some(stream) = self.stream.as_mut().filter(|_| !self.ended) {
            self.ended = inflate(stream, bytes, |part| sink.put(part))?.1;
        }
        Ok(())
    }

    pub(super) fn is_whole(&self) -> bool {
        self.ended
    }
}

/// Whether two bytes are the head of a zlib stream (RFC 1950) without a dictionary.
fn is_zlib(first: u8, second: u8) -> bool {
    let sum = u16::from(first) << 8 | u16::from(second);
    first & 0x0F == 8 && first >> 4 <= 7 && sum.is_multiple_of(31) && second & 0x20 == 0
}
