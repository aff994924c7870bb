//! D01 to D07: wrong results and loss.

use crate::stand::*;
use rehearsal_driver::endpoint::Metered;
use rehearsal_journal::digest;
use rehearsal_world::dial::DialError;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Three answers that are JSON and no answer, each another.
fn invalid(number: u32) -> Play {
    says(&format!(r#"{{"files":[{{"path":"a.py","contents":"evil {number}"}}]}}"#))
}

/// It wrote the last answer that was JSON, whether it followed the schema or not, even after two failures of the wire.
#[test]
fn d01_an_answer_that_breaks_the_schema_is_never_applied_though_it_is_the_last() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let done = stand.work(&[("a.py", Edit)], vec![invalid(1), invalid(2), invalid(3)]);
    assert_eq!((done.came(), done.asked.len()), (("failed", "format"), 3));
    let broken = || breaks(DialError::Reset);
    let done = stand.work(&[("a.py", Edit)], vec![invalid(1), broken(), broken(), broken()]);
    assert_eq!((done.came(), done.asked.len()), (("failed", "connect"), 4));
    assert!(done.report.files.is_empty());
    stand.holds("a.py", "one\n");
}

/// It wrote the file, stumbled over the tokens, and called that a failure that wrote nothing.
#[test]
fn d02_tokens_that_are_none_do_not_turn_a_success_into_a_failure() {
    for usage in [
        "null",
        "[]",
        "[1,2]",
        r#""many""#,
        "7",
        r#"{"total_tokens":null}"#,
        r#"{"total_tokens":"9"}"#,
        r#"{"prompt_tokens":{},"completion_tokens":[]}"#,
    ] {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let answer = message(&quoted(&patch(&[("a.py", "two\n")])), r#""stop""#, usage);
        let done = stand.work(&[("a.py", Edit)], vec![received(answer)]);
        assert!(done.is_applied(), "{usage}: {}", done.json());
        assert_eq!(done.report.files[0].path, "a.py");
        assert_eq!(done.report.spent.unwrap().metered, Metered::None, "{usage}");
        stand.holds("a.py", "two\n");
    }
}

/// It emptied the second file, left the first replaced, and named neither.
#[test]
fn d03_a_lone_surrogate_in_one_file_leaves_all_of_them_as_they_were() {
    let stand = Stand::with(&[("a.py", "one\n"), ("b.py", "old\n")]);
    for half in [r"\ud800", r"\udc00", r"\udc00\ud800", r"x\ud83dy"] {
        let answer = format!(
            r#"{{"files":[{{"path":"a.py","contents":"two\n"}},{{"path":"b.py","contents":"{half}"}}],"summary":"s","done":true}}"#
        );
        let plays = vec![says(&answer)];
        let task =
            rehearsal_driver::worker::task::Task { repairs: 0, ..task(&[("a.py", Edit), ("b.py", Edit)]) };
        let done = stand.work_as(task, manner(), plays);
        assert_eq!(done.came(), ("failed", "format"), "{half}: {}", done.json());
        stand.holds("a.py", "one\n");
        stand.holds("b.py", "old\n");
    }
    // Half of a character in the provider's own string, too.
    let twice = format!("\"{}\"", patch(&[("a.py", "X")]).replace('"', "\\\"").replace('X', r"\ud800"));
    let done = stand.work(&[("a.py", Edit)], vec![received(message(&twice, r#""stop""#, USAGE))]);
    assert_ne!(done.came().0, "applied", "{}", done.json());
    stand.holds("a.py", "one\n");
}

/// That this process works, and may write no large file.
const LIMITED: &str = "REHEARSAL_DEFECT_LIMITED";

/// The first file stayed replaced where the second could not be written, and the report named none.
#[test]
fn d04_a_second_file_that_cannot_be_written_leaves_the_first_as_it_was() {
    if std::env::var_os(LIMITED).is_none() {
        // A process that may write no file above some kilobytes, and lives on where it tries: the disk is full for one file alone.
        let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact loss::d04_a_second_file_that_cannot_be_written_leaves_the_first_as_it_was";
        let mut alone = Command::new("sh");
        alone.args(["-c", script]).arg(std::env::current_exe().unwrap()).env(LIMITED, "1").arg0("sh");
        let output = alone.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let stand = Stand::with(&[("a.py", "one\n"), ("b.py", "old\n"), ("c.py", "c\n")]);
    let large = "x = 1\n".repeat(40_000);
    let answer = patch(&[("a.py", "two\n"), ("b.py", &large), ("c.py", "d\n")]);
    let done = stand.work(&[("a.py", Edit), ("b.py", Edit), ("c.py", Edit)], vec![says(&answer)]);
    assert_eq!(done.came(), ("failed", "write"), "{}", done.json());
    for (name, text) in [("a.py", "one\n"), ("b.py", "old\n"), ("c.py", "c\n")] {
        stand.holds(name, text);
        let file = done.report.files.iter().find(|file| file.path == name).unwrap();
        assert_eq!((file.fate, &file.after), (rehearsal_world::owned::Fate::RolledBack, &file.before));
    }
    assert_eq!(std::fs::read_dir(stand.at("")).unwrap().count(), 3, "nothing is left beside them");
}

/// It never looked at the finish reason where the JSON happened to be whole.
#[test]
fn d05_what_was_cut_or_held_back_is_never_applied_however_whole_it_looks() {
    for (finish, class) in
        [("length", "truncated"), ("content_filter", "filtered"), ("max_tokens", "truncated")]
    {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let good = quoted(&patch(&[("a.py", "two\n")]));
        let done =
            stand.work(&[("a.py", Edit)], vec![received(message(&good, &format!("\"{finish}\""), USAGE))]);
        assert_eq!((done.came(), done.asked.len()), (("failed", class), 1), "{finish}");
        stand.holds("a.py", "one\n");
    }
}

/// It counted the last answer alone, nothing of a failure, and took -5, 1.5 and true for tokens.
#[test]
fn d06_tokens_of_all_attempts_are_summed_and_only_whole_numbers_are_tokens() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let usage = |prompt: u64| format!(r#"{{"prompt_tokens":{prompt},"completion_tokens":{prompt}}}"#);
    let told = |text: &str, usage: &str| received(message(&quoted(text), r#""stop""#, usage));
    let good = patch(&[("a.py", "two\n")]);
    let done = stand.work(&[("a.py", Edit)], vec![told("no json", &usage(1000)), told(&good, &usage(7000))]);
    let spent = done.report.spent.unwrap();
    assert_eq!((spent.prompt, spent.completion, spent.metered), (8000, 8000, Metered::All));
    // A failure costs, too.
    let plays = (0..3).map(|at| told(&format!("no json {at}"), &usage(1000 + at))).collect();
    let done = stand.work(&[("a.py", Edit)], plays);
    assert_eq!((done.came(), done.report.spent.unwrap().prompt), (("failed", "format"), 3003));
    for odd in ["-5", "1.5", "true", "1e400", "\"9\"", "null"] {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let usage = format!(r#"{{"prompt_tokens":{odd},"completion_tokens":4}}"#);
        let done = stand.work(&[("a.py", Edit)], vec![told(&good, &usage)]);
        let spent = done.report.spent.unwrap();
        assert!(done.is_applied(), "{odd}");
        assert_eq!((spent.prompt, spent.metered), (0, Metered::Some), "{odd}");
    }
}

/// It showed CR LF as LF, wrote LF back, and its digests were of the changed text.
#[test]
fn d07_line_ends_mark_and_last_line_stay_and_digests_are_of_the_bytes_on_the_disk() {
    for (old, said, new) in [
        ("one\r\ntwo\r\n", "one\nthree\n", "one\r\nthree\r\n"),
        ("\u{feff}one\r\ntwo\r\n", "one\nthree\n", "\u{feff}one\r\nthree\r\n"),
        ("one\r\ntwo", "one\nthree", "one\r\nthree"),
        ("one\rtwo\r", "one\nthree\n", "one\rthree\r"),
        ("one\ntwo\n", "one\nthree\n", "one\nthree\n"),
    ] {
        let stand = Stand::with(&[("a.py", old)]);
        let done = stand.work(&[("a.py", Edit)], vec![says(&patch(&[("a.py", said)]))]);
        assert!(done.is_applied(), "{old:?}: {}", done.json());
        stand.holds("a.py", new);
        let sum = |text: &str| Some(digest::text(&digest::of(text.as_bytes())));
        assert_eq!((&done.report.files[0].before, &done.report.files[0].after), (&sum(old), &sum(new)));
    }
}
