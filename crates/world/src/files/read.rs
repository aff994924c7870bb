//! Reads files that people name: bounded, and each failure is one sentence with the path.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file cannot be read. Says path and reason.
#[derive(Debug, Error)]
#[error("cannot read {path}: {why}")]
pub struct ReadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub why: Why,
}

/// The reason.
#[derive(Debug, Error)]
pub enum Why {
    /// No such file.
    #[error("there is no such file")]
    Missing,
    /// A folder.
    #[error("it is a folder")]
    Folder,
    /// Too long.
    #[error("it is longer than {0} bytes")]
    TooLong(u64),
    /// Bytes that are no text.
    #[error("it is not UTF-8 text (byte {0})")]
    NotText(usize),
    /// What the system says.
    #[error(transparent)]
    System(io::Error),
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// When it cannot be read or is longer.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let failed = |why| ReadError { path: path.to_owned(), why };
    let file = super::open(path).map_err(|error| failed(reason(error)))?;
    let metadata = file.metadata().ok();
    if metadata.as_ref().is_some_and(|metadata| metadata.is_dir()) {
        return Err(failed(Why::Folder));
    }
    // One byte more than there should be: so one read tells the whole, and the next that it was that.
    let length = metadata.map_or(0, |metadata| metadata.len().min(limit).saturating_add(1));
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| failed(reason(error)))?;
    if bytes.len() as u64 > limit {
        return Err(failed(Why::TooLong(limit)));
    }
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// When it cannot be read, is longer or is no UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|error| ReadError {
        path: path.to_owned(),
        why: Why::NotText(error.utf8_error().valid_up_to()),
    })
}

fn reason(error: io::Error) -> Why {
    match error.kind() {
        io::ErrorKind::NotFound => Why::Missing,
        io::ErrorKind::IsADirectory => Why::Folder,
        _ => Why::System(error),
    }
}
