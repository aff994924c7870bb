//! A worker: one task with owned files goes to an endpoint, files come back.

pub mod format;
