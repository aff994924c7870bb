//! Our own folders and report files.

use std::fs::DirBuilder;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The folders in a folder, sorted by name; none where it cannot be looked into.
#[must_use]
pub fn folders_in(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut found: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Makes a folder with its parents where they are missing, for this user alone. What is there must be a real folder.
///
/// # Errors
/// When it cannot be made, or a symlink or a file stands in its place.
pub fn private_folders(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)?;
    if std::fs::symlink_metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a symlink, not a folder"))
}

/// Makes the folder of one run, `<data>/<sort>/<id>`, which must not be there yet.
///
/// # Errors
/// When it cannot be made or is there already.
pub fn create_run_folder(data: &Path, sort: &str, id: &str) -> io::Result<PathBuf> {
    let parent = data.join(sort);
    private_folders(data)?;
    private_folders(&parent)?;
    let folder = parent.join(id);
    builder().create(&folder)?;
    Ok(folder)
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    private(&mut builder);
    builder
}

#[cfg(unix)]
fn private(builder: &mut DirBuilder) {
    use std::os::unix::fs::DirBuilderExt as _;
    builder.mode(0o700);
}

#[cfg(not(unix))]
fn private(_: &mut DirBuilder) {}

/// Writes a file that must not be there yet, not even as a symlink, with the folders above it. Others may read it if the user's
/// mask says so.
///
/// # Errors
/// When something has its name already, or it cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Writes to a path that the user named. A file is replaced whole, behind links too; what is no file, such as `/dev/stdout` or a
/// named pipe, is written to: it must not be replaced by a file.
///
/// # Errors
/// When it cannot be written.
pub fn write_where_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let into = |options: &mut std::fs::OpenOptions| options.write(true).open(path)?.write_all(bytes);
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() => write_report(&path.canonicalize()?, bytes),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => into(&mut std::fs::OpenOptions::new()),
        // A link may name a file that is not there yet.
        Err(_) if std::fs::read_link(path).is_ok() => {
            into(std::fs::OpenOptions::new().create(true).truncate(true))
        }
        Err(_) => write_report(path, bytes),
    }
}

/// Writes a whole file, which readers see either as it was or as it will be. Others may read it if the user's mask says so.
/// A link or a pipe at this path is replaced: it may be an agent's.
///
/// # Errors
/// When it cannot be written; then the file is as it was.
pub fn write_report(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(temporary);
    // One that a killed program of the same number left behind is in the way.
    if let Err(error) = std::fs::remove_file(&temporary)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        drop(std::fs::remove_file(&temporary));
    }
    written
}
