//! A private folder for work that leaves nothing behind.

use super::private_folders;
use std::io;
use std::path::{Path, PathBuf};

/// A folder below the system's place for such things, under a name that nobody can guess, open to its owner alone. It is removed,
/// with all that is in it, when this is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> io::Result<Self> {
        let token = crate::ids::case_token().map_err(io::Error::other)?;
        let path = std::env::temp_dir().canonicalize()?.join(format!("rehearsal-{token}"));
        private_folders(&path)?;
        Ok(Self(path))
    }

    /// Where it is, without links on the way.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::fs::remove_dir_all(&self.0).is_err() {
            open_up(&self.0);
            // What is in use by somebody stays; the system cleans up here some day.
            let _ = std::fs::remove_dir_all(&self.0);
        }
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
    use super::Scratch;
    use std::fs;

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
