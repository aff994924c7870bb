//! What is to be done in the world, as values, and why it could not be done.

use thiserror::Error;

/// A private workspace and the live tree that it must have nothing to do with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    /// The workspace, absolute.
    pub(crate) root: String,
    /// The live tree, where one was named.
    pub(crate) live: Option<String>,
    /// Whether a workspace that is not there is none to write in, rather than a mistake.
    pub(crate) lenient: bool,
}

/// One thing to do. All of it, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Makes a run's folder, writes its first edits and the record of its attempt.
    Begin {
        /// The run.
        run: String,
        /// Its edits.
        edits: Option<(Space, Vec<(String, String)>)>,
        /// The record.
        attempt: Option<String>,
    },
    /// Writes edits of a run that is under way.
    Edit {
        /// Where.
        space: Space,
        /// Path and text.
        files: Vec<(String, String)>,
    },
    /// Writes the telemetry of a run that is over.
    Telemetry {
        /// The run.
        run: String,
        /// The file.
        text: String,
    },
}

/// Why it was not done. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Blocked {
    /// There is no such folder.
    #[error("the workspace is no folder that can be opened")]
    NoWorkspace,
    /// It is the live tree, lies in it, or around it.
    #[error(
        "the workspace is not private: it is the live tree or the daemon's own folder, lies in it, or around it"
    )]
    NotPrivate,
    /// A file there cannot be written.
    #[error("{path:?} in the workspace cannot be written: {why}")]
    Refused {
        /// The file.
        path: String,
        /// What is in its place.
        why: String,
    },
    /// Our own folder cannot be written.
    #[error("the run's files cannot be written: {0}")]
    Disk(String),
}
