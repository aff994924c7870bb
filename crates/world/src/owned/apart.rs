//! Whether two folders have nothing to do with each other, whatever they are called.

use crate::handle::Folder;
use std::io;
use std::path::Path;

/// Whether neither folder is the other, nor lies in it. Links are followed, and folders that are one under two names are one.
///
/// # Errors
/// What the system says where one cannot be looked at.
pub fn are_apart(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (one.canonicalize()?, other.canonicalize()?);
    Ok(!is_within(&one, &other)? && !is_within(&other, &one)?)
}

/// Whether a folder is another one or lies in it.
fn is_within(inner: &Path, outer: &Path) -> io::Result<bool> {
    if inner.starts_with(outer) {
        return Ok(true);
    }
    let wanted = Folder::open(outer)?.facts()?.id();
    for above in inner.ancestors() {
        // Where folders have no numbers, their names must do.
        if cfg!(unix) && Folder::open(above)?.facts()?.id() == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::are_apart;
    use std::fs;

    #[test]
    fn folders_in_each_other_and_links_to_them_are_not_apart() {
        let root = std::env::temp_dir().join(format!("rehearsal-apart-{}", std::process::id()));
        let (live, work) = (root.join("live"), root.join("work"));
        fs::create_dir_all(live.join("in")).unwrap();
        fs::create_dir_all(&work).unwrap();
        assert!(are_apart(&live, &work).unwrap());
        assert!(!are_apart(&live, &live).unwrap());
        assert!(!are_apart(&root, &live).unwrap());
        assert!(!are_apart(&live.join("in"), &live).unwrap());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&live, root.join("link")).unwrap();
            assert!(!are_apart(&root.join("link"), &live).unwrap());
            assert!(!are_apart(&work.join("../link/in"), &live).unwrap());
        }
        assert!(are_apart(&root.join("none"), &live).is_err());
        fs::remove_dir_all(&root).unwrap();
    }
}
