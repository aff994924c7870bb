//! Random texts: nothing panics, what is rendered reads back, diffs do what they say.

use super::differ::{diff, hunks, rows, script};
use super::{files, read};
use proptest::prelude::*;
use rehearsal_driver::worker::format::guard::{Guard, Limits, judge, settle};
use rehearsal_driver::worker::format::ladder::{Ladder, LimitField, Refusal, Rung, Shape, Verdict};
use rehearsal_driver::worker::format::{Change, Eol, FORMATS, Owned, Speaks};
use rehearsal_wire::json::write_string;

const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "```",
    "```\n",
    "```diff\n",
    "~~~~\n",
    "````\n",
    "---",
    "--- a/a.txt\n",
    "+++ b/a.txt\n",
    "--- /dev/null\n",
    "+++ b/n.txt\n",
    "+++ /dev/null\n",
    "@@ -1,2 +1,2 @@\n",
    "@@ -0,0 +1 @@\n",
    "@@\n",
    "@@ -1,18446744073709551615 +18446744073709551615,1 @@\n",
    " one\n",
    "-one\n",
    "+one\n",
    " two\n",
    "-two\n",
    "+x\n",
    "-- \n",
    "\\ No newline at end of file\n",
    "diff --git a/a.txt b/a.txt\n",
    "diff --git a/n.txt b/n.txt\n",
    "new file mode 100644\n",
    "index 1..2\n",
    "a.txt\n",
    "n.txt\n",
    "**`a.txt`**:\n",
    "<think>",
    "</think>",
    "DONE\n",
    "NOT DONE\n",
    "é",
    "\u{FEFF}",
    "\0",
    "json",
    "\"files\"",
    "\"path\"",
    "\"contents\"",
    "\"summary\"",
    "\"done\"",
    "true",
    "{\"files\":[],\"summary\":\"\",\"done\":true}",
    "{\"path\":\"a.txt\",\"contents\":\"x\"}",
    "\\ud800",
    "// ... existing code ...\n",
    "...",
    "…",
    "/*",
    "<!--",
];

/// Lines that look like parts of every format.
const LINES: &[&str] = &[
    "a",
    "b",
    "c",
    "",
    "  ",
    "-- x",
    "++ y",
    "@@ -1 +1 @@",
    "\\ No newline",
    "diff --git a/q b/q",
    "```",
    "~~~~",
    "````rust",
    "a.txt",
    "{",
    "é",
];

fn noise() -> impl Strategy<Value = String> {
    let pieces =
        prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat());
    prop_oneof![8 => pieces, 1 => any::<String>()]
}

/// A text of lines that end so; the last one perhaps does not.
fn text(ends: &'static [&'static str]) -> impl Strategy<Value = String> {
    let line = (prop::sample::select(LINES), prop::sample::select(ends));
    (prop::collection::vec(line, 0..14), any::<bool>()).prop_map(|(lines, bare)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        if bare && let Some((line, _)) = lines.last().filter(|(line, _)| !line.is_empty()) {
            text.truncate(text.trim_end_matches(['\r', '\n']).len().max(text.rfind(line).unwrap_or(0)));
        }
        text
    })
}

fn path() -> impl Strategy<Value = String> {
    "[a-zé_.][a-z0-9_/.\\\\-]{0,12}[a-z]"
}

/// Whole files as the formats write them.
fn render(format: &str, changes: &[Change], summary: &str, done: bool) -> String {
    match format {
        "json_patch" => {
            let mut out = b"{\"files\":[".to_vec();
            for (i, change) in changes.iter().enumerate() {
                out.extend_from_slice(if i == 0 { b"{\"path\":" } else { b",{\"path\":" });
                write_string(&mut out, &change.path);
                out.extend_from_slice(b",\"contents\":");
                write_string(&mut out, &change.contents);
                out.push(b'}');
            }
            out.extend_from_slice(b"],\"summary\":");
            write_string(&mut out, summary);
            out.extend_from_slice(format!(",\"done\":{done}}}").as_bytes());
            String::from_utf8(out).unwrap()
        }
        "fenced" => {
            let mut out = format!("{summary}\n\n");
            for change in changes {
                let runs = change.contents.lines().map(|line| line.chars().take_while(|c| *c == '`').count());
                let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
                out += &format!("{}\n{fence}\n{}{fence}\n\n", change.path, change.contents);
            }
            out + if done { "DONE\n" } else { "NOT DONE" }
        }
        _ => {
            let diffs: String =
                changes.iter().map(|change| diff(&change.path, None, &change.contents)).collect();
            format!("{summary}\n```diff\n{diffs}```\n{}", if done { "DONE" } else { "NOT DONE\n" })
        }
    }
}

fn shape() -> Shape {
    Shape {
        rung: Rung::JsonSchema,
        temperature: true,
        limit: Some(LimitField::MaxTokens),
        system: true,
        stream_options: true,
        reasoning: false,
    }
}

proptest! {
    #[test]
    fn no_text_panics_in_any_format_and_no_change_names_a_path_that_the_answer_did_not(
        text in noise(),
        old in noise(),
    ) {
        let owned = [Owned::edit("a.txt", &old), Owned::create("n.txt")];
        for row in FORMATS {
            match (row.parse)(&text, &owned) {
                Ok(answer) => {
                    for change in &answer.changes {
                        prop_assert!(text.contains(&change.path) || text.contains('\\'), "{}: {:?}", row.name, change.path);
                    }
                    let judged = judge(&answer.changes, row.speaks, &owned, &Limits::default());
                    prop_assert!(judged.changes.len() <= answer.changes.len());
                }
                Err(error) => prop_assert!(error.to_string().chars().count() <= 2200),
            }
        }
    }

    #[test]
    fn what_is_rendered_reads_back_in_every_format(
        contents in prop::collection::vec((path(), text(&["\n"])), 1..4),
        summary in "[A-Z][a-z]{1,10} [a-z]{1,10}",
        done: bool,
    ) {
        let mut changes: Vec<Change> = Vec::new();
        for (path, mut contents) in contents {
            if !contents.is_empty() && !contents.ends_with('\n') {
                contents.push('\n');
            }
            if changes.iter().all(|change| change.path != path) && !path.starts_with("a/") && !path.starts_with("b/") {
                changes.push(Change { path, contents });
            }
        }
        for row in FORMATS.iter().filter(|_| !changes.is_empty()) {
            let text = render(row.name, &changes, &summary, done);
            let answer = read(row.name, &text, &[]);
            prop_assert!(answer.is_ok(), "{:?}\n{text}", answer);
            let answer = answer.unwrap();
            prop_assert_eq!(&answer.changes, &changes, "{}", text);
            prop_assert_eq!((answer.summary.as_deref(), answer.done, answer.leniencies), (Some(&*summary), done, vec![]));
        }
    }

    #[test]
    fn a_diff_between_two_texts_applied_to_the_first_gives_the_second(
        old in prop_oneof![text(&["\n"]), text(&["\r\n"])],
        new in text(&["\n"]),
    ) {
        let owned = [Owned::edit("a.txt", &old)];
        let expected = if owned[0].eol == Eol::CrLf { new.replace('\n', "\r\n") } else { new.clone() };
        let diff = diff("a.txt", Some(&old), &new);
        for text in [diff.clone(), format!("```diff\n{diff}```\n")] {
            let answer = read("diff", &text, &owned);
            prop_assert!(diff.is_empty() || answer.is_ok(), "{:?}\n{text}", answer);
            for (_, contents) in answer.iter().flat_map(files) {
                prop_assert_eq!(contents, expected.as_str(), "{}", text);
            }
        }
    }

    #[test]
    fn in_a_mixed_file_the_lines_that_a_diff_does_not_touch_keep_their_ends(
        old in text(&["\n", "\r\n"]),
        new in text(&["\n"]),
    ) {
        let diff = diff("a.txt", Some(&old), &new);
        prop_assume!(!diff.is_empty());
        let answer = read("diff", &diff, &[Owned::edit("a.txt", &old)]);
        prop_assert!(answer.is_ok(), "{:?}\n{diff}", answer);
        let answer = answer.unwrap();
        let result = files(&answer)[0].1;
        prop_assert_eq!(&result.replace("\r\n", "\n"), &new);
        let (before, after): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), result.split_inclusive('\n').collect());
        for (_, i, j) in script(&rows(&old), &rows(&new)).into_iter().filter(|step| step.0 == ' ') {
            prop_assert_eq!(before[i], after[j]);
        }
    }

    #[test]
    fn hunks_without_numbers_find_their_places_where_no_line_stands_twice(
        kept in prop::collection::vec(0..3_u8, 1..40),
        crlf: bool,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let old: String = (0..kept.len()).map(|i| format!("line {i}{end}")).collect();
        let new: String = kept.iter().enumerate().map(|(i, fate)| match fate {
            0 => format!("line {i}{end}"),
            1 => format!("line {i}{end}new {i}{end}"),
            _ => String::new(),
        }).collect();
        let hunks = hunks(&old, &new, 3);
        prop_assume!(!hunks.is_empty());
        let bare: String = hunks.lines().map(|line| if line.starts_with("@@") { "@@\n".to_owned() } else { format!("{line}\n") }).collect();
        let answer = read("diff", &format!("--- a.txt\n+++ a.txt\n{bare}"), &[Owned::edit("a.txt", &old)]);
        prop_assert!(answer.is_ok(), "{:?}\n{bare}", answer);
        let answer = answer.unwrap();
        prop_assert_eq!(files(&answer), [("a.txt", new.as_str())]);
    }

    #[test]
    fn a_file_that_comes_back_with_lf_is_no_change_whatever_its_ends(
        old in prop_oneof![text(&["\n"]), text(&["\r\n"]), text(&["\r"]), text(&["\n", "\r\n"])],
        bom: bool,
    ) {
        let marked = if bom { format!("\u{FEFF}{old}") } else { old.clone() };
        let file = Owned::edit("a.txt", &marked);
        let seen = if file.eol == Eol::Cr { old.replace('\r', "\n") } else { old.replace("\r\n", "\n") };
        for (speaks, seen) in [(Speaks::FinalNewline, seen), (Speaks::Everything, old)] {
            prop_assert_eq!(settle(&seen, speaks, &file), marked.clone());
            let change = Change { path: "a.txt".to_owned(), contents: seen };
            let judged = judge(&[change], speaks, std::slice::from_ref(&file), &Limits::default());
            prop_assert!(judged.changes.is_empty() && judged.findings[0].guard == Guard::NoOp);
        }
    }

    #[test]
    fn whatever_is_refused_the_ladder_ends_and_forgets_what_did_not_help(
        refusals in prop::collection::vec((
            prop::sample::select(&[400_u16, 422, 500, 404, 429][..]),
            prop::option::of(prop::sample::select(&["temperature", "max_tokens", "max_completion_tokens", "response_format", "messages", "x"][..])),
            prop::collection::vec(prop::sample::select(&["max_tokens ", "max_completion_tokens ", "temperature ", "stream_options ", "json_schema ", "system role ", "not supported ", "grammar failed "][..]), 0..4),
        ), 20),
    ) {
        let mut ladder = Ladder::new(shape());
        let mut again = 0;
        for (status, param, words) in &refusals {
            let message = words.concat();
            match ladder.refused(&Refusal { status: *status, param: *param, code: None, message: &message }) {
                Verdict::Again(_) => again += 1,
                Verdict::Final => {
                    again = 0;
                    prop_assert_eq!(ladder.shape(), shape());
                }
            }
            prop_assert!(again <= 6 && ladder.known() == shape());
        }
    }
}
