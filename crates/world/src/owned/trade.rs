//! A file and the one beside it change places. In between, both stay on the disk under names that can be told.

use crate::handle::{Facts, Folder};
use std::fs::File;
use std::io;

/// Where a file waits while two others change places in three steps.
pub(super) fn aside(temporary: &str) -> String {
    format!("{temporary}.old")
}

/// Lets a temporary file and a file change places, whatever the file is by now.
pub(super) fn trade(folder: &Folder, temporary: &str, name: &str) -> io::Result<()> {
    if folder.exchange(temporary, name)? { Ok(()) } else { in_three_steps(folder, temporary, name) }
}

/// The same where no single step can do it.
pub(super) fn in_three_steps(folder: &Folder, temporary: &str, name: &str) -> io::Result<()> {
    let aside = aside(temporary);
    folder.rename_new(name, &aside)?;
    if let Err(error) = folder.rename_new(temporary, name) {
        drop(folder.rename_new(&aside, name));
        return Err(error);
    }
    folder.rename_new(&aside, temporary)
}

/// Brings the three steps to an end where they were interrupted: forward where two were done, else back.
pub(super) fn settle(folder: &Folder, temporary: &str, name: &str) -> io::Result<()> {
    let aside = aside(temporary);
    if folder.look(&aside)?.is_none() {
        return Ok(());
    }
    if folder.look(name)?.is_none() {
        return folder.rename_new(&aside, name);
    }
    if folder.look(temporary)?.is_none() {
        return folder.rename_new(&aside, temporary);
    }
    Ok(())
}

/// Makes a new file like the one that it will replace: owner, attributes, permissions. What the system does not allow is
/// left. Nothing new runs with its owner's rights: as with any write, setuid and setgid go.
pub(super) fn make_like(new: &File, old: &File, was: &Facts) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Gid, Uid, fchown};
        use std::os::unix::fs::PermissionsExt as _;
        let own = Facts::of(new)?.owner;
        let owner = (was.owner.0 != own.0).then(|| Uid::from_raw(was.owner.0));
        let group = (was.owner.1 != own.1).then(|| Gid::from_raw(was.owner.1));
        let _ = fchown(new, owner, group);
        attributes(new, old);
        let mode = was.mode & 0o1777;
        new.set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    {
        let mut permissions = new.metadata()?.permissions();
        permissions.set_readonly(was.mode & 0o200 == 0);
        new.set_permissions(permissions)?;
        let _ = old;
    }
    Ok(())
}

/// Attributes that people set, and access lists; those that the system sets by itself are its own affair.
#[cfg(target_os = "linux")]
fn attributes(new: &File, old: &File) {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    /// Linux keeps no longer list and no longer value (`XATTR_LIST_MAX`, `XATTR_SIZE_MAX`).
    const MOST: usize = 64 << 10;
    let mut names = vec![0; MOST];
    let Ok(len) = flistxattr(old, &mut names[..]) else { return };
    for name in names[..len].split(|byte| *byte == 0) {
        if !name.starts_with(b"user.") && name != b"system.posix_acl_access" {
            continue;
        }
        let mut value = vec![0; MOST];
        if let Ok(len) = fgetxattr(old, name, &mut value[..]) {
            let _ = fsetxattr(new, name, &value[..len], XattrFlags::empty());
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn attributes(_new: &File, _old: &File) {}
