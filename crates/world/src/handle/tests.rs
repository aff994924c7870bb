//! Both ways of opening what is below a folder say the same.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the tests build what they look at")]

use super::*;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn part_by_part_and_at_once_open_the_same_and_follow_no_link() {
    let path = std::env::temp_dir().join(format!("rehearsal-owned-handle-{}", std::process::id()));
    fs::create_dir_all(path.join("tree/a/b")).unwrap();
    fs::create_dir_all(path.join("outside/b")).unwrap();
    fs::write(path.join("tree/file"), "").unwrap();
    symlink("../outside", path.join("tree/out")).unwrap();
    symlink("a", path.join("tree/inside")).unwrap();
    symlink("nowhere", path.join("tree/dangling")).unwrap();
    symlink("../outside", path.join("tree/a/out")).unwrap();
    let tree = Folder::open(&path.join("tree")).unwrap();
    for (below, opens) in [
        ("", true),
        ("a", true),
        ("a/b", true),
        ("file", false),
        ("file/x", false),
        ("out", false),
        ("out/b", false),
        ("inside", false),
        ("inside/b", false),
        ("dangling", false),
        ("a/out/b", false),
        ("missing", false),
    ] {
        let id =
            |folder: io::Result<Folder>| folder.and_then(|folder| folder.facts()).map(|facts| facts.id());
        let once = id(tree.beneath(below));
        assert_eq!(once.is_ok(), opens, "{below}: {once:?}");
        if below.is_empty() {
            continue;
        }
        let parts = id(tree.part_by_part(below));
        assert_eq!(parts.is_ok(), opens, "{below}: {parts:?}");
        assert!(!opens || once.unwrap() == parts.unwrap(), "{below}");
    }
    // The kernel refuses these by itself, too; names are checked long before.
    assert!(tree.beneath("..").is_err() && tree.beneath("a/../..").is_err() && tree.beneath("/tmp").is_err());
    fs::remove_dir_all(path).unwrap();
}

#[test]
fn a_rename_never_replaces() {
    let path = std::env::temp_dir().join(format!("rehearsal-owned-rename-{}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("one"), "1").unwrap();
    symlink("nowhere", path.join("two")).unwrap();
    let folder = Folder::open(&path).unwrap();
    let taken = io::ErrorKind::AlreadyExists;
    assert_eq!(folder.rename_new("one", "two").unwrap_err().kind(), taken);
    assert_eq!(folder.rename_after_a_look("one", "two").unwrap_err().kind(), taken);
    folder.rename_after_a_look("one", "three").unwrap();
    folder.rename_new("three", "four").unwrap();
    assert_eq!(fs::read_to_string(path.join("four")).unwrap(), "1");
    fs::remove_dir_all(path).unwrap();
}
