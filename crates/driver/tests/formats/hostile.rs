//! The corpus of hostile answers: each one's outcome stands beside it.

use super::{leniencies, read};
use rehearsal_driver::worker::format::guard::{Limits, judge};
use rehearsal_driver::worker::format::{FORMATS, Owned, find};

const CORPUS: &str = include_str!("hostile.txt");

fn owned() -> Vec<Owned> {
    let lines: String = (1..=12).map(|i| format!("line {i}\n")).collect();
    vec![Owned::edit("a.txt", &lines), Owned::create("n.txt")]
}

/// What comes of an answer: `error CODE`, or `taken` with paths, leniencies in brackets and guards in braces.
fn outcome(format: &str, text: &str) -> String {
    let answer = match read(format, text, &owned()) {
        Ok(answer) => answer,
        Err(error) => return format!("error {}", error.code),
    };
    let mut words = vec!["taken".to_owned()];
    words.extend(answer.changes.iter().map(|change| change.path.clone()));
    words.extend(leniencies(&answer).iter().map(|name| format!("[{name}]")));
    let judged = judge(&answer.changes, find(format).unwrap().speaks, &owned(), &Limits::default());
    words.extend(judged.findings.iter().map(|finding| format!("{{{}}}", finding.guard.name())));
    if !answer.done {
        words.push("unfinished".to_owned());
    }
    words.join(" ")
}

#[test]
fn every_hostile_answer_comes_out_as_the_corpus_says() {
    let mut faults = Vec::new();
    let mut count = 0;
    for entry in CORPUS.split("\n=== ").skip(1) {
        let (head, body) = entry.split_once('\n').unwrap();
        let (title, expected) = head.split_once(" => ").unwrap();
        let (format, _) = title.split_once(' ').unwrap();
        let body = body.replace("<<BOM>>", "\u{FEFF}").replace("<<CR>>", "\r").replace("<<NUL>>", "\0");
        let got = outcome(format, &body);
        if got != expected {
            faults.push(format!("{title}: {got}, expected {expected}"));
        }
        count += 1;
        for row in FORMATS {
            let _ = outcome(row.name, &body);
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert!(count >= 30, "{count} entries were read");
}
