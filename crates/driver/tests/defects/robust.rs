//! D30 to D32, D34 and D40: which files an answer may touch, and how they are written in it.

use crate::stand::*;
use rehearsal_driver::wave::{Item, Wave, WaveError};
use rehearsal_driver::worker::format;
use rehearsal_driver::worker::format::guard::Limits;
use rehearsal_driver::worker::ownership::{Protection, Set, SetError, as_one};
use rehearsal_driver::worker::task::Task;

/// `./a.py` and `a.py` were two files, and `s\c.py` was read as one and written as another.
#[test]
fn d30_a_file_has_one_name_and_an_answer_may_spell_it_a_little_otherwise() {
    for name in ["./a.py", "s\\c.py", "s//c.py", "s/./c.py", "s/../a.py", "s/c.py/", "e\u{301}.py"] {
        assert!(
            matches!(Set::new(&[(name, Edit)], &Protection::default()), Err(SetError::Name(_))),
            "{name}"
        );
    }
    for said in ["s/c.py", "./s/c.py", "s\\c.py", ".\\s\\c.py"] {
        let stand = Stand::with(&[("s/c.py", "one\n")]);
        let done = stand.work(&[("s/c.py", Edit)], vec![says(&patch(&[(said, "two\n")]))]);
        assert!(done.is_applied(), "{said}: {}", done.json());
        assert_eq!(done.report.leniencies.is_empty(), said == "s/c.py");
        stand.holds("s/c.py", "two\n");
        assert!(!stand.at("s\\c.py").exists() && !stand.at(".\\s\\c.py").exists());
    }
    let strict =
        Task { reading: rehearsal_driver::worker::ownership::Reading::Strict, ..task(&[("a.py", Edit)]) };
    let stand = Stand::with(&[("a.py", "one\n")]);
    let done = stand.work_as(strict, manner(), vec![says(&patch(&[("./a.py", "two\n")]))]);
    assert_eq!(done.came(), ("failed", "ownership_violation"));
}

/// A file that was not there could not be made.
#[test]
fn d31_a_new_file_is_made_where_that_was_said_and_nowhere_else() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let owns = [("a.py", Edit), ("deep/er/new.py", Create)];
    let done = stand.work(&owns, vec![says(&patch(&[("deep/er/new.py", "x = 1\n"), ("a.py", "two\n")]))]);
    assert!(done.is_applied(), "{}", done.json());
    stand.holds("deep/er/new.py", "x = 1\n");
    stand.holds("a.py", "two\n");
    assert_eq!(done.report.files[0].before, None);
    for (name, mode) in [("gone.py", Edit), ("a.py", Create)] {
        let done = stand.work(&[(name, mode)], vec![says(&patch(&[(name, "evil\n")]))]);
        assert_eq!((done.came(), done.asked.len()), (("failed", "config"), 0), "{name}: {}", done.json());
    }
    stand.holds("a.py", "two\n");
}

/// Of two contents for one file the last won; ten megabytes, nothing new, something left to do and no file at all were successes.
#[test]
fn d32_duplicates_floods_and_nothing_are_told_apart_from_work() {
    let large = "x".repeat(Limits::default().file + 1);
    let unfinished = patch(&[("a.py", "two\n")]).replace("true", "false");
    for (answer, came) in [
        (patch(&[("a.py", "two\n"), ("a.py", "three\n")]), ("failed", "ownership_violation")),
        (patch(&[("a.py", "two\n"), ("./a.py", "two\n")]), ("failed", "ownership_violation")),
        (patch(&[("a.py", &large)]), ("failed", "format")),
        (patch(&[("a.py", "one\n")]), ("no_op", "-")),
        (patch(&[]), ("no_op", "-")),
        (unfinished, ("incomplete", "-")),
    ] {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let task = Task { repairs: 0, ..task(&[("a.py", Edit)]) };
        let usage = r#"{"prompt_tokens":100000,"completion_tokens":1000000}"#;
        let done =
            stand.work_as(task, manner(), vec![received(message(&quoted(&answer), r#""stop""#, usage))]);
        assert_eq!(done.came(), came, "{}", done.json());
        assert!(!done.report.outcome.is_ok() && done.report.files.is_empty());
        stand.holds("a.py", "one\n");
    }
    assert_eq!(Set::new(&[], &Protection::default()), Err(SetError::Empty));
}

/// Two items could own one file where its name was spelt in two ways.
#[test]
fn d34_two_names_that_some_file_system_takes_for_one_are_not_owned_twice() {
    for (one, other) in [
        ("a.py", "A.py"),
        ("é.py", "É.py"),
        ("straße.py", "STRASSE.py"),
        ("\u{212a}.py", "k.py"),
        ("ﬁle.py", "file.py"),
        ("s", "S/c.py"),
        ("a.py", "a.py"),
    ] {
        let item = |slug: &str, path: &str| Item {
            slug: slug.to_owned(),
            owns: vec![path.to_owned()],
            after: Vec::new(),
        };
        let wave = Wave::begin(vec![item("one", one), item("other", other)], as_one);
        assert!(matches!(wave, Err(WaveError::Overlap { .. })), "{one} {other}");
        assert!(
            Set::new(&[(one, Create), (other, Create)], &Protection::default()).is_err(),
            "{one} {other}"
        );
    }
    // What is no canonical name is no name at all.
    for name in ["./a.py", "a//b.py", "e\u{301}.py"] {
        assert!(Set::new(&[(name, Create)], &Protection::default()).is_err(), "{name}");
    }
}

/// Code had to be written as a JSON string, which models write worse than code.
#[test]
fn d40_whole_files_between_fences_are_a_format_without_any_json() {
    let code = "def f():\n    return \"\"\"a \\ \"b\" 'c'\n\t\\n {\"x\": [1]}\n\"\"\"\n";
    for (name, answer) in [
        ("fenced", format!("src/a.py\n````python\n{code}````\n\nDONE\n")),
        ("diff", {
            let lines: String = code.lines().map(|line| format!("+{line}\n")).collect();
            let count = code.lines().count();
            format!(
                "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1,{count} @@\n-old = 1\n{lines}```\n\nDONE\n"
            )
        }),
    ] {
        let stand = Stand::with(&[("src/a.py", "old = 1\n")]);
        let task = Task { format: format::find(name).unwrap(), ..task(&[("src/a.py", Edit)]) };
        let done = stand.work_as(task, manner(), vec![says(&answer)]);
        assert!(done.is_applied(), "{name}: {}", done.json());
        stand.holds("src/a.py", code);
        assert!(!done.asked[0].body.contains("response_format"), "{name}");
    }
}
