//! Names beside each other that some system takes for one; and any text at all as a path.

use crate::stand::{Stand, code, names, refused};
use proptest::prelude::*;
use rehearsal_lab::workspace::{Policy, Workspace};
use std::fs;

#[test]
fn a_name_that_differs_only_in_case_is_refused_in_every_part() {
    let stand = Stand::new("case");
    let mut space = stand.open();
    space.write("Notes/Read.md", b"1").unwrap();
    space.write("straße", b"1").unwrap();
    for path in [
        "notes/x",
        "NOTES/Read.md",
        "Notes/READ.md",
        "Notes/read.md",
        "notes",
        "STRASSE",
        "Straße",
        "straße/x",
    ] {
        let want = if path == "straße/x" { "E_NOT_REGULAR" } else { "E_CASE_COLLISION" };
        assert_eq!(code(space.write(path, b"2")), want, "{path}");
        assert_eq!(code(space.read(path)), want, "{path}");
        assert_eq!(code(space.remove(path)), want, "{path}");
    }
    assert!(refused(space.write("notes/x", b"")).message.contains("`Notes` stands there"));
    assert_eq!(names(&stand.at("")), ["Notes", "straße"]);
    space.write("Notes/Read.md", b"2").unwrap();
}

#[test]
fn a_name_in_another_form_of_unicode_is_refused() {
    let stand = Stand::new("form");
    let mut space = stand.open();
    fs::write(stand.at("e\u{301}"), "decomposed").unwrap();
    assert_eq!(code(space.write("é", b"composed")), "E_CASE_COLLISION");
    assert_eq!(names(&stand.at("")), ["e\u{301}"]);
}

#[test]
fn of_two_names_that_are_there_one_can_be_removed() {
    let stand = Stand::new("two");
    let mut space = stand.open();
    for name in ["a", "A"] {
        fs::write(stand.at(name), name).unwrap();
    }
    assert_eq!(code(space.write("a", b"new")), "E_CASE_COLLISION");
    assert_eq!(code(space.read("A")), "E_CASE_COLLISION");
    space.remove("A").unwrap();
    space.write("a", b"new").unwrap();
    assert_eq!(names(&stand.at("")), ["a"]);
}

#[test]
fn a_policy_can_let_such_names_stand_side_by_side() {
    let stand = Stand::new("side");
    let mut space = stand.open_with(Policy { portable: false, ..Policy::default() });
    space.write("a", b"1").unwrap();
    space.write("A", b"2").unwrap();
    assert_eq!(names(&stand.at("")), ["A", "a"]);
}

/// Everything beneath a folder, as paths with `/`.
fn all(root: &std::path::Path, below: &str, out: &mut Vec<String>) {
    for name in names(&root.join(below)) {
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        match root.join(&path).is_dir() {
            true => all(root, &path, out),
            false => out.push(path),
        }
    }
}

/// Texts that are near to paths, and any others.
fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-cA-C]{1,2}",
        1 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just(String::new()),
        1 => Just("outside".to_owned()),
        1 => Just("secret".to_owned()),
        1 => Just("out".to_owned()),
        1 => "[ .~\\\\:é\u{301}]{1,3}",
    ];
    let near = proptest::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"));
    prop_oneof![3 => near, 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_as_a_path_makes_its_own_file_or_none(paths in proptest::collection::vec(path(), 1..20)) {
        let stand = Stand::new("any");
        std::os::unix::fs::symlink("../outside", stand.at("out")).unwrap();
        let mut space: Workspace = stand.open();
        let mut written = Vec::new();
        for path in &paths {
            if space.write(path, path.as_bytes()).is_ok() {
                written.push(path.clone());
                // What is taken is found again, under the same name.
                let read = space.read(path).unwrap();
                prop_assert_eq!(read.observed()["text"].as_str(), Some(path.as_str()));
            }
            stand.assert_untouched(path);
        }
        std::fs::remove_file(stand.at("out")).unwrap();
        written.sort();
        written.dedup();
        let mut found = Vec::new();
        all(&stand.at(""), "", &mut found);
        found.sort();
        prop_assert_eq!(found, written);
    }
}
