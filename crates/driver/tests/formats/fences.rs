//! Whole files in fences: path lines, fences inside files, what is text and what is a fault.

use super::{fault, files, leniencies, read};
use rehearsal_driver::worker::format::{At, Owned};

fn owned() -> Vec<Owned> {
    vec![Owned::edit("src/a.py", "old\n"), Owned::create("my notes.txt"), Owned::create("Makefile")]
}

#[track_caller]
fn taken(text: &str, expected: &[(&str, &str)], with: &[&str]) {
    let answer = read("fenced", text, &owned()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(files(&answer), expected, "{text}");
    assert_eq!(leniencies(&answer), with, "{text}");
}

#[track_caller]
fn refused(text: &str, code: &str, line: usize) {
    assert_eq!(fault(read("fenced", text, &owned())), (code, At::Line(line)), "{text}");
}

#[test]
fn a_path_stands_alone_above_its_fence() {
    for path in ["src/a.py", "`src/a.py`", "**src/a.py**", "**`src/a.py`**", "`**src/a.py**`", "  src/a.py  "]
    {
        taken(&format!("{path}\n```\nx\n```\n"), &[("src/a.py", "x\n")], &[]);
    }
    taken("my notes.txt\n```\nx\n```", &[("my notes.txt", "x\n")], &[]);
    taken("`other notes.txt`\n```\nx\n```", &[("other notes.txt", "x\n")], &[]);
    taken("__init__.py\n~~~~python\nx\n~~~~", &[("__init__.py", "x\n")], &[]);
}

#[test]
fn a_path_line_that_is_not_quite_one_is_a_leniency_where_the_file_is_known() {
    for text in ["### src/a.py\n", "src/a.py:\n", "#### `src/a.py`:\n", "**src/a.py**:\n", "src/a.py\n\n"] {
        taken(&format!("{text}```\nx\n```"), &[("src/a.py", "x\n")], &["path_line"]);
    }
    refused("### stranger.py x\n```\nx\n```", "fence_without_path", 2);
}

#[test]
fn q17_a_fence_without_a_path_is_no_file() {
    refused("```bash\nls\n```", "fence_without_path", 1);
    refused("Then run this:\n```bash\nls\n```", "fence_without_path", 2);
    refused("src/a.py\n```\nx\n```\n```\ny\n```", "fence_without_path", 5);
    refused("- like so\n  ```\n  x\n  ```", "fence_indented", 2);
}

#[test]
fn a_stranger_is_read_like_any_other_path() {
    taken("../x\n```\nx\n```\n/etc/passwd\n```\ny\n```", &[("../x", "x\n"), ("/etc/passwd", "y\n")], &[]);
    taken("src/a.py\n```\n1\n```\nsrc/a.py\n```\n2\n```", &[("src/a.py", "1\n"), ("src/a.py", "2\n")], &[]);
}

#[test]
fn fences_of_other_lengths_and_marks_may_stand_inside() {
    taken(
        "README\n````markdown\na\n```bash\nls\n```\n~~~\n`````\n````\n",
        &[("README", "a\n```bash\nls\n```\n~~~\n`````\n")],
        &[],
    );
    taken("README\n~~~\n```\n~~~~\n~~~", &[("README", "```\n~~~~\n")], &[]);
    taken("README\n```\n```inline``` code\n ```\n```", &[("README", "```inline``` code\n ```\n")], &[]);
    refused("README\n```md\n```bash\nls\n```\n```\n", "fence_nested", 3);
}

#[test]
fn q22_a_fence_that_is_never_closed_is_a_fault() {
    refused("src/a.py\n```\nx\n", "fence_unterminated", 2);
    refused("src/a.py\n````\nx\n```\n", "fence_unterminated", 2);
    refused("src/a.py\n```\nx\n```\nb\n~~~\n```", "fence_unterminated", 6);
}

#[test]
fn text_outside_is_the_summary_and_the_last_line_says_whether_it_is_done() {
    let file = "src/a.py\n```\nx\n```\n";
    for (before, after, summary, done) in [
        ("", "", None, true),
        ("", "DONE", None, true),
        ("I did it.\n\n", "And more.\n\nDONE\n", Some("I did it.\n\nAnd more."), true),
        ("I did it.\n", "NOT DONE\n", Some("I did it."), false),
        ("", "**Not done.**\n\n", None, false),
        ("NOT DONE\n", "", None, false),
        ("NOT DONE\n", "more\n", Some("NOT DONE\nmore"), true),
        ("", "It is not done", Some("It is not done"), true),
    ] {
        let answer = read("fenced", &format!("{before}{file}{after}"), &owned()).unwrap();
        assert_eq!((answer.summary.as_deref(), answer.done), (summary, done), "{before}{after}");
    }
}

#[test]
fn an_answer_without_files_must_say_that_this_is_meant() {
    let answer = read("fenced", "Nothing to do.\nDONE", &[]).unwrap();
    assert_eq!((files(&answer), answer.summary.as_deref()), (vec![], Some("Nothing to do.")));
    for text in ["", "I cannot help with that."] {
        assert_eq!(fault(read("fenced", text, &[])), ("no_file", At::Whole));
    }
}

#[test]
fn q14_files_inside_a_leading_think_block_are_no_files() {
    let text = "<think>\nfirst\na\n```\nwrong\n```\n</think>\nsrc/a.py\n```\nright\n```";
    taken(text, &[("src/a.py", "right\n")], &["think_block"]);
    refused("<think>\n\n</think>\n```\nx\n```", "fence_without_path", 4);
}

#[test]
fn empty_files_and_line_ends_come_as_they_are() {
    taken("Makefile\n```\n```", &[("Makefile", "")], &[]);
    taken("Makefile\n```\n\n```", &[("Makefile", "\n")], &[]);
    taken("Makefile\n```\na\r\nb\rc\n```", &[("Makefile", "a\r\nb\rc\n")], &[]);
    taken("Makefile\r\n```make\r\na\r\nb\r\n```\r\nDONE\r\n", &[("Makefile", "a\nb\n")], &[]);
}
