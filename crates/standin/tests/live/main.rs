//! The stand-in over real sockets: what a client sees, and what the journal and the log say of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(clippy::disallowed_methods, reason = "tests have their own files, sockets and deadlines")]

mod azure;
mod batches;
mod beside;
mod captures;
mod compaction;
mod completions;
mod corpus;
mod faults;
mod gemini;
mod guard;
mod hostile;
mod lanes;
mod matching;
mod messages;
mod ollama;
mod recorded;
mod reference;
mod replies;
mod request;
mod responses;
mod routes;
mod safe_wire;
mod script;
mod stand;
mod stream;
mod strictness;
mod trouble;
mod warm;
