//! Owned files: the files of a work tree that a worker may change, by folder handle from the first look to the last rename.
//!
//! [`Tree::take`] reads the files and remembers what they are; [`Held::commit`] puts new contents in their place, all or
//! none. No link is followed in any part of a path, and a file that somebody else touched meanwhile is not overwritten.
//!
//! A commit that is killed leaves a record in a folder of the caller's. Whoever works on the tree calls [`Tree::recover`]
//! first: after that the tree is as it was before the commit, or as it should be after it, whatever moment the kill came at.
//! Until then some files may be old and some new, and files named `.rehearsal-…` lie beside them. Commits of
//! several processes on one tree wait for each other, and the second finds what the first changed.
//!
//! On systems other than Linux and macOS files change places in three steps instead of one, and names are looked at before
//! they are opened: there this protects from mistakes, not from an attacker who races.

mod apart;
mod clean;
mod commit;
mod held;
mod originals;
mod place;
mod record;
mod recover;
mod refusal;
mod report;
mod trade;
mod turn;

pub use apart::are_apart;
pub use clean::{Clean, Copied, CopyError, LeftOut, Original, copy_clean};
pub use held::{Held, HeldFile, Snapshot};
pub use originals::{Bounds, KeepError};
pub use record::RECORD;
pub use recover::Ended;
pub use refusal::{OwnedError, Refusal};
pub use report::{Cause, CommitError, Committed, Fate, PathReport, Recovered};

use crate::handle::Folder;
use std::io;
use std::path::{Path, PathBuf};

/// What a worker may do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It is there and gets new contents.
    Edit,
    /// Nothing is there; it is made, and folders above it where they are missing.
    Create,
}

/// A file that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path from the tree, `/` between the parts.
    pub path: String,
    /// What may be done with it.
    pub mode: Mode,
}

/// How much is taken and written. All of it is held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest file, in bytes, old or new.
    pub file: u64,
    /// Most bytes of all files together, old ones and new ones each.
    pub total: u64,
    /// Most files; each may hold two handles open while it is written.
    pub files: usize,
}

impl Default for Limits {
    /// 8 MiB a file, 64 MiB together, 256 files.
    fn default() -> Self {
        Self { file: 8 << 20, total: 64 << 20, files: 256 }
    }
}

/// A work tree.
#[derive(Debug)]
pub struct Tree {
    root: Folder,
    path: PathBuf,
    limits: Limits,
}

impl Tree {
    /// Opens a tree. Links on the way to it are followed: its path is the user's.
    ///
    /// # Errors
    /// What the system says where it is no folder that can be opened.
    pub fn open(path: &Path, limits: Limits) -> io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(Self { root: Folder::open(&path)?, path, limits })
    }

    /// The same tree, by a handle of its own.
    ///
    /// # Errors
    /// What the system says where it gives no further handle.
    pub fn again(&self) -> io::Result<Self> {
        Ok(Self { root: self.root.again()?, path: self.path.clone(), limits: self.limits })
    }

    /// The tree's path without links, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SHA-256 of a file as it is now, in hexadecimal; none where no regular file with one name is there.
    #[must_use]
    pub fn sha256(&self, path: &str) -> Option<String> {
        if place::fault(path).is_some() {
            return None;
        }
        place::seen_at(&self.root, path)
    }

    /// Opens each file, reads it, and remembers what it and the folder above it are. Nothing is changed.
    ///
    /// # Errors
    /// [`OwnedError`]: the first entry that cannot be owned. Files that are edited are regular, with one name, no link on
    /// the way; under a name that is to be created nothing is, not even a link that leads nowhere.
    pub fn take(&self, entries: &[Entry]) -> Result<Held, OwnedError> {
        Held::take(self, entries)
    }
}
