//! Unified diffs: headers, hunks whose numbers are wrong, line ends, and what a diff may not do.

use super::{fault, files, leniencies, read};
use rehearsal_driver::worker::format::{Answer, At, FormatError, Owned};

const TEN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn ten() -> Vec<Owned> {
    vec![Owned::edit("a.txt", TEN), Owned::create("new.txt")]
}

fn apply(hunks: &str, file: &str) -> Result<Answer, FormatError> {
    read("diff", &format!("```diff\n--- a/a.txt\n+++ b/a.txt\n{hunks}```\n"), &[Owned::edit("a.txt", file)])
}

#[track_caller]
fn gives(hunks: &str, file: &str, expected: &str, with: &[&str]) {
    let answer = apply(hunks, file).unwrap_or_else(|error| panic!("{error}\n{hunks}"));
    assert_eq!(files(&answer), [("a.txt", expected)], "{hunks}");
    assert_eq!(leniencies(&answer), with, "{hunks}");
}

#[track_caller]
fn refused(text: &str, code: &str) {
    assert_eq!(fault(read("diff", text, &ten())).0, code, "{text}");
}

const RIGHT: &str = "@@ -2,3 +2,4 @@ fn x\n two\n-three\n+3\n+3.5\n four\n";

#[test]
fn a_diff_is_read_with_every_usual_header_in_a_fence_or_bare() {
    let expected = TEN.replace("three\n", "3\n3.5\n");
    for header in [
        "--- a/a.txt\n+++ b/a.txt\n",
        "--- a.txt\n+++ a.txt\n",
        "--- a/a.txt\n+++ a.txt\n",
        "--- a.txt\n+++ b/a.txt\n",
        "--- a.txt\t2024-01-01 00:00:00\n+++ a.txt\t2024-01-02 00:00:00\n",
        "--- \"a/a.txt\"\n+++ \"b/\\141.txt\"\n",
        "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n",
        "diff --git a/a.txt b/a.txt\nindex 1..2 100755\n--- a/a.txt\n+++ b/a.txt\n",
        "Index: a.txt\n=====\n--- a.txt\n+++ a.txt\n",
    ] {
        for (open, close) in
            [("```diff\n", "```\nDONE"), ("", ""), ("````patch\n", "````"), ("", "\n"), ("", "DONE\n")]
        {
            let text = format!("{open}{header}{RIGHT}{close}");
            let answer = read("diff", &text, &ten()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(files(&answer), [("a.txt", expected.as_str())], "{text}");
            assert_eq!(leniencies(&answer), Vec::<&str>::new(), "{text}");
            assert!(answer.done);
        }
    }
    let crlf = format!("```diff\n--- a/a.txt\n+++ b/a.txt\n{RIGHT}```\n").replace('\n', "\r\n");
    assert_eq!(files(&read("diff", &crlf, &ten()).unwrap())[0].1, expected);
}

#[test]
fn names_are_read_as_the_owned_file_they_can_mean() {
    let owned = [Owned::edit("b/a.txt", "x\n"), Owned::edit("ä b.txt", "x\n")];
    for header in ["--- a/b/a.txt\n+++ b/b/a.txt\n", "--- b/a.txt\n+++ b/a.txt\n"] {
        let answer = read("diff", &format!("{header}@@ -1 +1 @@\n-x\n+y\n"), &owned).unwrap();
        assert_eq!(files(&answer), [("b/a.txt", "y\n")]);
    }
    let text = "diff --git \"a/\\303\\244 b.txt\" \"b/\\303\\244 b.txt\"\n--- \"a/\\303\\244 b.txt\"\n+++ \"b/\\303\\244 b.txt\"\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(files(&read("diff", text, &owned).unwrap()), [("ä b.txt", "y\n")]);
}

#[test]
fn new_files_come_from_dev_null() {
    for (text, expected) in [
        ("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"),
        (
            "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n",
            "a",
        ),
        ("diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 000..e69\n", ""),
        ("--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1 @@\n+a\n", "a\n"),
        ("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\r\n+b\r\n", "a\r\nb\r\n"),
        ("--- /dev/null\r\n+++ b/new.txt\r\n@@ -0,0 +1,2 @@\r\n+a\r\n+b\r\n", "a\nb\n"),
    ] {
        assert_eq!(files(&read("diff", text, &ten()).unwrap()), [("new.txt", expected)], "{text}");
    }
    let stranger = "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+a\n";
    assert_eq!(files(&read("diff", stranger, &ten()).unwrap()), [("../x", "a\n")]);
    refused("--- /dev/null\n+++ b/new.txt\n+a\n+b\n", "no_hunks");
    refused("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\n", "exists");
    refused("--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n", "unknown_file");
    refused("--- a/new.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-a\n+b\n", "hunk_not_found");
}

#[test]
fn several_files_and_several_hunks_go_together() {
    let text = "Two changes.\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -9,2 +9,3 @@\n nine\n ten\n+11\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+n\n```\nand\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -5,1 +5,1 @@\n-five\n+5\n```\nNOT DONE";
    let answer = read("diff", text, &ten()).unwrap();
    let expected = TEN.replace("one", "1").replace("five", "5") + "11\n";
    assert_eq!(files(&answer), [("a.txt", expected.as_str()), ("new.txt", "n\n")]);
    assert_eq!((answer.summary.as_deref(), answer.done), (Some("Two changes.\nand"), false));
    gives(
        "@@ -9,1 +9,1 @@\n-nine\n+9\n@@ -1,1 +1,1 @@\n-one\n+1\n",
        TEN,
        &TEN.replace("one", "1").replace("nine", "9"),
        &[],
    );
}

#[test]
fn a_hunk_with_wrong_numbers_stands_where_its_lines_are() {
    let expected = TEN.replace("three\n", "3\n");
    let body = " two\n-three\n+3\n four\n";
    for header in [
        "@@ -7,3 +7,3 @@",
        "@@ -2,9 +2,1 @@",
        "@@ -2,3 +2,4 @@",
        "@@",
        "@@ ... @@",
        "@@ -0,0 +1,3 @@",
        "@@ -99999999999999999999999,1 +1 @@",
    ] {
        gives(&format!("{header}\n{body}"), TEN, &expected, &["hunk_numbers"]);
    }
    gives(
        "@@ -1,2 +1,1 @@\n one\n-two\n@@ -8,9 +3,4 @@\n eight\n-nine\n+9\n\n",
        TEN,
        &TEN.replace("two\n", "").replace("nine", "9"),
        &["hunk_numbers"],
    );
}

#[test]
fn a_removed_line_that_looks_like_a_header_is_one_line_by_the_counts() {
    gives("@@ -1,3 +1,3 @@\n a\n--- x\n+++ y\n b\n", "a\n-- x\nb\n", "a\n++ y\nb\n", &[]);
}

#[test]
fn white_space_at_line_ends_is_forgiven_and_kept() {
    gives("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c  \n", "a \t\nb  \nc\n", "a \t\nB\nc\n", &["trailing_space"]);
    gives("@@ -1,4 +1,4 @@\n a\n\n-b\n+B\n c\n", "a\n\nb\nc\n", "a\n\nB\nc\n", &["blank_context"]);
    gives("@@ -1,4 +1,4 @@\n a\n \n-b\n+B\n c\n", "a\n\nb\nc\n", "a\n\nB\nc\n", &[]);
    assert_eq!(fault(apply("@@ -1,1 +1,1 @@\n-  a\n+b\n", "a\n")).0, "hunk_not_found");
}

#[test]
fn a_hunk_that_fits_twice_or_nowhere_is_refused_with_what_is_there() {
    let twice = "x\na\ny\nx\na\ny\n";
    let error = apply("@@ -9,1 +9,1 @@\n x\n-a\n+b\n y\n", twice).unwrap_err();
    assert_eq!((error.code, &error.at), ("hunk_ambiguous", &At::Line(4)));
    assert!(
        error.what.contains("hunk 1 of 1 for \"a.txt\" fits at line 1 of the file as well as at line 4"),
        "{error}"
    );
    gives("@@ -4,3 +4,3 @@\n x\n-a\n+b\n y\n", twice, "x\na\ny\nx\nb\ny\n", &[]);
    let error = apply("@@ -1,1 +1,1 @@\n-one\n+1\n@@ -4,4 +4,4 @@\n four\n five\n-sixx\n+6\n seven\n", TEN)
        .unwrap_err();
    assert_eq!((error.code, &error.at), ("hunk_not_found", &At::Line(7)));
    for part in [
        "hunk 2 of 2",
        "at line 6 the file has \"six\", the hunk has \"sixx\"",
        "     5 | five",
        "     8 | eight",
    ] {
        assert!(error.what.contains(part), "{error}");
    }
    let error = apply("@@ -3,1 +3,1 @@\n-nowhere\n+1\n", TEN).unwrap_err();
    assert!(error.what.contains("     3 | three"), "{error}");
    assert!(apply("@@ -3,1 +3,1 @@\n-nowhere\n+1\n", "").unwrap_err().what.contains("the file has no lines"));
}

#[test]
fn hunks_that_cannot_be_placed_or_read_are_refused() {
    for (hunks, code) in [
        ("@@ -2,0 +3,1 @@\n+x\n", "hunk_without_context"),
        ("@@\n+x\n", "hunk_without_context"),
        ("@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -2,2 +2,2 @@\n-two\n+zwei\n three\n", "hunks_overlap"),
        ("@@ -1,1 +1,1 @@\n one\n", "hunk_empty"),
        ("@@ -1,3 +1,3 @@\n one\n-two\n+2\nthree\n", "hunk_line"),
        ("@@ -1,1 +1,1 @@\n-one\n+1\nstray\n", "hunk_line"),
        ("@@ -1,1 +1,1 @@\n-one\n+1\n\n+stray\n", "hunk_line"),
        ("", "no_hunks"),
        ("-one\n+1\n", "no_hunks"),
    ] {
        assert_eq!(fault(apply(hunks, TEN)).0, code, "{hunks}");
    }
    refused("@@ -1 +1 @@\n-one\n+1\n", "hunk_without_file");
    refused("```diff\n--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n```", "rename");
    refused("```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n", "fence_unterminated");
    refused("```python\nx\n```\n", "other_fence");
    refused("I changed it.", "no_diff");
    refused("", "no_diff");
    assert_eq!(files(&read("diff", "Nothing to do.\nDONE", &ten()).unwrap()), []);
}

#[test]
fn q59_links_modules_modes_deletions_and_renames_are_refused() {
    let git = "diff --git a/new.txt b/new.txt\n";
    let body = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+/etc/passwd\n";
    for (text, code) in [
        (format!("{git}new file mode 120000\n{body}"), "file_mode"),
        (format!("{git}new file mode 160000\n{body}"), "file_mode"),
        (format!("{git}new file mode 100755\n{body}"), "file_mode"),
        (format!("{git}new file mode 120000\n"), "file_mode"),
        (format!("{git}index 1..2 120000\n--- a/new.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-a\n+b\n"), "file_mode"),
        ("diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n".to_owned(), "file_mode"),
        (
            "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n".to_owned(),
            "deletion",
        ),
        ("--- a/a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n".to_owned(), "deletion"),
        (
            "diff --git a/a.txt b/c.txt\nsimilarity index 90%\nrename from a.txt\nrename to c.txt\n"
                .to_owned(),
            "rename",
        ),
        ("diff --git a/a.txt b/c.txt\ncopy from a.txt\n".to_owned(), "rename"),
        ("diff --git a/a.txt b/a.txt\nBinary files a/a.txt and b/a.txt differ\n".to_owned(), "binary"),
        ("diff --git a/a.txt b/a.txt\nGIT binary patch\n".to_owned(), "binary"),
        ("diff --git a/a.txt b/a.txt\n".to_owned(), "no_hunks"),
        (format!("{git}new file mode 100644\n--- a/new.txt\n+++ b/new.txt\n"), "half_new"),
    ] {
        refused(&text, code);
        refused(&format!("```diff\n{text}```"), code);
    }
}

#[test]
fn q58_the_result_keeps_the_files_own_line_ends() {
    let hunk = "@@ -1,4 +1,4 @@\n a\n-b\n+B\n+B2\n c\n d\n";
    for header in ["@@ -1,4 +1,5 @@", "@@ -9,4 +9,9 @@"] {
        let hunk = hunk.replace("@@ -1,4 +1,4 @@", header);
        let with: &[&str] = if header.contains('9') { &["hunk_numbers"] } else { &[] };
        gives(&hunk, "a\r\nb\r\nc\r\nd\r\n", "a\r\nB\r\nB2\r\nc\r\nd\r\n", with);
        gives(&hunk, "a\rb\rc\rd\r", "a\rB\rB2\rc\rd\r", with);
        gives(&hunk, "a\nb\r\nc\r\nd\n", "a\nB\r\nB2\r\nc\r\nd\n", with);
        gives(&hunk, "a\r\nb\nc\r\nd\n", "a\r\nB\nB2\nc\r\nd\n", with);
        gives(&hunk, "a\nb\nc\nd\n", "a\nB\nB2\nc\nd\n", with);
    }
    gives("@@ -1,2 +1,3 @@\n+0\n a\n b\n", "a\r\nb\n", "0\r\na\r\nb\n", &[]);
    gives("@@ -1,2 +1,2 @@\n a\rx\n-b\n+c\n", "a\rx\nb\n", "a\rx\nc\n", &[]);
}

#[test]
fn q58_the_end_of_the_file_is_what_the_diff_says_or_as_it_was() {
    let marker = "\\ No newline at end of file\n";
    for (hunk, file, expected) in [
        (format!("@@ -1,2 +1,2 @@\n a\n-b\n{marker}+c\n"), "a\nb", "a\nc\n"),
        (format!("@@ -1,2 +1,2 @@\n a\n-b\n{marker}+c\n{marker}"), "a\nb", "a\nc"),
        (format!("@@ -1,2 +1,2 @@\n a\n-b\n+c\n{marker}"), "a\nb\n", "a\nc"),
        ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n".to_owned(), "a\nb", "a\nc"),
        ("@@ -1,2 +1,3 @@\n a\n b\n+c\n".to_owned(), "a\nb", "a\nb\nc"),
        ("@@ -1,2 +1,3 @@\n a\n b\n+c\n".to_owned(), "a\r\nb", "a\r\nb\r\nc"),
        (format!("@@ -1,2 +1,3 @@\n a\n-b\n{marker}+b\n+c\n"), "a\r\nb", "a\r\nb\r\nc\r\n"),
        ("@@ -1,2 +1,2 @@\n-a\n+A\n b\n".to_owned(), "a\nb", "A\nb"),
        ("@@ -1,2 +1,1 @@\n a\n-b\n".to_owned(), "a\nb", "a\n"),
        ("@@ -1,1 +0,0 @@\n-a\n".to_owned(), "a\n", ""),
        ("@@ -0,0 +1,1 @@\n+a\n".to_owned(), "", "a\n"),
    ] {
        gives(&hunk, file, expected, &[]);
    }
}

#[test]
fn a_mailed_patch_with_its_signature_is_read() {
    let text = format!(
        "From 1 Mon Sep 17\nSubject: x\n\n---\n a.txt | 2 +-\n\n--- a/a.txt\n+++ b/a.txt\n{RIGHT}-- \n2.43.0\n\n"
    );
    assert_eq!(files(&read("diff", &text, &ten()).unwrap())[0].1, TEN.replace("three\n", "3\n3.5\n"));
}

#[test]
fn q14_a_diff_inside_a_leading_think_block_is_none() {
    let text = format!(
        "<think>--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n</think>\n--- a/a.txt\n+++ b/a.txt\n{RIGHT}"
    );
    let answer = read("diff", &text, &ten()).unwrap();
    assert_eq!(files(&answer)[0].1, TEN.replace("three\n", "3\n3.5\n"));
    assert_eq!(leniencies(&answer), ["think_block"]);
}

/// Sizes at which a careless search takes minutes.
#[test]
fn large_files_and_many_hunks_take_no_time_to_speak_of() {
    let same = "x\n".repeat(100_000);
    let wanted = "-x\n".repeat(20_000);
    assert_eq!(fault(apply(&format!("@@\n{wanted}+y\n"), &same)).0, "hunk_ambiguous");
    assert_eq!(fault(apply(&format!("@@\n{wanted}-y\n"), &same)).0, "hunk_not_found");
    let almost = format!("{}y\n", "x\n".repeat(49_999)).repeat(2);
    assert_eq!(fault(apply(&format!("@@\n{wanted}-z\n+y\n"), &almost)).0, "hunk_not_found");
    let lines: String = (0..20_000).map(|i| format!("line {i}\n")).collect();
    let hunks: String = (0..20_000).map(|i| format!("@@\n-line {i}\n+new {i}\n")).collect();
    gives_new(&hunks, &lines);
    let sections: String =
        (0..20_000).map(|i| format!("--- /dev/null\n+++ b/{i}\n@@ -0,0 +1 @@\n+a\n")).collect();
    assert_eq!(read("diff", &sections, &ten()).unwrap().changes.len(), 20_000);
    assert_eq!(fault(apply(&"@@\n-one\n+1\n".repeat(20_000), TEN)).0, "hunks_overlap");
}

fn gives_new(hunks: &str, lines: &str) {
    assert_eq!(files(&apply(hunks, lines).unwrap())[0].1, lines.replace("line", "new"));
}
