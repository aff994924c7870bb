//! What can go wrong while a journal is written.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// Why a journal cannot be written. Cheap to clone: every request that waits gets it.
#[derive(Clone, Debug, Error)]
pub enum RecordError {
    /// The folder cannot be made or used.
    #[error("cannot use folder {path} for a journal: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// A file cannot be made.
    #[error("cannot create {path}: {source}")]
    Create {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// A segment beyond those that are kept cannot be thrown away.
    #[error("cannot remove {path}: {source}")]
    Remove {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// The journal was closed before.
    #[error("the journal is closed")]
    Closed,
}
