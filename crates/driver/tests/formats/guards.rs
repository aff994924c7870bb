//! What is never applied, and what line ends become.

use rehearsal_driver::worker::format::guard::{Finding, Guard, Judged, Limits, Weight, judge, settle};
use rehearsal_driver::worker::format::{Change, Eol, Owned, Speaks};

fn judged(path: &str, old: Option<&str>, new: &str, limits: &Limits) -> Judged {
    let file = old.map_or_else(|| Owned::create(path), |old| Owned::edit(path, old));
    let change = Change { path: path.to_owned(), contents: new.to_owned() };
    judge(&[change], Speaks::FinalNewline, &[file], limits)
}

fn found(path: &str, old: Option<&str>, new: &str) -> Vec<&'static str> {
    let judged = judged(path, old, new, &Limits::default());
    judged.findings.iter().map(|finding| finding.guard.name()).collect()
}

#[test]
fn q56_a_line_that_stands_for_code_left_out_is_refused() {
    for line in [
        "// ... existing code ...",
        "    # ... existing code ...",
        "// rest of the code unchanged",
        "// Rest of the code remains unchanged.",
        "// The rest of the file stays the same",
        "# (rest of the function unchanged)",
        "# ... rest of your code here ...",
        "/* … */",
        "/* ... */",
        "// ...",
        "# …",
        "<!-- rest of the page: existing content unchanged -->",
        "<!-- ... other sections ... -->",
        "{/* ... other components ... */}",
        "-- ... remaining columns",
        "; ... same as before",
        "% ... keep the rest",
        "// ... more methods",
        "// Other methods remain the same",
        "// [previous code remains unchanged]",
        "# Existing code here",
        "# existing code...",
        "// omitted for brevity",
        "// Imports omitted for clarity",
        "// unchanged",
        "// (no changes)",
        "// same as before",
        "# keep the rest of the file as is",
        "* ... remaining implementation ...",
        "... existing code ...",
        "[... rest of the file unchanged ...]",
        "… remaining lines …",
        "\"\"\"... rest of the module unchanged ...\"\"\"",
    ] {
        let new = format!("fn a() {{}}\n{line}\nfn b() {{}}\n");
        assert_eq!(found("a.rs", Some("fn a() {}\n"), &new), ["placeholder"], "{line}");
        assert_eq!(found("a.rs", None, &new), ["placeholder"], "{line}");
        assert_eq!(found("a.rs", Some(&format!("x\n  {line}  \ny\n")), &new), Vec::<&str>::new(), "{line}");
    }
    let refused = judged("a.rs", None, "a\n\n  // ...\n", &Limits::default());
    assert!(refused.is_refused());
    assert_eq!(refused.findings[0].guard, Guard::Placeholder { line: 3, text: "// ...".to_owned() });
    assert_eq!(
        refused.findings[0].to_string(),
        "a.rs: line 3 stands for text that was left out (\"// ...\"); the whole text is needed"
    );
}

#[test]
fn q56_code_strings_and_sentences_about_such_things_stay_allowed() {
    for line in [
        "print(\"... existing code ...\")",
        "let s = \"// rest of the code unchanged\";",
        "x = 1  # ... existing code ...",
        "...",
        "    ...",
        "(...)",
        "def f(): ...",
        "...args",
        "{ ...existing, ...other }",
        "[...rest]",
        "...previous,",
        "foo(...rest, ...same);",
        "// The rest of the file is read when it is asked for.",
        "// Loading the remaining items...",
        "# waits for other workers...",
        "// leave the sign unchanged",
        "// This is the same code as the one that the parser has, since both see the text before any change was made",
        "# TODO: implement",
        "// your code here",
        "# pragma: no cover",
        "# rest",
        "#",
        "//",
        "* * *",
        "--",
        ";",
        "-- the rest is for the other table",
        "match x { .. }",
        "Some(..) => {}",
    ] {
        assert_eq!(found("a.py", None, &format!("a\n{line}\nb\n")), Vec::<&str>::new(), "{line}");
    }
    for line in [
        "# Unchanged",
        "### Existing code",
        "* unchanged",
        "More of the same...",
        "...and so on for the rest.",
    ] {
        assert_eq!(found("CHANGES.md", None, &format!("a\n{line}\nb\n")), Vec::<&str>::new(), "{line}");
    }
    assert_eq!(found("README.md", None, "<!-- ... rest unchanged ... -->\n"), ["placeholder"]);
}

#[test]
fn q57_a_file_of_ten_lines_that_shrinks_below_half_is_refused_unless_asked_for() {
    let lines = |count: usize| "some text\n".repeat(count);
    for (before, after, expected) in [
        (10, 4, true),
        (10, 5, false),
        (9, 1, false),
        (100, 49, true),
        (100, 50, false),
        (11, 0, true),
        (10, 20, false),
    ] {
        let names = found("a", Some(&lines(before)), &lines(after));
        assert_eq!(names == ["shrink"], expected, "{before} {after} {names:?}");
    }
    assert_eq!(found("a", Some(&lines(10)), &"x\n".repeat(10)), ["shrink"]);
    let crlf = lines(10).replace('\n', "\r\n");
    assert_eq!(found("a", Some(&crlf), &lines(4)), ["shrink"]);
    let limits = Limits { allow_shrink: true, ..Limits::default() };
    let allowed = judged("a", Some(&lines(10)), &lines(4), &limits);
    assert!(!allowed.is_refused() && allowed.changes.len() == 1);
    let finding = &allowed.findings[0];
    assert_eq!(
        (finding.weight, &finding.guard),
        (Weight::Overridden, &Guard::Shrink { before: 10, after: 4 })
    );
}

#[test]
fn q60_contents_that_are_there_already_are_no_op_and_not_written() {
    let same = judged("a", Some("\u{FEFF}a\r\nb\r\n"), "a\nb\n", &Limits::default());
    assert_eq!(
        same,
        Judged {
            changes: vec![],
            findings: vec![Finding { path: "a".to_owned(), guard: Guard::NoOp, weight: Weight::Noted }]
        }
    );
    assert!(!same.is_refused());
    assert_eq!(found("a", Some(""), ""), ["no_op"]);
    assert_eq!(found("a", None, ""), Vec::<&str>::new());
    assert_eq!(found("a", Some("// ...\0\n"), "// ...\0\n"), ["no_op"]);
}

#[test]
fn sizes_are_capped_in_bytes_per_file_and_in_all() {
    let limits = Limits { file: 10, total: 15, allow_shrink: false };
    let owned = [Owned::create("a"), Owned::create("b"), Owned::create("c")];
    let change = |path: &str, contents: &str| Change { path: path.to_owned(), contents: contents.to_owned() };
    let changes = [change("a", &"é".repeat(5)), change("b", "12345"), change("c", "x")];
    let judged = judge(&changes, Speaks::Everything, &owned, &limits);
    assert_eq!(judged.findings.len(), 1);
    assert_eq!(judged.findings[0].path, "c");
    assert_eq!(judged.findings[0].guard, Guard::TooLargeInAll { bytes: 16, limit: 15 });
    let judged = judge(&[change("a", &"é".repeat(6))], Speaks::Everything, &owned, &limits);
    assert_eq!(judged.findings[0].guard, Guard::TooLarge { bytes: 12, limit: 10 });
    // Line ends and the mark count as they are written.
    let file = Owned::edit("a", "\u{FEFF}a\r\n");
    let judged = judge(&[change("a", "b\nc\nd\n")], Speaks::FinalNewline, &[file], &limits);
    assert_eq!(judged.findings[0].guard, Guard::TooLarge { bytes: 12, limit: 10 });
}

#[test]
fn a_nul_is_no_text() {
    let judged = judged("a", None, "a\nb\0\n\0", &Limits::default());
    assert_eq!(judged.findings[0].guard, Guard::NulByte { line: 2 });
    assert!(judged.is_refused());
}

#[test]
fn q58_line_ends_of_whole_files_become_those_of_the_file() {
    for (old, sent, expected) in [
        ("a\r\nb\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nB\nc\r\n", "a\r\nB\r\nc\r\n"),
        ("a\rb\r", "a\nB\n", "a\rB\r"),
        ("a\nb\n", "a\r\nB\r\n", "a\r\nB\r\n"),
        ("a\nb\n", "a\nB\n", "a\nB\n"),
        ("a\r\nb\nc\r\nd\n", "a\nB\nB\nc\nd\n", "a\r\nB\nB\nc\r\nd\n"),
        ("a\r\nb\n", "a\r\nB\r\n", "a\r\nB\r\n"),
        ("a\r\nb\n", "a\n", "a\r\n"),
        ("", "a\n", "a\n"),
        ("\u{FEFF}a\n", "b\n", "\u{FEFF}b\n"),
        ("\u{FEFF}a\n", "\u{FEFF}b\n", "\u{FEFF}b\n"),
        ("a\n", "\u{FEFF}b\n", "b\n"),
        ("\u{FEFF}\u{FEFF}a\n", "\u{FEFF}b\n", "\u{FEFF}\u{FEFF}b\n"),
    ] {
        let file = Owned::edit("a", old);
        assert_eq!(settle(sent, Speaks::FinalNewline, &file), expected, "{old:?} {sent:?}");
    }
    let new = Owned::create("a");
    assert_eq!(settle("\u{FEFF}a\r\nb\n", Speaks::Lines, &new), "\u{FEFF}a\r\nb\n");
}

#[test]
fn q58_the_final_line_end_is_the_models_in_json_and_the_files_in_fences() {
    for (speaks, old, sent, expected) in [
        (Speaks::FinalNewline, "a", "b\n", "b\n"),
        (Speaks::FinalNewline, "a\n", "b", "b"),
        (Speaks::Lines, "a", "b\n", "b"),
        (Speaks::Lines, "a\r\nb", "b\nc\n", "b\r\nc"),
        (Speaks::Lines, "a\rb", "b\nc\n", "b\rc"),
        (Speaks::Lines, "a\n", "b\n", "b\n"),
        (Speaks::Lines, "", "b\n", "b\n"),
        (Speaks::Lines, "a", "", ""),
        (Speaks::Lines, "a", "b\n\n", "b\n"),
        (Speaks::Everything, "a", "b\n", "b\n"),
        (Speaks::Everything, "a\r\n", "b\n", "b\n"),
    ] {
        assert_eq!(settle(sent, speaks, &Owned::edit("a", old)), expected, "{speaks:?} {old:?} {sent:?}");
    }
}

#[test]
fn line_ends_are_told_apart() {
    for (text, eol) in [
        ("", Eol::None),
        ("a", Eol::None),
        ("a\nb", Eol::Lf),
        ("a\r\nb", Eol::CrLf),
        ("a\rb", Eol::Cr),
        ("a\r\nb\n", Eol::Mixed),
        ("a\r\r\n", Eol::Mixed),
        ("a\n\r", Eol::Mixed),
    ] {
        assert_eq!(Eol::of(text), eol, "{text:?}");
    }
    let file = Owned::edit("a", "\u{FEFF}x\r\ny");
    assert_eq!((file.text.as_deref(), file.bom, file.final_newline), (Some("x\r\ny"), true, false));
}
