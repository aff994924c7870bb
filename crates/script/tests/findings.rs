//! Faulty files and what is said of them: every mistake, with its place and its hint.
//!
//! `data/faulty.txt` holds blocks: `=== name`, the file, `~~~`, the findings without the file's name. Several files of one
//! suite follow each other with `+++ name`.

use rehearsal_script::{File, Known, lint};
use rehearsal_wire::fault::FAULTS;

const TABLE: &str = include_str!("data/faulty.txt");

fn regex(pattern: &str) -> Result<(), String> {
    if pattern.contains('(') && !pattern.contains(')') { Err("unclosed group".to_owned()) } else { Ok(()) }
}

fn findings(files: &[File<'_>]) -> String {
    let (rules, codes) =
        (["tool-description", "pairing"], ["exit-status", "output-contains", "files", "tried-to-leave"]);
    let known = Known { rules: &rules, faults: FAULTS, codes: &codes, regex, steps: &[], refusals: &[] };
    lint(files, &known).iter().map(|finding| format!("{finding}\n")).collect()
}

#[test]
fn every_mistake_is_found_where_it_stands() {
    let (mut wrong, mut blocks, mut whole) = (Vec::new(), 0, String::new());
    for block in TABLE.split("=== ").skip(1) {
        let (text, wanted) = block.split_once("\n~~~\n").unwrap_or_else(|| panic!("no ~~~ in {block}"));
        let files: Vec<(&str, &str)> =
            text.split("\n+++ ").map(|file| file.split_once('\n').unwrap_or((file, ""))).collect();
        let files: Vec<File<'_>> =
            files.iter().map(|(name, text)| File { name, bytes: text.as_bytes() }).collect();
        let found = findings(&files);
        if found.trim_end() != wanted.trim_end() {
            wrong.push(files[0].name.to_owned());
        }
        whole.push_str(&format!("=== {text}\n~~~\n{found}\n"));
        blocks += 1;
    }
    assert!(blocks >= 100, "only {blocks} files");
    assert!(wrong.is_empty(), "{wrong:?} differ; the table as it comes out:\n{whole}");
}
