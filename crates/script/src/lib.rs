//! Files that people write, read strictly: scenarios, findings with a place and a hint, and which step answers a request.
//!
//! Must not know: sockets, files on disk (it gets their text), clocks, the journal.
#![forbid(unsafe_code)]

pub mod scenario;
