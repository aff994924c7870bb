//! What became of each file, in a commit, after one that failed, and after one that was interrupted.

use super::place::{beside, parent, seen_at, split};
use super::recover::Ended;
use super::refusal::OwnedError;
use crate::handle::Folder;
use crate::vault::VaultError;
use std::io;
use thiserror::Error;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It has its new contents.
    Applied,
    /// It is as it was; it may never have been touched.
    RolledBack,
    /// Somebody else changed it meanwhile, and it was left as they made it; or the system did not let it be put back.
    Dirty,
}

/// One file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathReport {
    /// Its path.
    pub path: String,
    /// What became of it.
    pub fate: Fate,
    /// SHA-256 of what it held before, in hexadecimal; none where it was not there.
    pub before: Option<String>,
    /// SHA-256 of what it holds now; none where it is not there, or is no regular file.
    pub after: Option<String>,
    /// Path of a file that was left beside a dirty one and holds what would be lost without it.
    pub kept: Option<String>,
}

impl PathReport {
    /// Looks at a file that held `before`, and that would be applied with `new`, where such a thing is possible still.
    pub(super) fn look(
        root: &Folder,
        path: &str,
        temporary: Option<&str>,
        before: Option<String>,
        new: Option<&str>,
    ) -> Self {
        let after = seen_at(root, path);
        let (above, name) = split(path);
        let above = parent(root, above);
        let has = |name: &str| above.as_ref().is_ok_and(|folder| !matches!(folder.look(name), Ok(None)));
        let fate = match &after {
            Some(sum) if new == Some(sum.as_str()) => Fate::Applied,
            Some(_) if after == before => Fate::RolledBack,
            // What is there and cannot be read was put there by others.
            None if before.is_none() && !has(name) => Fate::RolledBack,
            Some(_) | None => Fate::Dirty,
        };
        let kept = temporary.filter(|name| has(name)).map(|name| beside(path, name));
        Self { path: path.to_owned(), fate, before, after, kept }
    }
}

/// All new contents are in place, and on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The files in the order of the changes, all [`Fate::Applied`].
    pub paths: Vec<PathReport>,
    /// Paths of temporary files that could not be removed.
    pub left: Vec<String>,
}

/// A commit failed. Nothing is changed but what `paths` calls dirty: others wrote to it, or the system did not let it be put
/// back; then the next [`super::Tree::recover`] does that.
#[derive(Debug, Error)]
#[error("nothing was written: {cause}{}", dirty(paths))]
pub struct CommitError {
    /// Why.
    #[source]
    pub cause: Cause,
    /// The files in the order of the changes; empty where the changes themselves were refused.
    pub paths: Vec<PathReport>,
}

fn dirty(paths: &[PathReport]) -> String {
    let dirty: Vec<_> =
        paths.iter().filter(|path| path.fate == Fate::Dirty).map(|path| path.path.as_str()).collect();
    if dirty.is_empty() { String::new() } else { format!(" (not as they were: {})", dirty.join(", ")) }
}

impl CommitError {
    /// Whether a file or a folder is not what it was when the files were taken: `stale_base`.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self.cause, Cause::Stale(_))
    }
}

/// Why a commit failed.
#[derive(Debug, Error)]
pub enum Cause {
    /// A path was not taken.
    #[error("{0:?} was not taken")]
    NotHeld(String),
    /// A path is changed twice.
    #[error("{0:?} is changed twice")]
    Twice(String),
    /// New contents are too large.
    #[error("{path:?} makes the new contents larger than {limit} bytes")]
    TooLarge {
        /// The path.
        path: String,
        /// The limit that is passed, in bytes.
        limit: u64,
    },
    /// Something is not as it was taken.
    #[error("stale base: {0}")]
    Stale(OwnedError),
    /// An earlier commit was interrupted, and nobody recovered from it.
    #[error("an earlier commit was interrupted: recover from it first")]
    Unrecovered,
    /// The record cannot be written.
    #[error(transparent)]
    Record(VaultError),
    /// The system gave no random bytes.
    #[error(transparent)]
    NoRandom(crate::ids::NoRandom),
    /// A file cannot be written.
    #[error("cannot write {path:?}: {source}")]
    Write {
        /// The path.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The record is of another tree, or no record.
    #[error("the record of an interrupted commit {0}")]
    Unreadable(&'static str),
}

/// What was done about an interrupted commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// How it ended.
    pub ended: Ended,
    /// The files in the order of its changes.
    pub paths: Vec<PathReport>,
}
