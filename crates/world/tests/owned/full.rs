//! Disks that are full or cannot be written to: nothing changes.

use crate::stand::{Stand, is_root, own, take};
use rehearsal_world::owned::{Cause, Fate, Limits, Mode, Tree};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk in memory, gone at the end; none where this user may not have one.
struct Disk(PathBuf);

impl Disk {
    fn new(path: PathBuf) -> Option<Self> {
        fs::create_dir_all(&path).unwrap();
        let mounted = is_root() && Self::mount(&path, "size=256k");
        mounted.then_some(Self(path))
    }

    fn mount(path: &Path, options: &str) -> bool {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(path).output();
        mount.is_ok_and(|output| output.status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

#[test]
fn a_full_disk_leaves_all_as_it_was() {
    let stand = Stand::new("full");
    let Some(disk) = Disk::new(stand.path().join("disk")) else { return };
    for name in ["a", "b", "c"] {
        fs::write(disk.0.join(name), name).unwrap();
    }
    let tree = Tree::open(&disk.0, Limits::default()).unwrap();
    let entries = ["a", "b", "c"].map(|name| (name, Mode::Edit));
    let large = vec![b'x'; 100 << 10];
    let changes = [("a", &large[..]), ("b", &large[..]), ("c", &large[..])];
    // Records on another disk, and on the full one.
    let records = [stand.records(), own(&disk.0.join("records"))];
    for records in &records {
        let error = take(&tree, &entries).unwrap().commit(records, &changes).unwrap_err();
        assert!(matches!(error.cause, Cause::Write { .. }), "{error}");
        assert!(error.paths.iter().all(|path| path.fate == Fate::RolledBack));
        for name in ["a", "b", "c"] {
            assert_eq!(fs::read_to_string(disk.0.join(name)).unwrap(), name);
        }
        assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 4, "no temporary file stays");
        assert!(!records.holds(rehearsal_world::owned::RECORD));
    }
    // Not even the record fits.
    fs::write(disk.0.join("filler"), vec![0; 1 << 20]).unwrap_err();
    let error = take(&tree, &entries).unwrap().commit(&records[1], &[("a", b"")]).unwrap_err();
    assert!(matches!(error.cause, Cause::Record(_)), "{error}");
    assert_eq!(fs::read_to_string(disk.0.join("a")).unwrap(), "a");
    assert!(!records[1].holds(rehearsal_world::owned::RECORD));
}

#[test]
fn a_disk_that_is_only_read_leaves_all_as_it_was() {
    let stand = Stand::new("readonly");
    let Some(disk) = Disk::new(stand.path().join("disk")) else { return };
    fs::write(disk.0.join("a"), "a").unwrap();
    let tree = Tree::open(&disk.0, Limits::default()).unwrap();
    let held = take(&tree, &[("a", Mode::Edit)]).unwrap();
    assert!(Disk::mount(&disk.0, "remount,ro"));
    let error = held.commit(&stand.records(), &[("a", b"new")]).unwrap_err();
    assert!(matches!(error.cause, Cause::Write { .. }), "{error}");
    assert_eq!(error.paths[0].fate, Fate::RolledBack);
    assert_eq!(fs::read_to_string(disk.0.join("a")).unwrap(), "a");
}

#[test]
fn a_folder_that_may_not_be_written_leaves_all_as_it_was() {
    // Nothing is forbidden to root.
    if is_root() {
        return;
    }
    let stand = Stand::new("forbidden");
    fs::set_permissions(stand.at("sub"), fs::Permissions::from_mode(0o555)).unwrap();
    let held = stand.take(&[("a", Mode::Edit), ("sub/b", Mode::Edit)]).unwrap();
    let error = held.commit(&stand.records(), &[("a", b"new"), ("sub/b", b"new")]).unwrap_err();
    fs::set_permissions(stand.at("sub"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(error.cause, Cause::Write { .. }), "{error}");
    assert_eq!((stand.read("a"), stand.read("sub/b")), ("old a".to_owned(), "old b".to_owned()));
    assert_eq!(stand.names(""), ["a", "sub"]);
}
