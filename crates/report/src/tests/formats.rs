//! The exact text of each format for one small run, and of those that tell rounds apart for a repeated one.

use super::{repeated, run, written};

fn same(format: &str, text: &str, wanted: &str) {
    assert_eq!(text, wanted.replace("\r\n", "\n"), "\n{format}:\n{text}");
}

#[test]
fn each_format_writes_this_run_as_it_always_did() {
    for (format, wanted) in [
        ("terminal", include_str!("expected/run.txt")),
        ("junit", include_str!("expected/run.xml")),
        ("markdown", include_str!("expected/run.md")),
        ("sarif", include_str!("expected/run.sarif")),
        ("inspect", include_str!("expected/run.inspect.json")),
    ] {
        same(format, &written(format, &run()), wanted);
    }
}

#[test]
fn a_repeated_run_has_one_row_a_case_and_one_testcase_a_round() {
    for (format, wanted) in [
        ("terminal", include_str!("expected/repeated.txt")),
        ("junit", include_str!("expected/repeated.xml")),
        ("markdown", include_str!("expected/repeated.md")),
    ] {
        same(format, &written(format, &repeated()), wanted);
    }
}
