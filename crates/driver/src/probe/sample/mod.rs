//! Accuracy: small editing tasks whose one right result is known, asked as a worker asks and judged by exact rules.
//!
//! Each fixture has as many variations as there are seeds; sample number k is fixture k modulo their count, in variation k divided
//! by it, so that a later run goes on where an earlier one ended.

mod code;
mod dice;
mod measure;
mod text;

pub use measure::{Measured, Sampled, measure};

use dice::Dice;

/// A small editing task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The fixture that it comes from.
    pub fixture: &'static str,
    /// What is to be done.
    pub prompt: String,
    /// The file.
    pub path: &'static str,
    /// What is in it.
    pub before: String,
    /// What is to be in it then; any of these.
    pub wanted: Vec<String>,
    /// How exactly.
    pub rule: Rule,
}

/// When two texts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Byte for byte.
    Bytes,
    /// Line by line: the same indentation and line end, and the same otherwise but for white space inside the line.
    Code,
}

/// A way to make tasks.
#[derive(Clone, Copy, Debug)]
pub struct Fixture {
    /// Its name.
    pub name: &'static str,
    make: fn(&mut Dice) -> Made,
}

/// A task without the name of its fixture.
struct Made {
    prompt: String,
    path: &'static str,
    before: String,
    wanted: Vec<String>,
    rule: Rule,
}

/// All fixtures. Results of different lists are never added up: [`VERSION`] grows with every change.
pub const FIXTURES: &[Fixture] = &[
    Fixture { name: "rename_function", make: code::rename_function },
    Fixture { name: "off_by_one", make: code::off_by_one },
    Fixture { name: "add_branch", make: code::add_branch },
    Fixture { name: "json_key", make: text::json_key },
    Fixture { name: "keep_crlf", make: text::keep_crlf },
    Fixture { name: "constant", make: code::constant },
    Fixture { name: "remove_line", make: code::remove_line },
    Fixture { name: "add_import", make: code::add_import },
    Fixture { name: "heading", make: text::heading },
    Fixture { name: "no_final_newline", make: text::no_final_newline },
];

/// Version of the fixtures.
pub const VERSION: u64 = 1;

/// The sample with this number, from 0.
#[must_use]
pub fn sample(number: u64) -> Sample {
    let count = FIXTURES.len() as u64;
    let fixture = &FIXTURES[usize::try_from(number % count).unwrap_or(0)];
    let Made { prompt, path, before, wanted, rule } =
        (fixture.make)(&mut Dice::new(fixture.name, number / count));
    Sample { fixture: fixture.name, prompt, path, before, wanted, rule }
}

impl Sample {
    /// Whether a file that holds this is the right result.
    #[must_use]
    pub fn is_right(&self, after: &str) -> bool {
        self.wanted.iter().any(|wanted| match self.rule {
            Rule::Bytes => wanted == after,
            Rule::Code => lines(wanted).eq(lines(after)),
        })
    }
}

/// The lines of a text as [`Rule::Code`] compares them: indentation, words without white space, line end.
fn lines(text: &str) -> impl Iterator<Item = (&str, String, &str)> {
    text.split_inclusive('\n').map(|line| {
        let words = line.trim_end_matches(['\n', '\r']);
        let end = &line[words.len()..];
        let bare = words.trim_start_matches([' ', '\t']);
        let indent = if bare.is_empty() { "" } else { &words[..words.len() - bare.len()] };
        (indent, bare.chars().filter(|letter| !letter.is_whitespace()).collect(), end)
    })
}

#[cfg(test)]
mod tests;
