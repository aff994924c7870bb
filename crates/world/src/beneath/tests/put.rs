//! What a file is after it was put, with a file that has no name first and with one that has a hidden one.

use super::*;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

const BYS: [By; 2] = [By::Nameless, By::Hidden];

#[test]
fn a_file_is_made_whole_with_the_folders_above_it() {
    for (walk, by) in WALKS.into_iter().flat_map(|walk| BYS.map(|by| (walk, by))) {
        let stand = Stand::new(&format!("made-{by:?}"), walk);
        let root = stand.root(walk);
        let seen = write(&root, "x/y/z", b"new", by).unwrap();
        assert_eq!((seen.kind, seen.links, seen.size, seen.mode), (Kind::File, 1, 3, 0o640));
        assert_eq!(fs::read(stand.at("x/y/z")).unwrap(), b"new");
        assert_eq!(fs::metadata(stand.at("x/y")).unwrap().permissions().mode() & 0o777, 0o700);
        for below in ["", "x", "x/y"] {
            stand.assert_clean(below);
        }
    }
}

#[test]
fn a_file_is_replaced_by_another_one() {
    for (walk, by) in WALKS.into_iter().flat_map(|walk| BYS.map(|by| (walk, by))) {
        let stand = Stand::new(&format!("over-{by:?}"), walk);
        let root = stand.root(walk);
        let before = fs::File::open(stand.at("a")).unwrap();
        write(&root, "a", b"new a", by).unwrap();
        assert_eq!(fs::read(stand.at("a")).unwrap(), b"new a");
        assert_ne!(before.metadata().unwrap().ino(), fs::metadata(stand.at("a")).unwrap().ino());
        assert_eq!(std::io::read_to_string(before).unwrap(), "old a", "it was not written in place");
        stand.assert_clean("");
    }
}

#[test]
fn a_name_that_was_taken_meanwhile_is_not_replaced() {
    for (walk, by) in WALKS.into_iter().flat_map(|walk| BYS.map(|by| (walk, by))) {
        let stand = Stand::new(&format!("taken-{by:?}"), walk);
        let root = stand.root(walk);
        let prepared = match by {
            By::Nameless => root.prepare(b"evil", 0o600).unwrap(),
            By::Hidden => root.prepare_hidden(b"evil", 0o600).unwrap(),
        };
        // Without the look before, as if it came right after it.
        assert!(matches!(root.put_new(prepared, "a").unwrap_err().met, Met::Changed));
        assert_eq!(fs::read(stand.at("a")).unwrap(), b"old a");
        let prepared = root.prepare(b"evil", 0o600).unwrap();
        assert!(matches!(root.put_over(prepared, "sub").unwrap_err().met, Met::Changed), "a folder stays");
        stand.assert_clean("");
    }
}

#[test]
fn content_without_a_name_leaves_nothing() {
    for by in BYS {
        let stand = Stand::new(&format!("dropped-{by:?}"), Walk::Kernel);
        let root = stand.root(Walk::Kernel);
        drop(match by {
            By::Nameless => root.prepare(b"new", 0o600).unwrap(),
            By::Hidden => root.prepare_hidden(b"new", 0o600).unwrap(),
        });
        assert_eq!(fs::read_dir(stand.at("")).unwrap().count(), 2, "{by:?}");
    }
}

#[test]
fn names_are_told_up_to_a_limit() {
    let stand = Stand::new("told", Walk::Kernel);
    let root = stand.root(Walk::Kernel);
    assert_eq!(root.names(2).unwrap(), (vec!["a".into(), "sub".into()], false));
    assert!(root.names(1).unwrap().1);
}
