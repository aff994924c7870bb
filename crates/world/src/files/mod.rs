//! Files and folders: those that people name, and our own, which nobody else may read.

mod copy;
mod folder;
mod read;
mod scratch;
mod suite;
mod watch;
mod workspace;

pub use copy::{copy_folder, create_beside, is_there, put_in_place, remove_folder};
pub use folder::{
    create_run_folder, folders_in, private_folders, write_new, write_report, write_where_named,
};
pub use read::{ReadError, read_bytes, read_text};
pub use scratch::Scratch;
pub use suite::{WalkError, files_below};
pub use watch::{Watch, watch};
pub use workspace::{FillError, fill_home, fill_workspace, read_in_workspace, see_workspace};

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Whether a file is there.
#[must_use]
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Whether a folder is there.
#[must_use]
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// The path from the root of the file system, links left as they are; as it is where nobody can tell.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The path without links on the way, as far as it is there; else as [`absolute`] gives it.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| absolute(path))
}

/// Opens a file to read.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Opens a regular file to read. Anything else that has its name, such as a pipe, is refused and never waited for.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// Makes a file that must not be there yet, not even as a symlink, for this user alone.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    options.open(path)
}

/// Opens a file to append to and makes it for this user alone where it is missing.
pub(crate) fn append_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    private(&mut options);
    options.open(path)
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}
