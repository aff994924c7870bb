//! A private folder for work that leaves nothing behind.

use super::private_folders;
use std::io;
use std::path::{Path, PathBuf};

/// A folder below the system's place for such things, under a name that nobody can guess, open to its owner alone. It is removed,
/// with all that is in it, when this is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        let token = crate::ids::case_token().map_err(io::Error::other)?;
        let path = std::env::temp_dir().canonicalize()?.join(format!("rehearsal-{token}"));
        private_folders(&path)?;
        Ok(Self(path))
    }

    /// Where it is, without links on the way.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What a program made unwritable stays; the system cleans up here some day.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
