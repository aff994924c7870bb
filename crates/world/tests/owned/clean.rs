//! A clean copy: what is protected comes from the originals, and nothing leads out.

use crate::stand::Stand;
use rehearsal_world::owned::{Bounds, Clean, Copied, CopyError, LeftOut, Original, copy_clean};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

fn original(path: &str, bytes: &str) -> Original {
    Original { path: path.to_owned(), bytes: bytes.as_bytes().to_vec(), executable: false }
}

fn copy(stand: &Stand, originals: &[Original], files: usize, bytes: u64) -> Result<Copied, CopyError> {
    let protected = |path: &str| path.ends_with("conftest.py") || path.starts_with("tests/");
    let without = |path: &str| path == "unwanted";
    let clean =
        Clean { originals, protected: &protected, without: &without, without_git: true, files, bytes };
    copy_clean(&stand.tree(), &stand.path().join("copy"), &clean)
}

/// A tree with all that a worker might leave in it.
fn tampered() -> Stand {
    let stand = Stand::new("clean");
    fs::create_dir_all(stand.at(".git/hooks")).unwrap();
    fs::create_dir_all(stand.at("tests/deep")).unwrap();
    fs::create_dir_all(stand.at("empty")).unwrap();
    stand.write(".git/config", "git");
    fs::create_dir_all(stand.at("unwanted/deep")).unwrap();
    stand.write("unwanted/deep/x", "built");
    stand.write("tests/test_a.py", "tampered");
    stand.write("tests/deep/new.py", "planted");
    stand.write("conftest.py", "planted");
    stand.write("script", "#!/bin/sh");
    fs::set_permissions(stand.at("script"), fs::Permissions::from_mode(0o755)).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        stand.at("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    symlink("../outside/secret", stand.at("out")).unwrap();
    symlink(stand.outside(), stand.at("absolute")).unwrap();
    symlink("../a", stand.at("sub/up")).unwrap();
    symlink("sub", stand.at("folder")).unwrap();
    symlink("folder/../../outside/secret", stand.at("tricky")).unwrap();
    fs::hard_link(stand.at("a"), stand.at("hard")).unwrap();
    // An original where the tree has a folder, and one where it has a link as a folder.
    fs::create_dir(stand.at("setup.cfg")).unwrap();
    stand.write("setup.cfg/x", "planted");
    symlink("/tmp", stand.at("data")).unwrap();
    stand
}

#[test]
fn copies_what_is_there_and_tells_what_it_left_out() {
    let stand = tampered();
    let originals = [
        original("tests/test_a.py", "original"),
        original("setup.cfg", "cfg"),
        original("data/in/x", "data"),
    ];
    let copied = copy(&stand, &originals, 100, 10_000).unwrap();
    let to = stand.path().join("copy");
    let read = |path: &str| fs::read_to_string(to.join(path)).unwrap();
    for (path, content) in [
        ("a", "old a"),
        ("sub/b", "old b"),
        ("script", "#!/bin/sh"),
        ("hard", "old a"),
        ("tests/test_a.py", "original"),
        ("setup.cfg", "cfg"),
        ("data/in/x", "data"),
        ("sub/up", "old a"),
        ("folder/b", "old b"),
    ] {
        assert_eq!(read(path), content, "{path}");
    }
    assert_ne!(fs::metadata(to.join("script")).unwrap().permissions().mode() & 0o100, 0);
    assert!(fs::symlink_metadata(to.join("data")).unwrap().is_dir() && to.join("empty").is_dir());
    assert_eq!(fs::read_link(to.join("sub/up")).unwrap(), Path::new("../a"));
    let mut left_out = copied.left_out.clone();
    left_out.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        (".git", LeftOut::Git),
        ("absolute", LeftOut::LeadsOut),
        ("conftest.py", LeftOut::Protected),
        ("data", LeftOut::Replaced),
        ("fifo", LeftOut::NotRegular),
        ("out", LeftOut::LeadsOut),
        ("setup.cfg", LeftOut::Replaced),
        ("tests/deep/new.py", LeftOut::Protected),
        ("tests/test_a.py", LeftOut::Replaced),
        ("tricky", LeftOut::LeadsOut),
        ("unwanted", LeftOut::Unwanted),
    ];
    assert_eq!(left_out, expected.map(|(path, why)| (path.to_owned(), why)));
    assert_eq!(copied.more_left_out, 0);
    // Seven files, the originals among them, two links and six folders.
    assert_eq!((copied.files, copied.bytes), (15, 5 + 5 + 9 + 5 + 8 + 3 + 4));
    assert!(matches!(copy(&stand, &[], 100, 10_000), Err(CopyError::NotEmpty)));
}

#[test]
fn is_bounded_in_files_bytes_and_depth() {
    let stand = Stand::new("bounds");
    let again = |files, bytes| {
        let copied = copy(&stand, &[], files, bytes);
        drop(fs::remove_dir_all(stand.path().join("copy")));
        copied
    };
    assert!(again(3, 10).is_ok());
    assert!(matches!(again(2, 10), Err(CopyError::TooMany(2))));
    assert!(matches!(again(3, 9), Err(CopyError::TooMuch(9))));
    // Sparse: far more bytes than any disk here has.
    fs::File::create(stand.at("huge")).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(again(100, 1 << 20), Err(CopyError::TooMuch(_))));
    fs::remove_file(stand.at("huge")).unwrap();
    fs::create_dir_all(stand.at(&["d"; 80].join("/"))).unwrap();
    assert!(matches!(again(1000, 1 << 20), Err(CopyError::TooDeep(_))));
    assert!(matches!(copy(&stand, &[original("../x", "")], 9, 9), Err(CopyError::BadOriginal(..))));
}

#[test]
fn keeps_what_is_wanted_and_sees_whatever_is_not_as_it_was() {
    let stand = tampered();
    let tree = stand.tree();
    let wanted =
        |path: &str| path.starts_with("tests/") || path == "script" || path == "fifo" || path == "out";
    let skipped = |path: &str| path == "tests/deep";
    let kept = tree.keep(&wanted, &skipped, Bounds::default()).unwrap();
    let paths: Vec<_> = kept.iter().map(|original| (original.path.as_str(), original.executable)).collect();
    assert_eq!(paths, [("script", true), ("tests/test_a.py", false)], "no pipe, no link, nothing skipped");
    assert_eq!(tree.changed(&kept), [""; 0]);
    stand.write("tests/test_a.py", "otherwise");
    fs::remove_file(stand.at("script")).unwrap();
    symlink("a", stand.at("script")).unwrap();
    assert_eq!(tree.changed(&kept), ["script", "tests/test_a.py"]);
    let few = Bounds { names: 5, ..Bounds::default() };
    assert!(tree.keep(&wanted, &skipped, few).is_err());
    let small = Bounds { bytes: 3, ..Bounds::default() };
    assert!(tree.keep(&wanted, &skipped, small).is_err());
}
