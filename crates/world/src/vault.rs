//! Folders of records: one process owns them, nobody else reads them, no link is followed, nothing that is there is overwritten.
//!
//! Everything goes through handles of folders that were opened once. A name is one part of a path; whoever plants a link under it
//! gets an error, not a write.

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The file whose lock says that the folder has an owner.
const LOCK: &str = "lock";

/// How often is tried to own a folder at which others only look.
const LOOKERS: usize = 1000;

/// Why something cannot be done in a vault.
#[derive(Clone, Debug, Error)]
pub enum VaultError {
    /// Another process owns the folder.
    #[error("{0} is in use by another process; stop that one first, or choose another folder")]
    InUse(PathBuf),
    /// What the system says.
    #[error("cannot {what} {path}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// A file is longer than it may be.
    #[error("{path} is longer than {limit} bytes")]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
}

impl VaultError {
    /// Whether the disk is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(self, Self::System { source, .. } if full.contains(&source.kind()))
    }

    /// Whether the name was taken already.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::System { source, .. } if source.kind() == io::ErrorKind::AlreadyExists)
    }
}

/// An open folder of records.
#[derive(Clone, Debug)]
pub struct Folder {
    dir: Arc<Dir>,
    path: PathBuf,
    /// Held for as long as anybody holds the folder.
    lock: Option<Arc<File>>,
}

impl Folder {
    /// Opens a folder, makes it with its parents where it is missing, and owns it until all that came from it is dropped.
    ///
    /// # Errors
    /// [`VaultError::InUse`] where another process owns it.
    pub fn own(path: &Path) -> Result<Self, VaultError> {
        crate::files::private_folders(path).map_err(|error| failed("make", path, error))?;
        let folder = Self::look_into(path)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let lock = folder.open(LOCK, &mut options)?.file;
        for _ in 0..LOOKERS {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { lock: Some(Arc::new(lock)), ..folder }),
                Err(TryLockError::Error(error)) => return Err(failed("lock", path, error)),
                // Whoever only looks shares it, for a moment; an owner does not.
                Err(TryLockError::WouldBlock) if lock.try_lock_shared().is_err() => break,
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        Err(VaultError::InUse(path.to_owned()))
    }

    /// Whether a process owns the folder at this path now. Nothing is made or changed, and nobody is kept from owning it.
    #[must_use]
    pub fn is_owned(path: &Path) -> bool {
        let Ok(folder) = Self::look_into(path) else { return false };
        let mut options = OpenOptions::new();
        let Ok(lock) = folder.open(LOCK, options.read(true)) else { return false };
        // Owners have it alone; whoever only looks has it with others, and not for longer than the look.
        matches!(lock.file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Opens a folder that is there, to read in it.
    ///
    /// # Errors
    /// When it is no folder that can be opened.
    pub fn look_into(path: &Path) -> Result<Self, VaultError> {
        let dir =
            Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| failed("open", path, error))?;
        Ok(Self { dir: Arc::new(dir), path: path.to_owned(), lock: None })
    }

    /// The path, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of this name inside, made for this user alone where it is missing.
    ///
    /// # Errors
    /// When something else has its name, a link among them.
    pub fn folder(&self, name: &str) -> Result<Self, VaultError> {
        match self.dir.create_dir_with(name, &private()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(self.failed("make", name, error));
            }
            _ => {}
        }
        let folder = self.folder_there(name)?;
        // One that was there may have been made with another mask.
        #[cfg(unix)]
        folder
            .itself()
            .and_then(|file| Ok(rustix::fs::fchmod(file, rustix::fs::Mode::RWXU)?))
            .map_err(|error| self.failed("protect", name, error))?;
        Ok(folder)
    }

    /// Makes a folder that must not be there yet, for this user alone.
    ///
    /// # Errors
    /// When something has its name ([`VaultError::is_taken`]) or it cannot be made.
    pub fn new_folder(&self, name: &str) -> Result<Self, VaultError> {
        self.dir.create_dir_with(name, &private()).map_err(|error| self.failed("make", name, error))?;
        self.folder_there(name)
    }

    /// Removes a folder that is empty; one that is not there is gone already.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_folder(&self, name: &str) -> Result<(), VaultError> {
        match self.dir.remove_dir(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed("remove", name, error)),
            _ => Ok(()),
        }
    }

    /// The folder of this name inside, which must be there.
    ///
    /// # Errors
    /// When it is missing, or is a link or anything else.
    pub fn folder_there(&self, name: &str) -> Result<Self, VaultError> {
        let real = self.dir.symlink_metadata(name).and_then(|seen| match seen.is_dir() {
            true => self.dir.open_dir(name),
            false => Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder")),
        });
        let dir = real.map_err(|error| self.failed("open", name, error))?;
        Ok(Self { dir: Arc::new(dir), path: self.path.join(name), lock: self.lock.clone() })
    }

    /// Makes a file that must not be there yet.
    ///
    /// # Errors
    /// When something has its name ([`VaultError::is_taken`]) or it cannot be made.
    pub fn create(&self, name: &str) -> Result<Record, VaultError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        self.open(name, &mut options)
    }

    /// Opens a file to append to, and makes it where it is missing.
    ///
    /// # Errors
    /// When it cannot be opened, or is no regular file.
    pub fn append(&self, name: &str) -> Result<Record, VaultError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        self.open(name, &mut options)
    }

    /// Opens a file to read.
    ///
    /// # Errors
    /// When it is missing or no regular file.
    pub fn read_from(&self, name: &str) -> Result<Record, VaultError> {
        self.open(name, OpenOptions::new().read(true))
    }

    /// Reads a whole file of at most `limit` bytes; none where there is no such file.
    ///
    /// # Errors
    /// When it cannot be read, is longer, or is no regular file.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, VaultError> {
        let record = match self.read_from(name) {
            Ok(record) => record,
            Err(VaultError::System { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        let got = (&record.file).take(limit + 1).read_to_end(&mut bytes);
        got.map_err(|error| self.failed("read", name, error))?;
        if bytes.len() as u64 > limit {
            return Err(VaultError::TooLong { path: self.path.join(name), limit });
        }
        Ok(Some(bytes))
    }

    /// Puts a whole file in the place of one that may be there: readers see the old one or the new one. With `sure` it is on the
    /// disk afterwards, whatever happens to the machine.
    ///
    /// # Errors
    /// When it cannot be written; then the old one is as it was.
    pub fn replace(&self, name: &str, bytes: &[u8], sure: bool) -> Result<(), VaultError> {
        let temporary = format!(".{name}.part");
        let mut record = self.create_part(&temporary)?;
        let written = record
            .write(bytes)
            .and_then(|()| if sure { record.sync() } else { Ok(()) })
            .and_then(|()| self.rename(&temporary, name))
            .and_then(|()| if sure { self.sync() } else { Ok(()) });
        if written.is_err() {
            drop(self.dir.remove_file(&temporary));
        }
        written
    }

    /// Makes a file that must not be there yet and already holds something: whoever is killed meanwhile leaves none of this name.
    ///
    /// # Errors
    /// When something has its name ([`VaultError::is_taken`]) or it cannot be made or written.
    pub fn create_with(&self, name: &str, bytes: &[u8]) -> Result<Record, VaultError> {
        if self.holds(name) {
            let taken = io::Error::new(io::ErrorKind::AlreadyExists, "something has this name");
            return Err(self.failed("make", name, taken));
        }
        let temporary = format!(".{name}.part");
        let mut record = self.create_part(&temporary)?;
        let written = record.write(bytes).and_then(|()| self.rename(&temporary, name));
        if let Err(error) = written {
            drop(self.dir.remove_file(&temporary));
            return Err(error);
        }
        record.path = self.path.join(name);
        Ok(record)
    }

    /// Makes a file that gets its name later.
    fn create_part(&self, temporary: &str) -> Result<Record, VaultError> {
        match self.create(temporary) {
            // One that a killed process left behind is in the way; nobody else writes here.
            Err(error) if error.is_taken() => {
                self.remove(temporary)?;
                self.create(temporary)
            }
            made => made,
        }
    }

    /// Gives a file another name, in the place of what has it.
    ///
    /// # Errors
    /// When it cannot.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), VaultError> {
        self.dir.rename(from, &self.dir, to).map_err(|error| self.failed("rename to", to, error))
    }

    /// Removes a file; one that is not there is gone already.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), VaultError> {
        match self.dir.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed("remove", name, error)),
            _ => Ok(()),
        }
    }

    /// Whether anything has this name.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.dir.symlink_metadata(name).is_ok()
    }

    /// Whether a file has this name: no link, folder or pipe.
    #[must_use]
    pub fn holds_file(&self, name: &str) -> bool {
        self.dir.symlink_metadata(name).is_ok_and(|seen| seen.is_file())
    }

    /// The names of all that is inside, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>, VaultError> {
        let failed = |error| failed("list", &self.path, error);
        let mut names = Vec::new();
        for entry in self.dir.entries().map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Waits until the names in the folder are on the disk.
    ///
    /// # Errors
    /// When the disk cannot promise it.
    pub fn sync(&self) -> Result<(), VaultError> {
        // A folder's handle on other systems is nothing that can be synced; there renames are safe by themselves.
        #[cfg(unix)]
        self.itself()
            .and_then(|file| Ok(rustix::fs::fsync(file)?))
            .map_err(|error| failed("sync", &self.path, error))?;
        Ok(())
    }

    /// The folder as an open file: the handle for what is inside stands for its path alone.
    #[cfg(unix)]
    fn itself(&self) -> io::Result<std::os::fd::OwnedFd> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&*self.dir, ".", flags, Mode::empty())?)
    }

    fn open(&self, name: &str, options: &mut OpenOptions) -> Result<Record, VaultError> {
        no_link(options);
        let file = self.dir.open_with(name, options).map_err(|error| self.failed("open", name, error))?;
        let file = file.into_std();
        let seen = file.metadata().map_err(|error| self.failed("look at", name, error))?;
        if !seen.is_file() {
            let why = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
            return Err(self.failed("open", name, why));
        }
        Ok(Record { file, path: self.path.join(name), len: seen.len() })
    }

    fn failed(&self, what: &'static str, name: &str, source: io::Error) -> VaultError {
        failed(what, &self.path.join(name), source)
    }
}

/// How folders are made: for this user alone.
fn private() -> cap_std::fs::DirBuilder {
    #[cfg(unix)]
    {
        use cap_std::fs::DirBuilderExt as _;
        let mut builder = cap_std::fs::DirBuilder::new();
        builder.mode(0o700);
        builder
    }
    #[cfg(not(unix))]
    cap_std::fs::DirBuilder::new()
}

/// For this user alone, never behind a link, and without waiting for whoever reads a pipe.
fn no_link(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = options;
}

fn failed(what: &'static str, path: &Path, source: io::Error) -> VaultError {
    VaultError::System { what, path: path.to_owned(), source: Arc::new(source) }
}

/// An open file that grows at its end.
#[derive(Debug)]
pub struct Record {
    file: File,
    path: PathBuf,
    len: u64,
}

impl Record {
    /// Bytes in it, 0 or more: those that were there and those that were written.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends bytes: the kernel has them when this returns, so they outlive the process.
    ///
    /// # Errors
    /// When they cannot all be written; then the file ends where it ended.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), VaultError> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.len += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Where that fails, too, readers find the beginning of what was written.
                drop(self.file.set_len(self.len));
                Err(failed("write", &self.path, error))
            }
        }
    }

    /// Cuts it off behind so many bytes.
    ///
    /// # Errors
    /// When it cannot.
    pub fn cut(&mut self, len: u64) -> Result<(), VaultError> {
        self.file.set_len(len).map_err(|error| failed("cut", &self.path, error))?;
        self.len = len;
        Ok(())
    }

    /// Waits until all of it is on the disk.
    ///
    /// # Errors
    /// When the disk cannot promise it: then nobody may rely on it.
    pub fn sync(&self) -> Result<(), VaultError> {
        self.file.sync_data().map_err(|error| failed("sync", &self.path, error))
    }

    /// A further handle, with which another thread can wait for the disk or read.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn again(&self) -> Result<Self, VaultError> {
        let file = self.file.try_clone().map_err(|error| failed("open", &self.path, error))?;
        Ok(Self { file, path: self.path.clone(), len: self.len })
    }

    /// Reads up to `most` bytes from a place on; fewer only at the end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_at(&self, at: u64, most: usize) -> Result<Vec<u8>, VaultError> {
        use std::io::Seek as _;
        let mut file = &self.file;
        let mut bytes = Vec::new();
        file.seek(io::SeekFrom::Start(at))
            .and_then(|_| file.take(most as u64).read_to_end(&mut bytes))
            .map_err(|error| failed("read", &self.path, error))?;
        Ok(bytes)
    }
}
