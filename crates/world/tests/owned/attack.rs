//! Each way in which a name was seen to be something else than a file of the tree, before it is taken and between taking and
//! writing.

use crate::stand::{Stand, is_root};
use rehearsal_world::owned::{Cause, CommitError, Fate, Mode, Refusal};
use rustix::fs::{CWD, FileType, Mode as Bits, makedev, mknodat};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Bits::RWXU, 0).unwrap();
}

fn refusal(stand: &Stand, path: &str, mode: Mode) -> Refusal {
    let error = stand.take(&[("a", Mode::Edit), (path, mode)]).unwrap_err();
    assert_eq!(error.path, path);
    let unsafe_path = matches!(
        error.why,
        Refusal::BadName(_)
            | Refusal::Link
            | Refusal::NotRegular
            | Refusal::HardLinked(_)
            | Refusal::SameFile(_)
    );
    assert_eq!(error.is_unsafe(), unsafe_path);
    error.why
}

#[test]
fn takes_files_as_they_are() {
    let stand = Stand::new("takes");
    fs::write(stand.at("sub/bytes"), b"\xef\xbb\xbfa\r\n\0\xff").unwrap();
    fs::set_permissions(stand.at("sub/bytes"), fs::Permissions::from_mode(0o640)).unwrap();
    let entries = [("sub/bytes", Mode::Edit), ("new/x", Mode::Create), ("a", Mode::Edit)];
    let held = stand.take(&entries).unwrap();
    let [file, new, _] = held.files() else { panic!("three files") };
    assert_eq!(file.bytes, b"\xef\xbb\xbfa\r\n\0\xff");
    let snapshot = file.snapshot.as_ref().unwrap();
    let seen = fs::metadata(stand.at("sub/bytes")).unwrap();
    assert_eq!((snapshot.device, snapshot.inode, snapshot.size), (seen.dev(), seen.ino(), 8));
    assert_eq!(snapshot.mode, 0o640);
    assert_eq!(snapshot.modified, i128::from(seen.mtime()) * 1_000_000_000 + i128::from(seen.mtime_nsec()));
    assert_eq!((new.snapshot.as_ref(), new.bytes.len()), (None, 0));
    assert!(!stand.at("new").exists(), "taking changes nothing");
}

#[test]
fn refuses_links_wherever_they_stand() {
    let stand = Stand::new("links");
    symlink("../outside/secret", stand.at("link")).unwrap();
    symlink("a", stand.at("inside")).unwrap();
    symlink("nowhere", stand.at("dangling")).unwrap();
    symlink("../outside", stand.at("out")).unwrap();
    symlink("sub", stand.at("folder")).unwrap();
    symlink("../../outside", stand.at("sub/out")).unwrap();
    symlink("loop", stand.at("loop")).unwrap();
    for path in [
        "link",
        "inside",
        "dangling",
        "out/secret",
        "folder/b",
        "sub/out/secret",
        "out/deep/x",
        "loop",
        "loop/x",
        "dangling/x",
    ] {
        assert!(matches!(refusal(&stand, path, Mode::Edit), Refusal::Link), "{path}");
    }
    for path in ["out/new", "sub/out/new", "folder/new", "dangling/new", "out/new/deep", "loop/new"] {
        assert!(matches!(refusal(&stand, path, Mode::Create), Refusal::Link), "{path}");
    }
    for path in ["link", "dangling", "sub/b", "sub", "out"] {
        assert!(matches!(refusal(&stand, path, Mode::Create), Refusal::AlreadyThere), "{path}");
    }
}

#[test]
fn refuses_what_is_no_regular_file_of_its_own_and_waits_for_nothing() {
    let stand = Stand::new("kinds");
    fs::hard_link(stand.outside(), stand.at("hard")).unwrap();
    fifo(&stand.at("fifo"));
    let _listener = UnixListener::bind(stand.at("socket")).unwrap();
    assert!(matches!(refusal(&stand, "hard", Mode::Edit), Refusal::HardLinked(2)));
    assert!(matches!(refusal(&stand, "fifo", Mode::Edit), Refusal::NotRegular));
    assert!(matches!(refusal(&stand, "socket", Mode::Edit), Refusal::NotRegular));
    assert!(matches!(refusal(&stand, "sub", Mode::Edit), Refusal::Folder));
    assert!(matches!(refusal(&stand, "missing", Mode::Edit), Refusal::Missing));
    assert!(matches!(refusal(&stand, "missing/x", Mode::Edit), Refusal::Missing));
    assert!(matches!(refusal(&stand, "a/x", Mode::Edit), Refusal::NotFolder));
    assert!(matches!(refusal(&stand, "a/x", Mode::Create), Refusal::NotFolder | Refusal::AlreadyThere));
    assert!(matches!(refusal(&stand, "a", Mode::Edit), Refusal::SameFile(_)));
    let device = mknodat(CWD, stand.at("null"), FileType::CharacterDevice, Bits::RWXU, makedev(1, 3));
    if device.is_ok() {
        assert!(matches!(refusal(&stand, "null", Mode::Edit), Refusal::NotRegular));
    }
}

#[test]
fn a_tree_that_is_not_at_its_path_any_more_gets_nothing_and_neither_does_what_took_its_place() {
    for replaced in [false, true] {
        let stand = Stand::new(&format!("moved-{replaced}"));
        let held = stand.take(&[("a", Mode::Edit), ("new", Mode::Create)]).unwrap();
        let aside = stand.path().join("aside");
        fs::rename(stand.at(""), &aside).unwrap();
        if replaced {
            fs::create_dir(stand.at("")).unwrap();
            stand.write("a", "old a");
        }
        let changes: [(&str, &[u8]); 2] = [("a", b"new a"), ("new", b"new")];
        let error = held.commit(&stand.records(), &changes).unwrap_err();
        assert!(
            matches!(&error.cause, Cause::Stale(stale) if matches!(stale.why, Refusal::TreeMoved)),
            "{error}"
        );
        assert_eq!(fs::read(aside.join("a")).unwrap(), b"old a");
        assert!(!aside.join("new").exists());
        assert!(!replaced || stand.names("") == ["a"] && stand.read("a") == "old a");
    }
}

#[test]
fn refuses_names_that_are_none() {
    let stand = Stand::new("names");
    let long = "x".repeat(300);
    let outside = stand.outside().to_str().unwrap().to_owned();
    for path in [
        "",
        "..",
        "../outside/secret",
        "sub/../a",
        "./a",
        "sub//b",
        "a/",
        "/",
        &outside,
        "a\0",
        "a\nb",
        &long,
    ] {
        for mode in [Mode::Edit, Mode::Create] {
            assert!(matches!(refusal(&stand, path, mode), Refusal::BadName(_)), "{path:?}");
        }
    }
}

#[test]
fn takes_no_more_than_its_limits() {
    use rehearsal_world::owned::{Limits, Tree};
    let stand = Stand::new("limits");
    let limits = Limits { file: 5, total: 9, files: 2 };
    let tree = Tree::open(&stand.at(""), limits).unwrap();
    let take = |paths: &[&str]| {
        let entries: Vec<_> = paths.iter().map(|path| (*path, Mode::Edit)).collect();
        crate::stand::take(&tree, &entries)
    };
    stand.write("c", "");
    stand.write("d", "123456");
    assert!(matches!(take(&["d"]).unwrap_err().why, Refusal::TooLarge(5)));
    assert!(matches!(take(&["a", "sub/b"]).unwrap_err().why, Refusal::TooMuch(9)));
    assert!(matches!(take(&["a", "c", "d"]).unwrap_err().why, Refusal::TooMany(2)));
    let refused = |changes: &[(&str, &[u8])]| {
        take(&["a", "c"]).unwrap().commit(&stand.records(), changes).unwrap_err().cause
    };
    assert!(matches!(refused(&[("a", b"123456")]), Cause::TooLarge { limit: 5, .. }));
    assert!(matches!(refused(&[("a", b"12345"), ("c", b"12345")]), Cause::TooLarge { limit: 9, .. }));
    assert!(matches!(refused(&[("d", b"")]), Cause::NotHeld(_)));
    assert!(matches!(refused(&[("a", b""), ("a", b"")]), Cause::Twice(_)));
    assert_eq!(stand.read("a"), "old a");
}

const ENTRIES: [(&str, Mode); 3] = [("a", Mode::Edit), ("sub/b", Mode::Edit), ("new/c", Mode::Create)];
const CHANGES: [(&str, &[u8]); 2] = [("a", b"new a"), ("new/c", b"new c")];

/// Takes files, lets something happen, and commits.
fn after(stand: &Stand, what: impl FnOnce()) -> CommitError {
    let held = stand.take(&ENTRIES).unwrap();
    what();
    let error = held.commit(&stand.records(), &CHANGES).unwrap_err();
    assert_eq!(fs::read_to_string(stand.outside()).unwrap(), "secret");
    error
}

#[test]
fn refuses_a_base_that_changed_meanwhile() {
    for attack in 0..14 {
        let stand = Stand::new(&format!("stale-{attack}"));
        let (a, sub) = (stand.at("a"), stand.at("sub"));
        let moved = stand.path().join("moved");
        let replace = |path: &Path| {
            fs::rename(path, &moved).unwrap();
            path.to_owned()
        };
        let error = after(&stand, || match attack {
            0 => stand.write("a", "theirs"),
            1 => symlink(stand.outside(), replace(&a)).unwrap(),
            // The same bytes in another file.
            2 => fs::write(replace(&a), "old a").unwrap(),
            3 => fs::remove_file(&a).unwrap(),
            4 => fs::create_dir(replace(&a)).unwrap(),
            5 => fifo(&replace(&a)),
            6 => fs::hard_link(&a, stand.path().join("link")).unwrap(),
            7 => fs::set_permissions(&a, fs::Permissions::from_mode(0o777)).unwrap(),
            // A file that is not changed itself.
            8 => stand.write("sub/b", "theirs"),
            9 => symlink(stand.path().join("outside"), replace(&sub)).unwrap(),
            // The same file in another folder.
            10 => {
                fs::create_dir(replace(&sub)).unwrap();
                fs::rename(moved.join("b"), sub.join("b")).unwrap();
            }
            11 => symlink(stand.path().join("outside"), stand.at("new")).unwrap(),
            12 => symlink("nowhere", stand.at("new")).unwrap(),
            _ => {
                fs::create_dir(stand.at("new")).unwrap();
                stand.write("new/c", "theirs");
            }
        });
        assert!(error.is_stale(), "{attack}: {error}");
        assert!(error.paths.iter().all(|path| path.fate != Fate::Applied && path.kept.is_none()));
        let dirty = matches!(attack, 0..=6 | 11 | 13);
        let is_dirty = error.paths.iter().any(|path| path.fate == Fate::Dirty);
        assert!(dirty == is_dirty || attack == 11 || attack == 2, "{attack}: {:?}", error.paths);
        if attack == 1 {
            assert_eq!(fs::read_link(&a).unwrap(), stand.outside(), "what others made stays");
        }
        assert!(stand.names("").iter().all(|name| !name.starts_with(".rehearsal")));
        assert_eq!(stand.names("").contains(&"new".to_owned()), attack > 10);
    }
}

#[test]
fn writes_all_or_nothing_and_says_so() {
    let stand = Stand::new("commit");
    fs::set_permissions(stand.at("a"), fs::Permissions::from_mode(0o751)).unwrap();
    let held = stand.take(&ENTRIES).unwrap();
    let records = stand.records();
    let done = held.commit(&records, &[CHANGES[1], CHANGES[0], ("sub/b", b"old b")]).unwrap();
    assert_eq!((stand.read("a"), stand.read("new/c"), stand.read("sub/b")).0, "new a");
    assert_eq!(stand.read("new/c"), "new c");
    assert_eq!(fs::metadata(stand.at("a")).unwrap().mode() & 0o7777, 0o751);
    let paths: Vec<_> = done.paths.iter().map(|path| path.path.as_str()).collect();
    assert_eq!(paths, ["new/c", "a", "sub/b"], "in the order of the changes");
    assert!(done.paths.iter().all(|path| path.fate == Fate::Applied) && done.left.is_empty());
    assert_eq!(done.paths[0].before, None);
    assert_ne!(done.paths[1].before, done.paths[1].after);
    assert_eq!(done.paths[2].before, done.paths[2].after);
    assert_eq!(stand.names(""), ["a", "new", "sub"]);
    assert_eq!(records.names().unwrap(), ["lock"]);
}

#[test]
fn an_empty_commit_still_compares() {
    let stand = Stand::new("empty");
    let held = stand.take(&ENTRIES).unwrap();
    assert!(held.commit(&stand.records(), &[]).unwrap().paths.is_empty());
    let held = stand.take(&ENTRIES).unwrap();
    stand.write("sub/b", "theirs");
    assert!(held.commit(&stand.records(), &[]).unwrap_err().is_stale());
}

#[test]
fn a_folder_for_new_files_that_others_make_in_between_stays_theirs() {
    let stand = Stand::new("twins");
    // A file and a folder of one name cannot both be made: whichever comes second takes all back.
    let held = stand.take(&[("x", Mode::Create), ("x/y", Mode::Create), ("a", Mode::Edit)]).unwrap();
    let error = held.commit(&stand.records(), &[("x", b"1"), ("x/y", b"2"), ("a", b"3")]).unwrap_err();
    assert!(error.is_stale(), "{error}");
    assert_eq!(
        (stand.read("a"), stand.names("")),
        ("old a".to_owned(), vec!["a".to_owned(), "sub".to_owned()])
    );
}

#[test]
fn a_commit_after_an_interrupted_one_is_refused() {
    let stand = Stand::new("unrecovered");
    let records = stand.records();
    fs::write(records.path().join(rehearsal_world::owned::RECORD), "rehearsal-commit 1\n").unwrap();
    let held = stand.take(&ENTRIES).unwrap();
    let error = held.commit(&records, &CHANGES).unwrap_err();
    assert!(matches!(error.cause, Cause::Unrecovered), "{error}");
    assert!(records.holds(rehearsal_world::owned::RECORD), "it is another's");
    stand.tree().recover(&records).unwrap();
    stand.take(&ENTRIES).unwrap().commit(&records, &CHANGES).unwrap();
}

#[test]
fn attributes_and_owner_go_with_the_file() {
    let stand = Stand::new("attributes");
    let file = fs::File::open(stand.at("a")).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let kept = rustix::fs::fsetxattr(&file, "user.note", b"mine", flags).is_ok();
    if is_root() {
        std::os::unix::fs::chown(stand.at("a"), Some(1234), Some(4321)).unwrap();
    }
    let was = fs::metadata(stand.at("a")).unwrap();
    stand.take(&ENTRIES).unwrap().commit(&stand.records(), &CHANGES).unwrap();
    let seen = fs::metadata(stand.at("a")).unwrap();
    assert_eq!((seen.uid(), seen.gid(), seen.mode()), (was.uid(), was.gid(), was.mode()));
    if kept {
        let mut value = [0; 16];
        let file = fs::File::open(stand.at("a")).unwrap();
        let len = rustix::fs::fgetxattr(&file, "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..len], b"mine");
    }
}
