//! A worker: one task with owned files goes to an endpoint, files come back; nothing else may change.

pub(crate) mod asking;
pub mod dispatch;
pub mod format;
pub mod ownership;
pub mod proof;
pub mod report;
pub mod task;
pub mod work;
