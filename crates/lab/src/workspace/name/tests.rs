//! Every code of a name, the order in which they come, and what passes.

use super::*;
use proptest::prelude::*;

fn code(path: &str) -> &'static str {
    parts(path, 32).map_or_else(|(code, _)| code.word(), |_| "ok")
}

/// Codes and texts that have them.
const TABLE: &[(&str, &[&str])] = &[
    ("E_PATH_EMPTY", &["", "."]),
    ("E_PATH_NUL", &["a\0b", "\0", "/\0", "../\0"]),
    (
        "E_PATH_ABSOLUTE",
        &[
            "/",
            "/etc/passwd",
            "//server/share",
            r"\\server\share",
            r"\\?\C:\x",
            r"\x",
            "C:",
            "C:x",
            r"c:\x",
            "z:/x",
            "a:b",
            "~",
            "~/x",
            "~root/x",
            "~x",
            "/proc/self/cwd/x",
            "/proc/self/root/x",
            "/../x",
        ],
    ),
    (
        "E_PATH_PARENT",
        &["..", "../x", "a/..", "a/../b", "../../etc/cron.d/evil", r"..\..\evil", r"a\..\b", "../\n", "./.."],
    ),
    (
        "E_PATH_CONTROL",
        &[
            "a\nb",
            "a\rb",
            "a\tb",
            "\u{1b}[2J",
            "a\u{7f}",
            "a\u{85}b",
            "a\u{202e}txt.exe",
            "a\u{2066}b",
            "a\u{200b}b",
            "a\u{200d}b",
            "\u{feff}a",
            "a\u{ad}b",
            ".g\u{200c}it/x",
            "a\u{2028}b",
            "a\u{fe0f}",
            "a\u{e0041}b",
            "a\u{3164}b",
            "a\u{61c}b",
            "a\u{180e}b",
        ],
    ),
    ("E_PATH_ENCODING", &["e\u{301}", "a/u\u{308}", "\u{212b}", "\u{1100}\u{1161}", "\u{340}x"]),
    (
        "E_PATH_RESERVED",
        &[
            "./x",
            "a//b",
            "a/.",
            "a/",
            "a/./b",
            r"a\b",
            "ab:c",
            "notes:stream",
            "CON",
            "con",
            "nul.txt",
            "a/PRN",
            "aux.tar.gz",
            "COM1",
            "com9.x",
            "LPT1",
            "COM¹",
            "lpt³.txt",
            "CONIN$",
            "conout$.x",
            "COM0",
            "CON .txt",
            "x.",
            "x ",
            "a/x.",
            "x./a",
            " x",
            "a/ x",
            "...",
            "a...",
            "x\u{a0}",
            "\u{3000}x",
            "a?",
            "a*b",
            "<a",
            "a>",
            "a|b",
            "\"a",
        ],
    ),
    (
        "E_DENIED_PREFIX",
        &[
            ".git",
            ".git/hooks/pre-commit",
            ".GIT/config",
            "a/.Git/x",
            "a/b/.git",
            "git~1/x",
            "GIT~1",
            ".g\u{131}t/x",
            ".rehearsal",
            ".rehearsal/x",
            ".Rehearsal/x",
            "a/.rehearsal/x",
            ".rehearsal-x",
        ],
    ),
    (
        "E_SECRET_NAME",
        &[
            ".env",
            ".ENV",
            ".env.local",
            "prod.env",
            "a/.env",
            ".env/x",
            "key.pem",
            "KEY.PEM",
            "server.key",
            ".key",
            "id_rsa",
            "ID_RSA",
            "id_ed25519",
            "a/id_rsa/b",
            ".netrc",
            ".pgpass",
            "id_ecdsa",
            "id_dsa",
            ".git-credentials",
            ".env.example",
        ],
    ),
    (
        "ok",
        &[
            "a",
            "notes/run.txt",
            "a b",
            "...a",
            ".a",
            "..a",
            ".gitignore",
            ".github/x",
            "git",
            "env",
            "x.envy",
            "id_rsa.pub",
            "console",
            "com",
            "com10",
            "com1x",
            "lpt",
            "nul-x",
            "xnul.txt",
            "ünïcode/日本語.txt",
            "é",
            "a~",
            "a/~b",
            "a'b",
            "$HOME",
            "a;b",
            "-rf",
            "keys",
            "pem",
            "x.key.txt",
            ".rehearsals",
            "ß",
            "a=b",
            "%2e%2e",
            "%2e%2e/x",
            "a&b",
        ],
    ),
];

#[test]
fn each_text_that_is_no_path_has_its_code() {
    for (want, paths) in TABLE {
        for path in *paths {
            assert_eq!(code(path), *want, "{path:?}");
        }
    }
    // Its letters alone are in the way of this one.
    assert_eq!(code("server.\u{212a}ey"), "E_PATH_ENCODING");
}

#[test]
fn the_first_fault_is_told_in_a_fixed_order() {
    // Each has the fault that is told, and all that come after it.
    let nfd = "e\u{301}";
    let long = "x".repeat(300);
    for (want, path) in [
        ("E_PATH_NUL", format!("/../\0\n{nfd}{long}\\/.git/.env")),
        ("E_PATH_ABSOLUTE", format!("/../\n{nfd}{long}\\/.git/.env")),
        ("E_PATH_PARENT", format!("../\n{nfd}{long}\\/.git/.env")),
        ("E_PATH_CONTROL", format!("\n{nfd}{long}\\/.git/.env")),
        ("E_PATH_ENCODING", format!("{nfd}{long}\\/.git/.env")),
        ("E_PATH_TOO_LONG", format!("{long}\\/.git/.env")),
        ("E_PATH_RESERVED", "x\\/.git/.env".to_owned()),
        ("E_DENIED_PREFIX", ".git/.env/x\\".to_owned()),
        ("E_SECRET_NAME", ".env/.git/x\\".to_owned()),
    ] {
        assert_eq!(code(&path), want, "{path:?}");
    }
}

#[test]
fn lengths_and_depth_count_to_the_last() {
    assert_eq!(code(&"x".repeat(255)), "ok");
    assert_eq!(code(&["x".repeat(255).as_str(); 4].join("/")), "ok", "1,023 bytes");
    assert_eq!(code(&format!("{}/x", ["x".repeat(255).as_str(); 4].join("/"))), "E_PATH_TOO_LONG");
    assert_eq!(code(&"ä".repeat(128)), "E_PATH_TOO_LONG", "bytes are counted, not letters");
    assert_eq!(code(&"x".repeat(256)), "E_PATH_TOO_LONG");
    assert_eq!(code(&["x"; 32].join("/")), "ok");
    assert_eq!(code(&["x"; 33].join("/")), "E_PATH_TOO_LONG");
    assert!(parts("a/b", 2).is_ok() && parts("a/b/c", 2).is_err() && parts("a", 0).is_err());
}

#[test]
fn names_that_some_system_takes_for_one_fold_to_one() {
    for (one, other) in [
        ("README", "readme"),
        ("Straße", "STRASSE"),
        ("ΣΑΣ", "σας"),
        ("É", "e\u{301}"),
        ("\u{212a}", "k"),
        ("ſ", "S"),
        ("Ǆ", "ǆ"),
        ("ﬁ", "FI"),
    ] {
        assert_eq!(fold(one), fold(other), "{one} {other}");
    }
    for (one, other) in [("a", "b"), ("a", "á"), ("ss", "s"), ("i", "j")] {
        assert_ne!(fold(one), fold(other), "{one} {other}");
    }
}

#[test]
fn a_path_in_a_message_moves_no_cursor_and_hides_nothing() {
    for (path, want) in [
        ("notes/run.txt", "notes/run.txt"),
        ("a\nok: forged", "a\\nok: forged"),
        ("\u{1b}[2J", "\\u{1b}[2J"),
        ("a\u{202e}b", "a\\u{202e}b"),
        ("a\0b", "a\\u{0}b"),
        (r"..\evil", r"..\\evil"),
        ("a\\n", "a\\\\n"),
        ("日本", "日本"),
    ] {
        assert_eq!(escaped(path), want);
    }
    let long = escaped(&"ä".repeat(1000));
    assert!(long.ends_with("ä…") && long.len() < 300, "{long}");
}

proptest! {
    #[test]
    fn what_passes_is_written_in_one_way_only(path in r#"(?s)[ -~\n\u{301}\u{202e}éßİ/\\.:~]{0,40}"#) {
        if let Ok(parts) = parts(&path, 32) {
            prop_assert_eq!(parts.join("/"), path.as_str());
            prop_assert_eq!(path.nfc().collect::<String>(), path.as_str());
            prop_assert_eq!(escaped(&path), path.as_str());
            for part in parts {
                prop_assert!(!matches!(part, "" | "." | "..") && part.len() <= PART);
                prop_assert!(!part.contains(['/', '\\', ':', '\0', '<', '>', '"', '|', '?', '*']));
                prop_assert!(part.trim() == part && !part.ends_with('.'));
            }
        }
    }

    #[test]
    fn any_text_is_judged(path in any::<String>(), depth in 0_usize..40) {
        drop(parts(&path, depth));
        prop_assert!(!escaped(&path).chars().any(char::is_control));
    }

    #[test]
    fn folding_twice_is_folding_once(name in any::<String>()) {
        let once = fold(&name);
        prop_assert_eq!(fold(&once), once);
    }
}
