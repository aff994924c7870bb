//! Finds the files of a suite.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How deep below the named folder files are looked for.
const DEPTH: usize = 16;

/// Most files of one suite.
const FILES: usize = 10_000;

/// Ends of names that hold scenarios.
const ENDS: &[&str] = &["json", "yaml", "yml"];

/// Why the files of a suite cannot be found.
#[derive(Debug, Error)]
pub enum WalkError {
    /// Nothing goes by that name.
    #[error("there is no file or folder {0}")]
    Missing(PathBuf),
    /// It cannot be looked into.
    #[error("cannot look into {path}: {source}")]
    Read {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No file is there.
    #[error("{0} holds no file that ends in .json, .yaml or .yml")]
    Empty(PathBuf),
    /// More files than any suite has.
    #[error("{0} holds more than {FILES} files; name a smaller folder")]
    TooMany(PathBuf),
}

/// The file itself, or the `.json`, `.yaml` and `.yml` files in and below a folder, sorted by path. What begins with a
/// dot is skipped, as are symlinks to folders, and recorded traffic, which a suite may have beside its files.
///
/// # Errors
/// When there is nothing, or it cannot be read.
pub fn files_below(path: &Path) -> Result<Vec<PathBuf>, WalkError> {
    let metadata = std::fs::metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => WalkError::Missing(path.to_owned()),
        _ => WalkError::Read { path: path.to_owned(), source },
    })?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    walk(path, path, DEPTH, &mut found)?;
    if found.is_empty() {
        return Err(WalkError::Empty(path.to_owned()));
    }
    found.sort();
    Ok(found)
}

/// Whether this is a part of a record: its folders, or the readable file of an exchange, beside which lies what was asked.
fn is_recorded(path: &Path, is_folder: bool) -> bool {
    if !is_folder {
        return path.with_extension("request").is_file();
    }
    let parts = ["private", "public"].map(std::ffi::OsStr::new);
    path.file_name().is_some_and(|name| parts.contains(&name))
        && path.with_file_name("private").join("exchanges").is_dir()
}

fn walk(root: &Path, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), WalkError> {
    let failed = |source| WalkError::Read { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        if is_recorded(&path, kind.is_dir()) {
            continue;
        }
        if kind.is_dir() {
            if depth > 0 {
                walk(root, &path, depth - 1, found)?;
            }
            continue;
        }
        let fits =
            path.extension().is_some_and(|end| ENDS.iter().any(|known| end.eq_ignore_ascii_case(known)));
        if fits && (kind.is_file() || path.is_file()) {
            if found.len() == FILES {
                return Err(WalkError::TooMany(root.to_owned()));
            }
            found.push(path);
        }
    }
    Ok(())
}
