//! Every kind of name that was seen to lead astray, and what becomes of it.

use super::*;
use proptest::prelude::*;

const EDIT: Mode = Mode::Edit;

fn set(names: &[&str]) -> Result<Set, SetError> {
    let entries: Vec<_> = names.iter().map(|name| (*name, EDIT)).collect();
    Set::new(&entries, &Protection::default())
}

fn violation(set: &Set, path: &str, reading: Reading) -> Option<ViolationKind> {
    set.fit(&[(path, Change::Write)], reading).err().map(|violation| violation.kind)
}

#[test]
fn takes_plain_names() {
    let longest = format!("src/{}", "x".repeat(255));
    for name in
        ["a.py", "src/deep/er/mod.rs", ".gitignore", "a b.txt", "...x", "ünï/кот.md", "日本.txt", &longest]
    {
        assert_eq!(Name::new(name).map(|name| name.to_string()), Ok(name.to_owned()));
    }
}

#[test]
fn refuses_names_that_lead_elsewhere_or_have_another_spelling() {
    let long = "x".repeat(256);
    let very_long = "abc/".repeat(1000) + "d";
    let three_hundred = format!("src/{}/a.py", "é".repeat(150));
    for name in [
        "",
        "/etc/passwd",
        "/",
        "..",
        "../a",
        "a/../b",
        "a/..",
        ".",
        "./a.py",
        "a/./b",
        "a//b",
        "a/",
        "a\0b",
        "a\nb",
        "a\u{7f}",
        "a\u{85}b",
        "s\\c.py",
        "C:/a",
        "c:a",
        "a.py:stream",
        "a.py ",
        "a.py.",
        "dir /a",
        "dir./a",
        ".git/config",
        "sub/.git/hooks/pre-commit",
        ".GIT/x",
        ".Git",
        "GIT~1/config",
        ".g\u{200c}it/config",
        "\u{feff}a.py",
        "a\u{202e}yp.py",
        "e\u{301}.py",
        ".\u{ff47}it/config",
        &long,
        &very_long,
        &three_hundred,
    ] {
        assert!(Name::new(name).is_err(), "{name:?}");
    }
}

#[test]
fn refuses_sets_in_which_two_names_may_be_one_file() {
    for (one, other) in [
        ("a.py", "a.py"),
        ("a.py", "A.py"),
        ("src/a", "SRC/A"),
        ("straße", "STRASSE"),
        ("ς.txt", "σ.txt"),
        ("\u{212b}", "å"),
        ("É.py", "é.py"),
        ("ﬁle", "FILE"),
        ("k", "\u{212a}"),
    ] {
        let found = set(&["first", one, other]);
        // Some of these are refused as names already: they are in no normal form.
        assert!(matches!(found, Err(SetError::Same(..) | SetError::Name(_))), "{one} {other}: {found:?}");
    }
    assert_eq!(set(&["a", "A"]), Err(SetError::Same("a".to_owned(), "A".to_owned())));
}

#[test]
fn refuses_a_file_above_another() {
    let above = |one: &str, other: &str| Err(SetError::Above(one.to_owned(), other.to_owned()));
    assert_eq!(set(&["a/b", "a"]), above("a", "a/b"));
    assert_eq!(set(&["SRC", "x", "src/deep/a.py"]), above("SRC", "src/deep/a.py"));
    // What sorts between a folder and what is in it hides nothing.
    assert_eq!(set(&["a", "a-b", "a.b", "a/b"]), above("a", "a/b"));
    assert!(set(&["ab", "a/b", "abc/d"]).is_ok());
}

#[test]
fn refuses_empty_and_endless_sets() {
    assert_eq!(set(&[]), Err(SetError::Empty));
    let many: Vec<_> = (0..=MOST_ENTRIES).map(|at| format!("f{at}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert_eq!(set(&many), Err(SetError::TooMany(MOST_ENTRIES + 1)));
    assert!(set(&many[1..]).is_ok());
}

#[test]
fn a_reply_names_entries_byte_by_byte() {
    let set = set(&["a.py", "sub/b.py"]).unwrap();
    let fits = set.fit(&[("sub/b.py", Change::Write), ("a.py", Change::Edit)], Reading::Strict).unwrap();
    assert_eq!(fits.iter().map(|fit| fit.entry).collect::<Vec<_>>(), [1, 0]);
    assert!(fits.iter().all(|fit| fit.leniencies.is_empty()));
    for path in [
        "./a.py",
        "A.py",
        "a.py ",
        " a.py",
        "a.py/",
        "sub/../a.py",
        "/a.py",
        "../a.py",
        "a.py\0",
        "",
        "sub\\b.py",
        "sub//b.py",
        "b.py",
    ] {
        assert_eq!(violation(&set, path, Reading::Strict), Some(ViolationKind::Stranger), "{path:?}");
    }
    assert_eq!(set.fit(&[], Reading::Strict), Ok(Vec::new()));
}

#[test]
fn a_lenient_reading_overlooks_two_things_and_tells_them() {
    let set = set(&["a.py", "sub/b.py"]).unwrap();
    let overlooked =
        |path| set.fit(&[(path, Change::Write)], Reading::Lenient).map(|mut fits| fits.remove(0).leniencies);
    assert_eq!(overlooked("a.py"), Ok(Vec::new()));
    assert_eq!(overlooked("./a.py"), Ok(vec![Leniency::LeadingDot]));
    assert_eq!(overlooked("sub\\b.py"), Ok(vec![Leniency::Backslash]));
    assert_eq!(overlooked(".\\sub\\b.py"), Ok(vec![Leniency::Backslash, Leniency::LeadingDot]));
    for path in ["././a.py", "A.py", "a.py ", "sub/../a.py", "..\\a.py", "/a.py", "C:\\a.py", "sub\\\\b.py"] {
        assert_eq!(violation(&set, path, Reading::Lenient), Some(ViolationKind::Stranger), "{path:?}");
    }
    let twice = set.fit(&[("a.py", Change::Write), ("./a.py", Change::Write)], Reading::Lenient).unwrap_err();
    assert_eq!((twice.path.as_str(), twice.kind), ("./a.py", ViolationKind::Duplicate));
}

#[test]
fn a_reply_keeps_to_the_modes() {
    let set = Set::new(&[("old", Mode::Edit), ("new", Mode::Create)], &Protection::default()).unwrap();
    let kind =
        |path, change| set.fit(&[(path, change)], Reading::Strict).err().map(|violation| violation.kind);
    assert_eq!(kind("old", Change::Write), None);
    assert_eq!(kind("new", Change::Write), None);
    assert_eq!(kind("old", Change::Edit), None);
    assert_eq!(kind("new", Change::Create), None);
    assert_eq!(kind("old", Change::Create), Some(ViolationKind::NotCreated));
    assert_eq!(kind("new", Change::Edit), Some(ViolationKind::NotEdited));
    assert_eq!(kind("old", Change::Delete), Some(ViolationKind::Deleted));
    assert_eq!(kind("new", Change::Delete), Some(ViolationKind::Deleted));
}

#[test]
fn two_names_may_be_one_where_no_set_can_hold_both() {
    let names = ["a.py", "A.py", "a", "a/b", "a/B/c", "ab", "straße", "STRASSE/x", "é"];
    for (at, one) in names.iter().enumerate() {
        for other in &names[at..] {
            let found = set(&[one, other]).is_err();
            let (one_parts, other_parts) = (as_one(one), as_one(other));
            let meet = one_parts.starts_with(&other_parts) || other_parts.starts_with(&one_parts);
            assert_eq!(meet, found, "{one} {other}");
        }
    }
}

#[test]
fn what_a_worker_is_judged_by_is_never_owned() {
    for name in [
        "conftest.py",
        "pkg/conftest.py",
        "CONFTEST.py",
        "pytest.ini",
        "setup.cfg",
        "tox.ini",
        "pyproject.toml",
        "web/package.json",
        "sitecustomize.py",
        "lib/x.pth",
        "Makefile",
        "makefile",
        "sub/GNUmakefile",
        ".github/workflows/ci.yml",
        "tests/a.txt",
        "pkg/tests/deep/data.json",
        "test_a.py",
        "a_test.py",
        "a_test.go",
        "src/a.test.ts",
        "a.spec.js",
        ".envrc",
        "tests",
    ] {
        assert_eq!(set(&["a.py", name]), Err(SetError::Protected(name.to_owned())), "{name}");
    }
    assert!(
        set(&[
            "contest.py",
            "src/attests/a.py",
            "testing.py",
            "latest.py",
            "package.json5",
            "src/mod.rs",
            "x.pthx"
        ])
        .is_ok()
    );
}

#[test]
fn a_caller_protects_more() {
    let protection =
        Protection::with(&["oracle.py", "golden/", "/data/expected.json", "gen_*_x*.rs", "a/b.txt"]);
    for name in [
        "oracle.py",
        "sub/Oracle.py",
        "golden/x",
        "sub/golden/deep/x",
        "data/expected.json",
        "gen_1_xy.rs",
        "z/a/b.txt",
    ] {
        assert!(protection.covers(name), "{name}");
    }
    for name in [
        "oracle.pyc",
        "goldens/x",
        "sub/data/expected.json",
        "gen_x.rs",
        "gen__y.rs",
        "a/c/b.txt",
        "oracle.py/x",
    ] {
        assert!(!protection.covers(name), "{name}");
    }
    assert!(protection.covers("conftest.py"), "the usual ones stay");
}

proptest! {
    #[test]
    fn any_name_that_is_taken_stays_below_its_folder(path in "[a-zA-Zé./\\\\: \u{0}\u{200c}]{0,12}|\\PC{0,20}") {
        if let Ok(name) = Name::new(&path) {
            prop_assert_eq!(name.as_str(), &path);
            prop_assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..") && part.len() <= 255));
            prop_assert!(!path.contains(['\\', ':', '\0']) && !path.starts_with('/'));
            let set = set(&[&path]);
            prop_assert!(matches!(set, Ok(_) | Err(SetError::Protected(_))));
        }
    }

    #[test]
    fn any_reply_fits_only_what_is_equal(owned in "[ab/.]{1,4}", path in "[abA/.\\\\]{0,6}") {
        if let Ok(set) = set(&[&owned]) {
            prop_assert_eq!(violation(&set, &path, Reading::Strict).is_none(), path == owned);
            let read = path.replace('\\', "/");
            let read = read.strip_prefix("./").unwrap_or(&read);
            prop_assert_eq!(violation(&set, &path, Reading::Lenient).is_none(), read == owned);
        }
    }
}
