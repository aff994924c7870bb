//! A file that a person named and lines are appended to: each whole, in one write, there before its writer goes on.

use super::RecordError;
use crate::files;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The open file. It is never truncated.
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    file: Mutex<File>,
}

impl Lines {
    /// Opens the file to append to, and makes it for this user alone where it is missing.
    ///
    /// # Errors
    /// When it cannot be opened, or is no regular file.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let failed = |error| RecordError::Create { path: path.to_owned(), source: Arc::new(error) };
        if files::is_there(path) && !files::is_file(path) {
            let why = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file");
            return Err(failed(why));
        }
        let file = files::append_private(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file) })
    }

    /// Appends lines, each with its line feed at its end. The kernel has them when this returns.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&self, lines: &[u8]) -> Result<(), RecordError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(lines)
            .map_err(|error| RecordError::Write { path: self.path.clone(), source: Arc::new(error) })
    }
}
