//! An agent's workspace, seen through directory handles: nothing an agent puts there leads out of it.

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use rehearsal_journal::digest::{Running, text};
use rehearsal_journal::event::WorkspaceSeen;
use std::io::{self, Read as _};
use std::path::{Component, Path};
use thiserror::Error;

/// Most files that are listed.
const FILES: usize = 10_000;

/// Most bytes that are read for digests.
const BYTES: u64 = 1 << 30;

/// How deep folders are looked into.
const DEPTH: usize = 64;

/// Lists the regular files of a workspace with length and digest, sorted by path. Symlinks are not followed and not
/// listed. What is too many, too large, too deep, unreadable or has a name that is no text makes the list `capped`.
///
/// # Errors
/// When the workspace itself cannot be opened.
pub fn see_workspace(root: &Path) -> io::Result<WorkspaceSeen> {
    let dir = Dir::open_ambient_dir(root, ambient_authority())?;
    let mut look = Look { seen: WorkspaceSeen::default(), bytes_left: BYTES };
    look.at(&dir, "", DEPTH);
    look.seen.files.sort();
    Ok(look.seen)
}

struct Look {
    seen: WorkspaceSeen,
    bytes_left: u64,
}

impl Look {
    fn at(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = dir.entries() else {
            self.seen.capped = true;
            return;
        };
        for entry in entries {
            if self.seen.files.len() >= FILES || self.bytes_left == 0 {
                self.seen.capped = true;
                return;
            }
            let Some((name, kind)) = entry
                .ok()
                .and_then(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?)))
            else {
                self.seen.capped = true;
                continue;
            };
            let path = format!("{prefix}{name}");
            if kind.is_file() {
                match self.file(dir, &name) {
                    Ok((len, sha256)) => self.seen.files.push((path, len, sha256)),
                    Err(_) => self.seen.capped = true,
                }
            } else if kind.is_dir() {
                match dir.open_dir(&name) {
                    Ok(inner) if depth > 0 => self.at(&inner, &format!("{path}/"), depth - 1),
                    Ok(_) | Err(_) => self.seen.capped = true,
                }
            }
        }
    }

    fn file(&mut self, dir: &Dir, name: &str) -> io::Result<(u64, String)> {
        let file = dir.open_with(name, &reading())?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (mut digest, mut len) = (Running::default(), 0);
        let mut file = file.take(self.bytes_left);
        let mut block = vec![0; 64 << 10];
        loop {
            let got = file.read(&mut block)?;
            if got == 0 {
                break;
            }
            digest.update(&block[..got]);
            len += got as u64;
        }
        self.bytes_left -= len;
        if self.bytes_left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok((len, text(&digest.finish())))
    }
}

/// Opening must not wait for a peer: a file may have become a pipe since it was listed.
#[cfg(unix)]
fn reading() -> OpenOptions {
    use cap_std::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

/// Why a file cannot be put into a workspace.
#[derive(Debug, Error)]
pub enum FillError {
    /// The path leads out of the workspace.
    #[error("{0} is no path inside the workspace")]
    Outside(String),
    /// It cannot be written.
    #[error("cannot write {path} into the workspace: {source}")]
    Write {
        /// Path relative to the workspace.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// Puts files (relative path, content) into a workspace, folders included.
///
/// # Errors
/// When a path leads out, or a file cannot be written.
pub fn fill_workspace(root: &Path, files: &[(String, String)]) -> Result<(), FillError> {
    for (path, content) in files {
        let inside = Path::new(path);
        if path.is_empty() || !inside.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(FillError::Outside(path.clone()));
        }
        put(root, inside, content).map_err(|source| FillError::Write { path: path.clone(), source })?;
    }
    Ok(())
}

fn put(root: &Path, path: &Path, content: &str) -> io::Result<()> {
    let dir = Dir::open_ambient_dir(root, ambient_authority())?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        dir.create_dir_all(folder)?;
    }
    dir.write(path, content)
}
