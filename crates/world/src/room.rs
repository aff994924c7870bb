//! An agent's workspace: files by directory handle, so that no path and no link leads out of it.
//!
//! Errors are single lines written for a model to read: what is wrong and what would be right.

mod command;

use crate::process::StartError;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// What work in a room may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest file that is read or written, in bytes.
    pub file: u64,
    /// Most names that one listing holds.
    pub names: usize,
    /// Most bytes kept of each output of a command.
    pub output: usize,
    /// Longest time one command may run.
    pub command: Duration,
}

/// Why something cannot be done in a room.
#[derive(Debug, Error)]
pub enum RoomError {
    /// The path itself is no good.
    #[error("{path:?} is not a path here: {why}")]
    BadPath {
        /// The path as it was given.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A link on the way leads out of the room.
    #[error("{0:?} leads out of the workspace")]
    Outside(String),
    /// Nothing is there.
    #[error("{0:?} does not exist")]
    NotFound(String),
    /// A folder stands where a file is wanted.
    #[error("{0:?} is a folder, not a file")]
    IsFolder(String),
    /// A file stands where a folder is wanted.
    #[error("{0:?} is not a folder, or part of its path is not")]
    NotFolder(String),
    /// A FIFO, socket or device.
    #[error("{0:?} is not a regular file")]
    NotRegular(String),
    /// The same file has another name, perhaps outside.
    #[error(
        "{0:?} is not written: it is a hard link, and the file's other name may be outside the workspace"
    )]
    HardLinked(String),
    /// The file is not text.
    #[error("{0:?} is not UTF-8 text")]
    NotText(String),
    /// The file is too large.
    #[error("{path:?} is larger than {limit} bytes")]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The command is not one.
    #[error("the command holds a NUL character")]
    BadCommand,
    /// The shell does not start.
    #[error(transparent)]
    NoShell(#[from] StartError),
    /// Anything else that the system says.
    #[error("{path:?}: {source}")]
    System {
        /// The path as it was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// An open workspace.
#[derive(Debug)]
pub struct Room {
    dir: Dir,
    path: PathBuf,
    search_path: Option<String>,
    limits: Limits,
}

impl Room {
    /// Opens a workspace that exists. Commands look for programs in `search_path`, else where systems keep them.
    ///
    /// # Errors
    /// What the system says where the path is not a folder that can be opened.
    pub fn open(path: &Path, search_path: Option<String>, limits: Limits) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { dir, path, search_path, limits })
    }

    /// Reads a text file.
    ///
    /// # Errors
    /// [`RoomError`]; nothing but a regular UTF-8 file within the size limit is read.
    pub fn read_file(&self, path: &str) -> Result<String, RoomError> {
        let place = check(path, false)?;
        // Looked at before it is opened: opening some devices has an effect of its own.
        self.regular(path, &self.dir.metadata(place).map_err(|error| refusal(path, error))?)?;
        let mut options = OpenOptions::new();
        let mut file = self.open_file(path, options.read(true))?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file)
            .take(self.limits.file + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| refusal(path, error))?;
        self.fits(path, bytes.len() as u64)?;
        String::from_utf8(bytes).map_err(|_| RoomError::NotText(path.to_owned()))
    }

    /// Writes a text file, in place of what it held; creates it and its folders.
    ///
    /// # Errors
    /// [`RoomError`]; nothing but a regular file with one name is written, within the size limit.
    pub fn write_file(&self, path: &str, content: &str) -> Result<(), RoomError> {
        let place = check(path, false)?;
        self.fits(path, content.len() as u64)?;
        match self.dir.metadata(place) {
            Ok(seen) => self.regular(path, &seen)?,
            Err(error) if error.kind() == ErrorKind::NotFound => self.create_parent(path, place)?,
            Err(error) => return Err(refusal(path, error)),
        }
        let mut options = OpenOptions::new();
        let mut file = self.open_file(path, options.write(true).create(true).truncate(false))?;
        let seen = file.metadata().map_err(|error| refusal(path, error))?;
        if names_of(&seen) > 1 {
            return Err(RoomError::HardLinked(path.to_owned()));
        }
        file.set_len(0)
            .and_then(|()| file.write_all(content.as_bytes()))
            .map_err(|error| refusal(path, error))
    }

    /// Lists a folder (`.` is the room itself): names in order, folders with a slash at the end, one a line.
    ///
    /// # Errors
    /// [`RoomError`] where it is not a folder in the room.
    pub fn list_dir(&self, path: &str) -> Result<String, RoomError> {
        let place = check(path, true)?;
        let mut names = Vec::new();
        for entry in self.dir.read_dir(place).map_err(|error| refusal(path, error))? {
            let entry = entry.map_err(|error| refusal(path, error))?;
            let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            names.push(format!("{}{slash}", entry.file_name().to_string_lossy()));
        }
        names.sort_unstable();
        let hidden = names.len().saturating_sub(self.limits.names);
        names.truncate(self.limits.names);
        if hidden > 0 {
            names.push(format!("({hidden} more)"));
        }
        Ok(names.join("\n"))
    }

    fn create_parent(&self, path: &str, place: &Path) -> Result<(), RoomError> {
        match place.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => self.dir.create_dir_all(parent).map_err(|error| refusal(path, error)),
            None => Ok(()),
        }
    }

    /// Opens a file without ever waiting for a FIFO's other end, and looks at what was opened: between a look at the
    /// path and the opening something else may have taken its place.
    fn open_file(&self, path: &str, options: &mut OpenOptions) -> Result<File, RoomError> {
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
            options.custom_flags(flags.bits().cast_signed());
        }
        let file = self.dir.open_with(path, options).map_err(|error| refusal(path, error))?;
        self.regular(path, &file.metadata().map_err(|error| refusal(path, error))?)?;
        Ok(file)
    }

    fn regular(&self, path: &str, seen: &Metadata) -> Result<(), RoomError> {
        if seen.is_dir() {
            return Err(RoomError::IsFolder(path.to_owned()));
        }
        if seen.is_file() { Ok(()) } else { Err(RoomError::NotRegular(path.to_owned())) }
    }

    fn fits(&self, path: &str, size: u64) -> Result<(), RoomError> {
        let limit = self.limits.file;
        if size > limit { Err(RoomError::TooLarge { path: path.to_owned(), limit }) } else { Ok(()) }
    }
}

/// The rules for a path before anything is opened. The handle would hold without them; they make the answer clear.
fn check(path: &str, itself: bool) -> Result<&Path, RoomError> {
    let bad = |why| Err(RoomError::BadPath { path: path.to_owned(), why });
    if path.is_empty() {
        return bad("it is empty");
    }
    if path.contains('\0') {
        return bad("it holds a NUL character");
    }
    let place = Path::new(path);
    let mut names = false;
    for component in place.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => return bad("it must be relative to the workspace"),
            Component::ParentDir => return bad("it must not hold `..`"),
            Component::CurDir => {}
            Component::Normal(_) => names = true,
        }
    }
    if !names && !itself {
        return bad("it names the workspace itself");
    }
    Ok(place)
}

fn refusal(path: &str, source: io::Error) -> RoomError {
    let path = path.to_owned();
    match source.kind() {
        ErrorKind::NotFound => RoomError::NotFound(path),
        ErrorKind::IsADirectory => RoomError::IsFolder(path),
        ErrorKind::NotADirectory => RoomError::NotFolder(path),
        // The handle's own refusal carries no number of the system; a true lack of permission does.
        ErrorKind::PermissionDenied if source.raw_os_error().is_none() => RoomError::Outside(path),
        _ => RoomError::System { path, source },
    }
}

#[cfg(unix)]
fn names_of(seen: &Metadata) -> u64 {
    cap_std::fs::MetadataExt::nlink(seen)
}

#[cfg(not(unix))]
fn names_of(_seen: &Metadata) -> u64 {
    1
}

#[cfg(test)]
mod tests;
