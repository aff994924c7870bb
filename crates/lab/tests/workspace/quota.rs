//! How much a session may write: the last thing that is asked before something is made.

use crate::stand::{Stand, code, names, refused};
use rehearsal_lab::workspace::{Policy, Quota, Workspace};
use std::fs;

fn open(stand: &Stand, quota: Quota) -> Workspace {
    stand.open_with(Policy { quota, ..Policy::default() })
}

#[test]
fn files_and_folders_are_counted_where_they_are_made() {
    let stand = Stand::new("files");
    let mut space = open(&stand, Quota { files: 3, ..Quota::default() });
    space.write("a", b"1").unwrap();
    space.write("sub/b", b"1").unwrap();
    let refusal = refused(space.write("c", b"1"));
    assert_eq!((refusal.code.word(), refusal.path.as_deref()), ("E_QUOTA", Some("c")));
    assert_eq!(code(space.write("new/c", b"1")), "E_QUOTA");
    assert_eq!(names(&stand.at("")), ["a", "sub"], "no folder is made either");
    space.write("a", b"2").unwrap();
    space.remove("a").unwrap();
    assert_eq!(code(space.write("a", b"3")), "E_QUOTA", "removing gives nothing back");
}

#[test]
fn bytes_are_counted_whenever_they_are_written() {
    let stand = Stand::new("bytes");
    let mut space = open(&stand, Quota { bytes: 10, ..Quota::default() });
    space.write("a", b"1234").unwrap();
    space.write("a", b"1234").unwrap();
    assert_eq!(code(space.write("a", b"123")), "E_QUOTA");
    assert_eq!(code(space.write("b", b"123")), "E_QUOTA");
    space.write("b", b"12").unwrap();
    space.write("b", b"").unwrap();
    assert_eq!(fs::read(stand.at("a")).unwrap(), b"1234");
}

#[test]
fn one_file_may_be_so_large_to_be_written_or_read() {
    let stand = Stand::new("one");
    let mut space = open(&stand, Quota { one_file: 4, ..Quota::default() });
    space.write("a", b"1234").unwrap();
    assert_eq!(code(space.write("a", b"12345")), "E_QUOTA");
    // A program made one of a size that nobody could read to its end.
    fs::File::create(stand.at("sparse")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(code(space.read("sparse")), "E_QUOTA");
    assert_eq!(code(space.digest("sparse")), "E_QUOTA");
    assert_eq!(code(space.reader("sparse")), "E_QUOTA");
    space.remove("sparse").unwrap();
}

#[test]
fn a_path_may_have_so_many_parts() {
    let stand = Stand::new("depth");
    let mut space = open(&stand, Quota { depth: 2, ..Quota::default() });
    space.write("a/b", b"").unwrap();
    for result in [code(space.write("a/c/d", b"")), code(space.read("a/c/d")), code(space.remove("a/b/c"))] {
        assert_eq!(result, "E_PATH_TOO_LONG");
    }
}

#[test]
fn what_was_refused_uses_nothing_up() {
    let stand = Stand::new("nothing");
    let mut space = open(&stand, Quota { files: 1, bytes: 3, ..Quota::default() });
    fs::create_dir(stand.at("folder")).unwrap();
    for path in ["../x", ".env", "folder", "sub/x"] {
        assert_ne!(code(space.write(path, b"123")), "done", "{path}");
    }
    space.write("a", b"123").unwrap();
}

#[test]
fn the_quota_is_asked_last() {
    let stand = Stand::new("last");
    let mut space = open(&stand, Quota { files: 0, bytes: 0, one_file: 0, depth: 4 });
    fs::hard_link(stand.outside().join("secret"), stand.at("hard")).unwrap();
    for (path, want) in [
        ("../x", "E_PATH_PARENT"),
        (".env", "E_SECRET_NAME"),
        ("HARD", "E_CASE_COLLISION"),
        ("hard", "E_HARDLINK"),
    ] {
        assert_eq!(code(space.write(path, b"1")), want);
    }
    assert_eq!(code(space.write("a", b"1")), "E_QUOTA");
}
