//! Chunked transfer coding (RFC 9112, 7.1), written byte by byte for plans.

/// The end of a chunked body without trailers.
pub const LAST: &[u8] = b"0\r\n\r\n";

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
    out.extend_from_slice(format!("{length:x}\r\n").as_bytes());
}
