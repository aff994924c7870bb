//! What stood in the way, and the system's own name for it.

use std::io;

/// What stood in the way.
#[derive(Debug)]
pub enum Met {
    /// Nothing has the name.
    Missing,
    /// Something has the name already.
    Taken,
    /// A symbolic link.
    Link,
    /// A link of the kernel's, which leads where its text does not say: those below `/proc`.
    Magiclink,
    /// Something of another kind than was asked for.
    Unfit,
    /// A place in another mount, or on another device.
    Elsewhere,
    /// A name that is none: it could lead out.
    Outside,
    /// The system does not permit it to this user.
    Forbidden,
    /// The file system does not take a name as long as this.
    TooLong,
    /// Something else stands there than before.
    Changed,
    /// The world failed.
    System(io::Error),
}

/// What stood in the way, and what the system answered.
#[derive(Debug)]
pub struct Hindrance {
    /// What it was.
    pub met: Met,
    /// The name of the error that the system gave, such as `ELOOP`; none where it was not asked, or knows no name for it.
    pub system: Option<&'static str>,
}

impl From<Met> for Hindrance {
    fn from(met: Met) -> Self {
        Self { met, system: None }
    }
}

impl From<io::Error> for Hindrance {
    fn from(error: io::Error) -> Self {
        let system = name(&error);
        let met = match system {
            Some("ENOENT") => Met::Missing,
            Some("EEXIST") => Met::Taken,
            Some("ELOOP") => Met::Link,
            // The last two: a socket is opened, or a pipe that nobody reads.
            Some("ENOTDIR" | "EISDIR" | "ENXIO" | "EOPNOTSUPP") => Met::Unfit,
            Some("EXDEV") => Met::Elsewhere,
            Some("EACCES" | "EPERM") => Met::Forbidden,
            Some("ENAMETOOLONG") => Met::TooLong,
            // Names around it changed all the time; or the folder had gone when it was asked.
            Some("EAGAIN" | "ESTALE") => Met::Changed,
            Some(_) => Met::System(error),
            None => match error.kind() {
                io::ErrorKind::NotFound => Met::Missing,
                io::ErrorKind::AlreadyExists => Met::Taken,
                io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => Met::Unfit,
                io::ErrorKind::PermissionDenied => Met::Forbidden,
                _ => Met::System(error),
            },
        };
        Self { met, system }
    }
}

#[cfg(unix)]
impl From<rustix::io::Errno> for Hindrance {
    fn from(error: rustix::io::Errno) -> Self {
        io::Error::from(error).into()
    }
}

/// The name of an error as manuals have it.
#[cfg(unix)]
fn name(error: &io::Error) -> Option<&'static str> {
    use rustix::io::Errno;
    const NAMES: &[(Errno, &str)] = &[
        (Errno::ACCESS, "EACCES"),
        (Errno::AGAIN, "EAGAIN"),
        (Errno::BADF, "EBADF"),
        (Errno::BUSY, "EBUSY"),
        (Errno::DQUOT, "EDQUOT"),
        (Errno::EXIST, "EEXIST"),
        (Errno::FBIG, "EFBIG"),
        (Errno::ILSEQ, "EILSEQ"),
        (Errno::INTR, "EINTR"),
        (Errno::INVAL, "EINVAL"),
        (Errno::IO, "EIO"),
        (Errno::ISDIR, "EISDIR"),
        (Errno::LOOP, "ELOOP"),
        (Errno::MFILE, "EMFILE"),
        (Errno::MLINK, "EMLINK"),
        (Errno::NAMETOOLONG, "ENAMETOOLONG"),
        (Errno::NFILE, "ENFILE"),
        (Errno::NODEV, "ENODEV"),
        (Errno::NOENT, "ENOENT"),
        (Errno::NOMEM, "ENOMEM"),
        (Errno::NOSPC, "ENOSPC"),
        (Errno::NOSYS, "ENOSYS"),
        (Errno::NOTDIR, "ENOTDIR"),
        (Errno::NOTEMPTY, "ENOTEMPTY"),
        (Errno::NXIO, "ENXIO"),
        (Errno::OPNOTSUPP, "EOPNOTSUPP"),
        (Errno::PERM, "EPERM"),
        (Errno::ROFS, "EROFS"),
        (Errno::STALE, "ESTALE"),
        (Errno::TXTBSY, "ETXTBSY"),
        (Errno::XDEV, "EXDEV"),
    ];
    let number = error.raw_os_error()?;
    NAMES.iter().find_map(|(known, name)| (known.raw_os_error() == number).then_some(*name))
}

#[cfg(not(unix))]
fn name(_: &io::Error) -> Option<&'static str> {
    None
}
