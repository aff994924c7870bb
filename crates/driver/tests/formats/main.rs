//! The answer formats of a worker: tables of quirks as they were seen in the field, a corpus of hostile answers, random texts.
#![expect(clippy::unwrap_used, reason = "the tests stop at the first surprise")]

mod differ;
mod diffs;
mod envelopes;
mod fences;
mod guards;
mod hostile;
mod ladders;
mod random;

use rehearsal_driver::worker::format::{Answer, At, FORMATS, FormatError, Owned, find};

/// Reads an answer in a format.
fn read(format: &str, text: &str, owned: &[Owned]) -> Result<Answer, FormatError> {
    (find(format).unwrap().parse)(text, owned)
}

/// The names of an answer's leniencies.
fn leniencies(answer: &Answer) -> Vec<&'static str> {
    answer.leniencies.iter().map(|leniency| leniency.name()).collect()
}

/// Paths and contents.
fn files(answer: &Answer) -> Vec<(&str, &str)> {
    answer.changes.iter().map(|change| (change.path.as_str(), change.contents.as_str())).collect()
}

/// An error's code and place.
fn fault(result: Result<Answer, FormatError>) -> (&'static str, At) {
    let error = result.unwrap_err();
    assert!(error.to_string().chars().count() <= 2200 && !error.right.is_empty(), "{error}");
    (error.code, error.at)
}

#[test]
fn formats_have_different_names_and_tell_the_model_what_they_are() {
    for (i, row) in FORMATS.iter().enumerate() {
        assert!(FORMATS[..i].iter().all(|other| other.name != row.name));
        assert!(!row.summary.is_empty() && row.system.len() > 200, "{}", row.name);
    }
    assert!(find("json").is_none());
}

#[test]
fn the_json_system_text_holds_the_schema_word_for_word() {
    let row = find("json_patch").unwrap();
    assert!(row.system.contains(row.schema.unwrap().text));
}

/// What the system text shows the model, the parser must take.
#[test]
fn the_examples_in_the_system_texts_are_answers() {
    let fenced = find("fenced").unwrap();
    let start = fenced.system.find("src/example.txt").unwrap();
    let end = start + fenced.system[start..].find("\n\nIf ").unwrap();
    let answer = (fenced.parse)(&fenced.system[start..end], &[]).unwrap();
    assert_eq!(files(&answer), [("src/example.txt", "first line\nsecond line\n")]);
    let diff = find("diff").unwrap();
    let start = diff.system.find("```diff").unwrap();
    let end = start + diff.system[start..].find("\n\nEvery ").unwrap();
    let file = Owned::edit("src/example.txt", "an unchanged line\nthe line that goes\nan unchanged line\n");
    let answer = (diff.parse)(&diff.system[start..end], &[file]).unwrap();
    assert_eq!(files(&answer)[0].1, "an unchanged line\nthe line that comes\nan unchanged line\n");
}
