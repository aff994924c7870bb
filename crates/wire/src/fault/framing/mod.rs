//! Faults of the lines and chunks of a stream.

pub(super) mod sse_crlf;
