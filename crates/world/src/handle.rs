//! Folders by handle: one name at a time, no link followed, nothing waited for, nothing replaced by accident.
//!
//! On Linux a path below a folder is opened by `openat2`, which refuses links in every part; elsewhere, and on kernels
//! without it, part by part.

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// What a file system says of something. Where it has no inodes, the time of its making stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) kind: Kind,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// Nanoseconds since 1970 UTC.
    pub(crate) modified: i128,
    /// Permission bits with setuid, setgid and sticky.
    pub(crate) mode: u32,
    pub(crate) links: u64,
    pub(crate) owner: (u32, u32),
}

impl Facts {
    /// By what it is told from everything else that is there at the same time.
    pub(crate) fn id(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Ok(facts(&Metadata::from_file(file)?))
    }
}

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder(Dir);

impl Folder {
    /// Opens a folder that a person named; links on the way to it are theirs.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(Dir::open_ambient_dir(path, ambient_authority())?))
    }

    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Opens a folder below, with `/` between the parts of its path; the folder itself where that is empty.
    pub(crate) fn beneath(&self, path: &str) -> io::Result<Self> {
        if path.is_empty() {
            return self.again();
        }
        #[cfg(target_os = "linux")]
        match self.at_once(path) {
            // An old kernel, or a filter that does not know the call.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
            Ok(folder) => return Ok(folder),
        }
        self.part_by_part(path)
    }

    #[cfg(target_os = "linux")]
    fn at_once(&self, path: &str) -> rustix::io::Result<Self> {
        use rustix::fs::{OFlags, ResolveFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        self.resolve(path, flags, ResolveFlags::empty()).map(Self::from)
    }

    /// Opens what is below, where no link is on the way to it, or it itself. What else is not to be on the way can be told.
    #[cfg(target_os = "linux")]
    pub(crate) fn resolve(
        &self,
        path: &str,
        flags: rustix::fs::OFlags,
        further: rustix::fs::ResolveFlags,
    ) -> rustix::io::Result<std::os::fd::OwnedFd> {
        use rustix::fs::{Mode, ResolveFlags, openat2};
        let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let resolve = ResolveFlags::BENEATH | links | further;
        // A rename elsewhere may make the kernel unsure: it says so, and asks to be asked again.
        for _ in 0..16 {
            match openat2(&self.0, path, flags, Mode::empty(), resolve) {
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                opened => return opened,
            }
        }
        Err(rustix::io::Errno::AGAIN)
    }

    pub(crate) fn part_by_part(&self, path: &str) -> io::Result<Self> {
        path.split('/').try_fold(self.again()?, |folder, part| folder.folder(OsStr::new(part)))
    }

    /// The folder of this name.
    #[cfg(unix)]
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    #[cfg(not(unix))]
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        if !self.0.symlink_metadata(name)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(self.0.open_dir(name)?))
    }

    /// What the folder itself is.
    pub(crate) fn facts(&self) -> io::Result<Facts> {
        Ok(facts(&self.0.dir_metadata()?))
    }

    /// What has this name, a link as a link; none where nothing has it.
    pub(crate) fn look(&self, name: impl AsRef<OsStr>) -> io::Result<Option<Facts>> {
        match self.0.symlink_metadata(name.as_ref()) {
            Ok(seen) => Ok(Some(facts(&seen))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens what has this name to read it. Whoever calls looks at what was opened.
    pub(crate) fn file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.with(name.as_ref(), OpenOptions::new().read(true), 0)
    }

    /// Makes a file with these permissions, less those of the user's mask; nothing may have its name.
    pub(crate) fn create(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        self.with(name.as_ref(), OpenOptions::new().write(true).create_new(true), mode)
    }

    fn with(&self, name: &OsStr, options: &mut OpenOptions, mode: u32) -> io::Result<File> {
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            use rustix::fs::OFlags;
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            options.mode(mode).custom_flags(flags.bits().cast_signed());
        }
        #[cfg(not(unix))]
        let _ = mode;
        Ok(self.0.open_with(name, options)?.into_std())
    }

    pub(crate) fn make_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.0.create_dir(name.as_ref())
    }

    /// Removes a file, or a link itself.
    pub(crate) fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.0.remove_file(name.as_ref())
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.0.remove_dir(name.as_ref())
    }

    /// Lets two names change places in one step. False where the system or the file system cannot do that.
    pub(crate) fn exchange(&self, one: &str, other: &str) -> io::Result<bool> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            match renameat_with(&self.0, one, &self.0, other, RenameFlags::EXCHANGE) {
                Ok(()) => Ok(true),
                Err(error) if is_unknown(error) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        {
            let _ = (one, other);
            Ok(false)
        }
    }

    /// Gives something another name, which nothing may have.
    pub(crate) fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            match renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(()),
                Err(error) if is_unknown(error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.rename_after_a_look(from, to)
    }

    /// The same where the system cannot do it in one step: between look and rename something may come.
    pub(crate) fn rename_after_a_look(&self, from: &str, to: &str) -> io::Result<()> {
        if self.look(to)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.0.rename(from, &self.0, to)
    }

    /// Gives a file another name, in the place of the file that has it now.
    pub(crate) fn rename_over(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, &self.0, to)
    }

    /// Waits until the names in the folder are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        // A folder's handle on other systems is nothing that can be synced; there renames are safe by themselves.
        #[cfg(unix)]
        rustix::fs::fsync(self.itself()?)?;
        Ok(())
    }

    /// The folder as an open file: the handle may stand for the path alone.
    #[cfg(unix)]
    pub(crate) fn itself(&self) -> io::Result<std::os::fd::OwnedFd> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(&self.0, ".", flags, Mode::empty())?)
    }

    /// The names of all that is inside, at most `most`, in order; whether there are more.
    pub(crate) fn names(&self, most: usize) -> io::Result<(Vec<OsString>, bool)> {
        let mut names = Vec::new();
        for entry in self.0.entries()? {
            if names.len() == most {
                return Ok((names, true));
            }
            names.push(entry?.file_name());
        }
        names.sort_unstable();
        Ok((names, false))
    }

    /// What a link holds.
    pub(crate) fn link(&self, name: &OsStr) -> io::Result<std::path::PathBuf> {
        self.0.read_link_contents(name)
    }

    /// Makes a link; false where making one needs a privilege.
    pub(crate) fn make_link(&self, holds: &Path, name: &OsStr) -> io::Result<bool> {
        #[cfg(unix)]
        return self.0.symlink_contents(holds, name).map(|()| true);
        #[cfg(not(unix))]
        {
            let _ = (holds, name);
            Ok(false)
        }
    }
}

#[cfg(unix)]
impl From<std::os::fd::OwnedFd> for Folder {
    fn from(folder: std::os::fd::OwnedFd) -> Self {
        Self(Dir::from_std_file(folder.into()))
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether the system or the file system does not know a way of renaming.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::NOSYS, Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

fn facts(seen: &Metadata) -> Facts {
    let kind = match seen {
        _ if seen.is_symlink() => Kind::Link,
        _ if seen.is_dir() => Kind::Folder,
        _ if seen.is_file() => Kind::File,
        _ => Kind::Other,
    };
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        Facts {
            kind,
            device: seen.dev(),
            inode: seen.ino(),
            size: seen.len(),
            modified: i128::from(seen.mtime()) * 1_000_000_000 + i128::from(seen.mtime_nsec()),
            mode: seen.mode() & 0o7777,
            links: seen.nlink(),
            owner: (seen.uid(), seen.gid()),
        }
    }
    #[cfg(not(unix))]
    {
        let since = |time: io::Result<cap_std::time::SystemTime>| {
            let past = time.ok().and_then(|time| time.into_std().duration_since(std::time::UNIX_EPOCH).ok());
            past.map_or(0, |past| past.as_nanos())
        };
        let made = u64::try_from(since(seen.created())).unwrap_or(0);
        let modified = i128::try_from(since(seen.modified())).unwrap_or(0);
        let mode = if seen.permissions().readonly() { 0o444 } else { 0o644 };
        Facts { kind, device: 0, inode: made, size: seen.len(), modified, mode, links: 1, owner: (0, 0) }
    }
}

#[cfg(test)]
mod tests;
