//! Chunked transfer coding (RFC 9112, 7.1), written byte by byte for plans.

use crate::frames::Frames;

/// The end of a chunked body without trailers.
pub const LAST: &[u8] = b"0\r\n\r\n";

/// Appends a body of these chunks, to its end.
pub fn whole(out: &mut Vec<u8>, frames: &Frames) {
    out.reserve(room(frames));
    frames.iter().for_each(|frame| chunk(out, frame));
    out.extend_from_slice(LAST);
}

/// Bytes that such a body takes; enough for chunks of up to a mebibyte, and a little more.
#[must_use]
pub fn room(frames: &Frames) -> usize {
    /// Around the data of a chunk: five digits and two line ends.
    const AROUND: usize = 9;
    frames.bytes().len() + frames.len() * AROUND + LAST.len()
}

/// Appends one chunk. An empty one would end the body, so it is left out.
pub fn chunk(out: &mut Vec<u8>, data: &[u8]) {
    if data.is_empty() {
        return;
    }
    promise(out, data.len());
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

/// Appends the size line of a chunk.
pub fn promise(out: &mut Vec<u8>, length: usize) {
    let mut line = *b"0000000000000000\r\n";
    let (mut start, mut left) = (line.len() - 2, length);
    loop {
        start -= 1;
        line[start] = b"0123456789abcdef"[left & 15];
        left >>= 4;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&line[start..]);
}

#[cfg(test)]
mod tests {
    use super::promise;

    #[test]
    fn sizes_are_hexadecimal_without_leading_zeros() {
        for length in [0, 1, 9, 10, 15, 16, 255, 256, 4095, 0x00AB_CDEF, usize::MAX] {
            let mut out = Vec::new();
            promise(&mut out, length);
            assert_eq!(out, format!("{length:x}\r\n").into_bytes());
        }
    }
}
