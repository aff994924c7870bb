//! A private folder for work that leaves nothing behind.

use super::private_folders;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Begins the names of folders that are locked as long as their process lives.
const LOCKED: &str = "rehearsal-scratch-";

/// A folder below the system's place for such things, under a name that nobody can guess, open to its owner alone. It is removed,
/// with all that is in it, when this is dropped; where its process was killed, by the next process of the user that makes one.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Goes with the process, whatever ends it.
    _lock: Option<Lock>,
}

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let place = std::env::temp_dir().canonicalize()?;
        SWEPT.call_once(|| sweep(&place));
        Self::within(&place)
    }

    fn within(place: &Path) -> io::Result<Self> {
        let token = crate::ids::case_token().map_err(io::Error::other)?;
        let path = place.join(format!("rehearsal-{token}"));
        private_folders(&path)?;
        let lock = Lock::of(&path);
        // It gets the name by which others would sweep it only now that they see that somebody has it.
        let locked = place.join(format!("{LOCKED}{token}"));
        if lock.is_some() && std::fs::rename(&path, &locked).is_ok() {
            return Ok(Self { path: locked, _lock: lock });
        }
        Ok(Self { path, _lock: None })
    }

    /// Where it is, without links on the way.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// The lock of a folder, where its file system has such locks.
#[derive(Debug)]
struct Lock {
    #[cfg(unix)]
    _folder: std::os::fd::OwnedFd,
}

impl Lock {
    /// Takes it, unless another process has it, what is there is no folder of this user's, or there are no locks.
    #[cfg(unix)]
    fn of(folder: &Path) -> Option<Self> {
        use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat, open};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = open(folder, flags, Mode::empty()).ok()?;
        let is_ours = fstat(&folder).ok()?.st_uid == rustix::process::geteuid().as_raw();
        flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
        is_ours.then_some(Self { _folder: folder })
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Option<Self> {
        None
    }
}

/// Removes the folders whose processes were killed.
fn sweep(place: &Path) {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(LOCKED)) {
        if let Some(_lock) = Lock::of(&entry.path()) {
            remove(&entry.path());
        }
    }
}

fn remove(path: &Path) {
    if std::fs::remove_dir_all(path).is_err() {
        open_up(path);
        // What is in use by somebody stays; the system cleans up here some day.
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Makes folders writable again that a program closed. No link is followed.
fn open_up(root: &Path) {
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        let Ok(seen) = std::fs::symlink_metadata(&folder) else { continue };
        if !seen.is_dir() {
            continue;
        }
        let mut permissions = seen.permissions();
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o700);
        #[cfg(not(unix))]
        permissions.set_readonly(false);
        let _ = std::fs::set_permissions(&folder, permissions);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        left.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|sort| sort.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the folder that is to go")]
mod tests {
    use super::{LOCKED, Scratch, sweep};
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn what_a_killed_process_left_goes_with_the_next_and_what_is_in_use_or_not_ours_stays() {
        let place = Scratch::new().unwrap();
        let live = Scratch::within(place.path()).unwrap();
        let folder = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.join("deep")).unwrap();
            path
        };
        let (left, other) = (folder(&format!("{LOCKED}left")), folder("rehearsal-other"));
        let link = place.path().join(format!("{LOCKED}link"));
        std::os::unix::fs::symlink(&other, &link).unwrap();
        sweep(place.path());
        assert!(!left.exists() && live.path().exists() && other.join("deep").exists());
        assert!(link.is_symlink());
    }

    #[test]
    fn what_a_program_made_unwritable_goes_too_and_nothing_behind_a_link() {
        let (scratch, other) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        let (path, kept) = (scratch.path().to_owned(), other.path().join("kept"));
        fs::create_dir_all(path.join("a/b/c")).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(path.join("a/b/file"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&kept, path.join("a/link")).unwrap();
        for closed in [kept.as_path(), &path.join("a/b/c"), &path.join("a/b"), &path.join("a"), &path] {
            let mut permissions = fs::metadata(closed).unwrap().permissions();
            permissions.set_readonly(true);
            fs::set_permissions(closed, permissions).unwrap();
        }
        drop(scratch);
        assert!(!path.exists());
        assert!(fs::metadata(&kept).unwrap().permissions().readonly(), "what a link leads to is as it was");
    }
}
