//! How a folder or a file is opened by one name: what each system can do so that nothing is followed.

use super::{Hindrance, Met, Walk};
use crate::handle::{Folder, Kind};
use std::fs::File;
use std::io;
use std::path::Path;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    /// To see whether it may be written: nothing is cut or changed by opening.
    Write,
}

/// Opens the folder at a path, or makes it. The last part of the path is not followed.
pub(super) fn root(path: &Path) -> Result<Folder, Hindrance> {
    // One that has no name, such as `/` or `..`, is no link either.
    let Some(name) = path.file_name() else { return Ok(Folder::open(path)?) };
    let above = match path.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    let above = match Folder::open(above) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            crate::files::private_folders(above)?;
            Folder::open(above)?
        }
        opened => opened?,
    };
    match make_folder(&above, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    above.folder(name).map_err(|error| match (above.look(name), Hindrance::from(error)) {
        (Ok(Some(facts)), why) if facts.kind == Kind::Link => Hindrance { met: Met::Link, ..why },
        (_, why) => why,
    })
}

/// Whether the kernel has the call that walks a path without leaving a folder.
pub(super) fn is_walked_by_kernel(folder: &Folder) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{OFlags, ResolveFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        folder.resolve(".", flags, ResolveFlags::NO_XDEV).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}

/// Opens the folder of a name.
pub(super) fn folder(folder: &Folder, name: &str, walk: Walk) -> io::Result<Folder> {
    #[cfg(target_os = "linux")]
    if walk == Walk::Kernel {
        use rustix::fs::{OFlags, ResolveFlags};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match folder.resolve(name, flags, ResolveFlags::NO_XDEV) {
            // An old kernel, or a filter that does not know the call: it is asked each time, and costs little.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
            opened => return Ok(opened?.into()),
        }
    }
    let _ = walk;
    folder.folder(name.as_ref())
}

/// Opens the file of a name. Nothing is waited for, and whoever calls looks at what was opened.
pub(super) fn file(folder: &Folder, name: &str, to: Use, walk: Walk) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags, openat};
        let access = match to {
            Use::Read => OFlags::RDONLY,
            Use::Write => OFlags::WRONLY,
        };
        let flags = access | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        if walk == Walk::Kernel {
            match folder.resolve(name, flags, rustix::fs::ResolveFlags::NO_XDEV) {
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
                opened => return Ok(opened?.into()),
            }
        }
        let _ = walk;
        Ok(openat(folder, name, flags, Mode::empty())?.into())
    }
    #[cfg(not(unix))]
    {
        let _ = (to, walk);
        folder.file(name)
    }
}

/// Makes a folder for this user alone.
pub(super) fn make_folder(folder: &Folder, name: impl AsRef<std::ffi::OsStr>) -> io::Result<()> {
    #[cfg(unix)]
    return Ok(rustix::fs::mkdirat(folder, name.as_ref(), rustix::fs::Mode::RWXU)?);
    #[cfg(not(unix))]
    folder.make_folder(name)
}

/// The number of the mount in which a folder lies.
pub(super) fn mount_of(folder: &Folder) -> Option<u64> {
    #[cfg(target_os = "linux")]
    return mount(folder, "", rustix::fs::AtFlags::EMPTY_PATH);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}

/// The number of the mount in which what has a name lies.
pub(super) fn mount_at(folder: &Folder, name: &str) -> Option<u64> {
    #[cfg(target_os = "linux")]
    return mount(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (folder, name);
        None
    }
}

/// The number of the mount in which an open file lies.
pub(super) fn mount_under(file: &File) -> Option<u64> {
    #[cfg(target_os = "linux")]
    return mount(file, "", rustix::fs::AtFlags::EMPTY_PATH);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// Kernels before 5.8 do not tell it.
#[cfg(target_os = "linux")]
fn mount(of: impl std::os::fd::AsFd, name: &str, flags: rustix::fs::AtFlags) -> Option<u64> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let seen = statx(of, name, flags | AtFlags::NO_AUTOMOUNT, StatxFlags::MNT_ID).ok()?;
    (seen.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(seen.stx_mnt_id)
}

/// Whether a folder is one of `/proc`.
pub(super) fn is_proc(folder: &Folder) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::fstatfs(folder).is_ok_and(|seen| seen.f_type == rustix::fs::PROC_SUPER_MAGIC);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}
