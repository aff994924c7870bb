//! Finished folders are copied whole, and a new folder appears whole or not at all.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test looks at the files that it is about")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rehearsal_world::files::{copy_folder, create_beside, is_there, put_in_place, remove_folder};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("copy-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn files_folders_and_links_are_copied_and_pipes_are_not_waited_for() {
    let root = folder("tree");
    let (from, to) = (root.join("from"), root.join("to"));
    fs::create_dir_all(from.join("closed/inner")).unwrap();
    fs::write(from.join("closed/inner/file"), "content").unwrap();
    fs::write(from.join("script"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(from.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    // A folder that nobody may write into, as package managers leave them.
    fs::set_permissions(from.join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    symlink("/nowhere", from.join("dangling")).unwrap();
    symlink("..", from.join("loop")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(from.join("pipe")).status().unwrap();
    assert!(made.success());

    copy_folder(&from, &to).unwrap();
    assert_eq!(fs::read_to_string(to.join("closed/inner/file")).unwrap(), "content");
    assert_eq!(fs::metadata(to.join("script")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_link(to.join("dangling")).unwrap(), Path::new("/nowhere"));
    assert_eq!(fs::read_link(to.join("loop")).unwrap(), Path::new(".."));
    assert!(!is_there(&to.join("pipe")));
    copy_folder(&root.join("gone"), &root.join("nothing")).unwrap();
    assert!(!is_there(&root.join("nothing")), "where nothing was, nothing is copied");

    fs::set_permissions(from.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    remove_folder(&root).unwrap();
}

#[test]
fn a_new_folder_has_its_name_only_once_it_is_put_in_place() {
    let root = folder("place");
    let out = root.join("out");
    let (half, other) = (create_beside(&out).unwrap(), create_beside(&out).unwrap());
    assert_ne!(half, other, "what a killed program left is in nobody's way");
    fs::write(half.join("file"), "content").unwrap();
    assert!(!is_there(&out));
    put_in_place(&half, &out).unwrap();
    assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "content");
    assert!(put_in_place(&other, &out).is_err(), "nothing is replaced");
    remove_folder(&root).unwrap();
}
