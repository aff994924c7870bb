//! What each operation tells of a file that may be used.

use crate::stand::{Stand, code, is_root, names, refused, text};
use rehearsal_lab::workspace::{Policy, Workspace};
use serde_json::json;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_file_is_written_with_the_folders_above_it() {
    let stand = Stand::new("written");
    let mut space = stand.open();
    let fact = space.write("notes/deep/run.txt", b"abc").unwrap();
    let want = json!({ "path": "notes/deep/run.txt", "bytes": 3, "sha256": ABC, "created": true });
    assert_eq!(serde_json::Value::Object(fact.observed().clone()), want);
    assert!(fact.proofs().is_empty(), "a file that was written proves nothing about where it came from");
    assert_eq!(fs::read(stand.at("notes/deep/run.txt")).unwrap(), b"abc");
    assert_eq!(names(&stand.at("notes/deep")), ["run.txt"], "nothing else is left");
    assert_eq!((mode(&stand.at("notes")), mode(&stand.at("notes/deep/run.txt"))), (0o700, 0o644));
    let again = space.write("notes/deep/run.txt", b"").unwrap();
    assert_eq!(again.observed()["created"], false);
    assert_eq!(fs::read(stand.at("notes/deep/run.txt")).unwrap(), b"");
}

#[test]
fn a_file_that_is_there_is_replaced_whole_and_keeps_its_permissions() {
    let stand = Stand::new("replaced");
    let mut space = stand.open_with(Policy { mode: 0o600, ..Policy::default() });
    space.write("new", b"1").unwrap();
    assert_eq!(mode(&stand.at("new")), 0o600);
    fs::write(stand.at("old"), "old").unwrap();
    fs::set_permissions(stand.at("old"), fs::Permissions::from_mode(0o4751)).unwrap();
    let before = fs::File::open(stand.at("old")).unwrap();
    space.write("old", b"new").unwrap();
    assert_eq!(mode(&stand.at("old")), 0o751, "but what was put there runs as nobody else");
    assert_ne!(before.metadata().unwrap().ino(), fs::metadata(stand.at("old")).unwrap().ino());
    assert_eq!(
        std::io::read_to_string(before).unwrap(),
        "old",
        "whoever reads it reads the old one to its end"
    );
}

#[test]
fn a_file_is_read_with_its_text_where_it_has_one() {
    let stand = Stand::new("read");
    let space = stand.open();
    for (name, content, has_text) in [
        ("abc", b"abc".to_vec(), true),
        ("empty", Vec::new(), true),
        ("bytes", vec![0xff, 0xfe], false),
        ("most", vec![b'x'; 64 << 10], true),
        ("more", vec![b'x'; (64 << 10) + 1], false),
    ] {
        fs::write(stand.at(name), &content).unwrap();
        let fact = space.read(name).unwrap();
        let observed = fact.observed();
        assert_eq!((&observed["exists"], &observed["size"]), (&json!(true), &json!(content.len())), "{name}");
        assert_eq!(
            observed.get("text").map(|text| text.as_str().unwrap().as_bytes().to_vec()),
            has_text.then_some(content)
        );
        assert_eq!(space.digest(name).unwrap().as_deref(), Some(text(&fact, "sha256")));
    }
    assert_eq!(text(&space.read("abc").unwrap(), "sha256"), ABC);
}

#[test]
fn a_file_that_is_missing_is_a_fact() {
    let stand = Stand::new("missing");
    let mut space = stand.open();
    for path in ["x", "x/y", "x/y/z"] {
        let fact = space.read(path).unwrap();
        assert_eq!(
            serde_json::Value::Object(fact.observed().clone()),
            json!({ "path": path, "exists": false })
        );
        assert_eq!(space.digest(path).unwrap(), None);
        for refusal in [refused(space.reader(path)), refused(space.remove(path))] {
            assert_eq!((refusal.code.word(), refusal.path.as_deref()), ("E_NO_FILE", Some(path)));
            assert_eq!(refusal.message, format!("there is no file `{path}` in the workspace"));
        }
    }
    assert_eq!(names(&stand.at("")), [""; 0], "looking makes nothing");
}

#[test]
fn a_reader_gives_all_bytes_or_an_error() {
    let stand = Stand::new("reader");
    let mut space = stand.open();
    let content: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
    space.write("big", &content).unwrap();
    let mut got = Vec::new();
    space.reader("big").unwrap().read_to_end(&mut got).unwrap();
    assert_eq!(got, content);

    // It grows, shrinks, is replaced, and gets another name, each after the first byte.
    type Change = fn(&Stand);
    let changes: [Change; 4] = [
        |stand| {
            fs::OpenOptions::new().append(true).open(stand.at("big")).unwrap().write_all(b"more").unwrap()
        },
        |stand| fs::OpenOptions::new().write(true).open(stand.at("big")).unwrap().set_len(10).unwrap(),
        |stand| {
            fs::write(stand.at("other"), "x").unwrap();
            fs::rename(stand.at("other"), stand.at("big")).unwrap();
        },
        |stand| fs::hard_link(stand.at("big"), stand.at("second")).unwrap(),
    ];
    for change in changes {
        let mut reader = space.reader("big").unwrap();
        reader.read_exact(&mut [0]).unwrap();
        change(&stand);
        let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("changed while it was read"), "{error}");
    }
}

#[test]
fn a_file_is_removed() {
    let stand = Stand::new("removed");
    let mut space = stand.open();
    space.write("sub/a", b"abc").unwrap();
    let fact = space.remove("sub/a").unwrap();
    let want = json!({ "path": "sub/a", "bytes": 3, "removed": true });
    assert_eq!(serde_json::Value::Object(fact.observed().clone()), want);
    assert_eq!(names(&stand.at("sub")), [""; 0]);
    assert_eq!(code(space.remove("sub/a")), "E_NO_FILE");
}

#[test]
fn a_file_that_may_only_be_read_is_not_written_or_removed_by_root_either() {
    let stand = Stand::new("readonly");
    let mut space = stand.open();
    fs::write(stand.at("a"), "old").unwrap();
    fs::set_permissions(stand.at("a"), fs::Permissions::from_mode(0o444)).unwrap();
    for refusal in [refused(space.write("a", b"new")), refused(space.remove("a"))] {
        assert_eq!(refusal.code.word(), "E_READONLY");
        assert!(refusal.code.is_permission());
    }
    assert_eq!(fs::read_to_string(stand.at("a")).unwrap(), "old");
    assert_eq!(text(&space.read("a").unwrap(), "text"), "old");
}

#[test]
fn a_folder_that_may_not_be_written_takes_no_file_but_from_root() {
    let stand = Stand::new("forbidden");
    let mut space = stand.open();
    space.write("sub/a", b"old").unwrap();
    fs::set_permissions(stand.at("sub"), fs::Permissions::from_mode(0o500)).unwrap();
    let results = [
        code(space.write("sub/b", b"new")),
        code(space.write("sub/a", b"new")),
        code(space.write("sub/x/y", b"new")),
    ];
    fs::set_permissions(stand.at("sub"), fs::Permissions::from_mode(0o700)).unwrap();
    // To root the bits of a folder forbid nothing, and the system's answer is what counts.
    if is_root() {
        assert_eq!(results, ["done"; 3]);
        return;
    }
    assert_eq!(results, ["E_READONLY"; 3]);
    assert_eq!(names(&stand.at("sub")), ["a"]);
    assert_eq!(fs::read_to_string(stand.at("sub/a")).unwrap(), "old");
}

#[test]
fn a_workspace_is_made_for_its_user_alone() {
    let stand = Stand::new("made");
    let root = stand.at("above/space");
    let mut space = Workspace::open(&root, Policy::default()).unwrap();
    space.write("a", b"1").unwrap();
    assert_eq!((mode(&root), mode(&stand.at("above"))), (0o700, 0o700));
    // It is there now, and is taken as it is.
    let again = Workspace::open(&root, Policy::default()).unwrap();
    assert_eq!(text(&again.read("a").unwrap(), "text"), "1");
}

#[test]
fn a_program_that_runs_can_be_replaced() {
    let stand = Stand::new("running");
    let mut space = stand.open();
    let sleep = ["/bin/sleep", "/usr/bin/sleep"]
        .into_iter()
        .find(|path| std::path::Path::new(path).exists())
        .unwrap();
    fs::copy(sleep, stand.at("tool")).unwrap();
    fs::set_permissions(stand.at("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut child = std::process::Command::new(stand.at("tool")).arg("60").spawn().unwrap();
    let written = space.write("tool", b"#!/bin/sh\n");
    child.kill().unwrap();
    child.wait().unwrap();
    written.unwrap();
    assert_eq!(mode(&stand.at("tool")), 0o755);
}
