//! Copies finished folders, and puts a new one in its place whole or not at all.

use super::private_folders;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How deep a folder is copied.
const DEPTH: usize = 128;

/// Whether anything goes by that name, a link that leads nowhere included.
#[must_use]
pub fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Makes a folder beside `path` for what will stand there: hidden, and named so that a later try does not meet it.
///
/// # Errors
/// When it cannot be made.
pub fn create_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let token = crate::ids::case_token().map_err(io::Error::other)?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{token}.part"));
    let beside = path.with_file_name(hidden);
    private_folders(&beside)?;
    Ok(beside)
}

/// Gives a folder that [`create_beside`] made its name.
///
/// # Errors
/// When it cannot, for instance because something has that name by now.
pub fn put_in_place(beside: &Path, path: &Path) -> io::Result<()> {
    if is_there(path) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(beside, path)
}

/// Removes a folder with all that is in it. Links are not followed.
///
/// # Errors
/// When something cannot be removed.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

/// Copies what is in a folder: files, folders, and links as links. What is neither (a pipe, a socket) is left out, for its
/// content is not on the disk; and so are the modes of folders, which may forbid to write into them.
///
/// # Errors
/// When something cannot be read or written, with its path.
pub fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    if !is_there(from) {
        return Ok(());
    }
    copy(from, to, DEPTH)
}

fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    let at = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| io::Error::new(error.kind(), format!("{path}: {error}"))
    };
    private_folders(to).map_err(at(to))?;
    for entry in fs::read_dir(from).map_err(at(from))? {
        let entry = entry.map_err(at(from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(at(&path))?;
        if kind.is_dir() {
            if depth == 0 {
                return Err(at(&path)(io::ErrorKind::InvalidInput.into()));
            }
            copy(&path, &target, depth - 1)?;
        } else if kind.is_file() {
            fs::copy(&path, &target).map_err(at(&path))?;
        } else if kind.is_symlink() {
            link(&path, &target).map_err(at(&path))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

/// Where making a link needs a privilege, it is left out.
#[cfg(not(unix))]
fn link(_from: &Path, _to: &Path) -> io::Result<()> {
    Ok(())
}
