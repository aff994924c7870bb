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

/// Most bytes of all their paths: the list becomes one line of a journal.
const PATHS: usize = 2 << 20;

/// Most bytes that are read for digests.
const BYTES: u64 = 1 << 30;

/// How deep folders are looked into.
const DEPTH: usize = 64;

/// Lists the regular files of a workspace with length and digest, sorted by path. What is no regular file, is too large,
/// unreadable or has a name that is no text is listed as `unread`; symlinks are not followed. What is too many or too deep
/// makes the list `capped`. A workspace that is gone, or is no folder any more, holds nothing.
///
/// The `wanted` files come first: however much else lies there, they are seen.
#[must_use]
pub fn see_workspace(root: &Path, wanted: &[&str]) -> WorkspaceSeen {
    let mut look = Look { seen: WorkspaceSeen::default(), first: 0, bytes_left: BYTES, paths_left: PATHS };
    match open(root) {
        Ok(dir) => {
            wanted.iter().for_each(|path| look.wanted(&dir, path));
            look.first = look.seen.files.len();
            look.at(&dir, "", DEPTH);
        }
        Err(error) => {
            let gone = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
            look.seen.capped = !gone;
        }
    }
    look.seen.files.sort();
    look.seen.unread.sort();
    // A wanted one was met twice.
    look.seen.unread.dedup();
    look.seen
}

/// The content of a regular file of a workspace, where it has at most `limit` bytes. No link leads out, and nothing that
/// has the name of a file, such as a pipe, is waited for.
#[must_use]
pub fn read_in_workspace(root: &Path, path: &str, limit: u64) -> Option<Vec<u8>> {
    let file = open(root).and_then(|dir| dir.open_with(path, &reading())).ok()?;
    let mut bytes = Vec::new();
    let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let whole = regular && file.take(limit.saturating_add(1)).read_to_end(&mut bytes).is_ok();
    (whole && bytes.len() as u64 <= limit).then_some(bytes)
}

/// A workspace that the agent has replaced by a link to elsewhere is not followed.
fn open(root: &Path) -> io::Result<Dir> {
    if !std::fs::symlink_metadata(root)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Dir::open_ambient_dir(root, ambient_authority())
}

struct Look {
    seen: WorkspaceSeen,
    /// How many of the files that were seen are wanted ones.
    first: usize,
    bytes_left: u64,
    paths_left: usize,
}

impl Look {
    /// Takes down a file that may be anywhere, where a walk without links would find it too.
    fn wanted(&mut self, dir: &Dir, path: &str) {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        let reached = is_inside(path)
            && above.into_iter().all(|folder| dir.symlink_metadata(folder).is_ok_and(|seen| seen.is_dir()))
            && dir.symlink_metadata(path).is_ok_and(|seen| seen.is_file());
        if reached && !self.has(path, self.seen.files.len()) {
            self.take(dir, path, path.to_owned());
        }
    }

    /// Whether a file is among the first ones that were seen.
    fn has(&self, path: &str, first: usize) -> bool {
        self.seen.files[..first].iter().any(|(seen, ..)| seen == path)
    }

    fn take(&mut self, dir: &Dir, name: &str, path: String) {
        match self.file(dir, name) {
            Ok((len, sha256)) => self.seen.files.push((path, len, sha256)),
            Err(_) => self.seen.unread.push(path),
        }
    }

    fn at(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = dir.entries() else {
            self.seen.capped = true;
            return;
        };
        for entry in entries {
            if self.seen.files.len() + self.seen.unread.len() >= FILES {
                self.seen.capped = true;
                return;
            }
            let Some((name, kind)) =
                entry.ok().and_then(|entry| Some((entry.file_name(), entry.file_type().ok()?)))
            else {
                self.seen.capped = true;
                continue;
            };
            let path = format!("{prefix}{}", name.to_string_lossy());
            if kind.is_dir() {
                match dir.open_dir(&name) {
                    Ok(inner) if depth > 0 => self.at(&inner, &format!("{path}/"), depth - 1),
                    Ok(_) | Err(_) => self.seen.capped = true,
                }
            } else if !self.has(&path, self.first) {
                let Some(left) = self.paths_left.checked_sub(path.len()) else {
                    self.seen.capped = true;
                    return;
                };
                self.paths_left = left;
                match name.to_str() {
                    Some(name) if kind.is_file() => self.take(dir, name, path),
                    Some(_) | None => self.seen.unread.push(path),
                }
            }
        }
    }

    fn file(&mut self, dir: &Dir, name: &str) -> io::Result<(u64, String)> {
        let file = dir.open_with(name, &reading())?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // Not even begun: what else lies there is to be read.
        if metadata.len() >= self.bytes_left {
            return Err(io::ErrorKind::FileTooLarge.into());
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

/// Why a file cannot be put into an agent's folder.
#[derive(Debug, Error)]
pub enum FillError {
    /// The path leads out of the folder.
    #[error("{path} is no path inside the {into}")]
    Outside {
        /// The path.
        path: String,
        /// Which folder: `workspace` or `home folder`.
        into: &'static str,
    },
    /// It cannot be written.
    #[error("cannot write {path} into the {into}: {source}")]
    Write {
        /// Path relative to the folder.
        path: String,
        /// Which folder: `workspace` or `home folder`.
        into: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

/// Puts files (relative path, content) into a workspace, folders included. No link in it leads out.
///
/// # Errors
/// When a path leads out, or a file cannot be written.
pub fn fill_workspace(root: &Path, files: &[(String, String)]) -> Result<(), FillError> {
    fill(root, files, "workspace")
}

/// The same for an agent's home folder.
///
/// # Errors
/// When a path leads out, or a file cannot be written.
pub fn fill_home(root: &Path, files: &[(String, String)]) -> Result<(), FillError> {
    fill(root, files, "home folder")
}

fn fill(root: &Path, files: &[(String, String)], into: &'static str) -> Result<(), FillError> {
    for (path, content) in files {
        if !is_inside(path) {
            return Err(FillError::Outside { path: path.clone(), into });
        }
        put(root, Path::new(path), content).map_err(|source| FillError::Write {
            path: path.clone(),
            into,
            source,
        })?;
    }
    Ok(())
}

fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn put(root: &Path, path: &Path, content: &str) -> io::Result<()> {
    let dir = Dir::open_ambient_dir(root, ambient_authority())?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        dir.create_dir_all(folder)?;
    }
    dir.write(path, content)
}
