//! Why a file cannot be owned: what it is, or what is on the way to it.

use std::io;
use thiserror::Error;

/// A file cannot be owned.
#[derive(Debug, Error)]
#[error("{path:?}: {why}")]
pub struct OwnedError {
    /// The path as it was given.
    pub path: String,
    /// The reason.
    #[source]
    pub why: Refusal,
}

impl OwnedError {
    /// Whether the path itself would have led elsewhere (`unsafe_path`), rather than that the file is not as it should be.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        match self.why {
            Refusal::BadName(_)
            | Refusal::Link
            | Refusal::NotRegular
            | Refusal::HardLinked(_)
            | Refusal::SameFile(_) => true,
            Refusal::Folder
            | Refusal::NotFolder
            | Refusal::Missing
            | Refusal::AlreadyThere
            | Refusal::Changed
            | Refusal::TreeMoved
            | Refusal::TooLarge(_)
            | Refusal::TooMuch(_)
            | Refusal::TooMany(_)
            | Refusal::System(_) => false,
        }
    }
}

/// The reason.
#[derive(Debug, Error)]
pub enum Refusal {
    /// It is no path below a folder.
    #[error("it is no path of an owned file: {0}")]
    BadName(&'static str),
    /// It, or a folder above it, is a link.
    #[error("it is a symbolic link, or a folder above it is")]
    Link,
    /// A pipe, a socket or a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file has further names, perhaps outside.
    #[error("it is a hard link: the file has {0} names")]
    HardLinked(u64),
    /// Another entry is the same file.
    #[error("it is the same file as {0:?}")]
    SameFile(String),
    /// A folder.
    #[error("it is a folder")]
    Folder,
    /// Something above it is no folder.
    #[error("something above it is not a folder")]
    NotFolder,
    /// Nothing is there.
    #[error("it does not exist")]
    Missing,
    /// Something is there already.
    #[error("it is there already")]
    AlreadyThere,
    /// It is not what it was, or changed while it was looked at.
    #[error("it has been changed by somebody else")]
    Changed,
    /// At the path of the tree is another folder by now, or none.
    #[error("the work tree is not at its path any more")]
    TreeMoved,
    /// One file is too large.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// All files together are too large.
    #[error("with it, all files together are larger than {0} bytes")]
    TooMuch(u64),
    /// Too many files.
    #[error("with it, there are more than {0} files")]
    TooMany(usize),
    /// What the system says.
    #[error("{0}")]
    System(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::NotADirectory => Self::NotFolder,
            io::ErrorKind::IsADirectory => Self::Folder,
            io::ErrorKind::AlreadyExists => Self::AlreadyThere,
            #[cfg(unix)]
            _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Self::Link,
            _ => Self::System(error),
        }
    }
}
