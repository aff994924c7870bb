//! Whole files in Markdown fences, each below a line with its path. Models write code better this way than inside JSON strings.

use super::answer::{At, quoted};
use super::fence::{self, Piece, bare};
use super::outside::said;
use super::peel::{lead, line_of};
use super::{Answer, Change, Format, FormatError, Leniency, Owned, Speaks};

/// The format's row.
pub const ROW: Format = Format {
    name: "fenced",
    summary: "whole files in Markdown fences below their paths; the easiest for most models",
    system: SYSTEM,
    schema: None,
    speaks: Speaks::Lines,
    parse,
};

const SYSTEM: &str = "For each file that you change, write a line with its path exactly as given and nothing else, directly below it a fence of three backticks, then the whole new contents, then the same fence alone on a line:

src/example.txt
```
first line
second line
```

If the file itself holds a line that begins with such a fence, use a longer fence around it, for example four backticks, and close with exactly as many. Never leave a part of a file out and never write a placeholder such as \"rest unchanged\": what you send replaces the file. Files that you do not change are not listed, and no other code stands in fences. Text outside the fences says in a sentence or two what you did. The last line is DONE when the task is finished, or NOT DONE when something is left to do; without such a line it counts as finished, except that an answer without files must have one.";

/// Reads an answer. Contents end with LF, unless they are empty, since a fence cannot say more.
///
/// # Errors
/// [`FormatError`] for a fence that is open, indented, or without its path, and for an answer that holds no file and no closing line.
pub fn parse(text: &str, owned: &[Owned]) -> Result<Answer, FormatError> {
    let mut leniencies = Vec::new();
    let start = lead(text, &mut leniencies);
    let mut outside = Vec::new();
    let mut changes = Vec::new();
    for piece in fence::pieces(&text[start..], line_of(text, start))? {
        match piece {
            Piece::Line { number, text } if fence::is_indented(text) => {
                let what = "an indented fence: it cannot be told whether it is a file";
                return Err(FormatError::new(
                    "fence_indented",
                    At::Line(number),
                    what,
                    "fences at the start of the line",
                ));
            }
            Piece::Line { text, .. } => outside.push(text),
            Piece::Block { number, lines, crlf, .. } => {
                let path = path_above(&mut outside, owned, &mut leniencies)
                    .ok_or_else(|| without_path(number, &outside))?;
                let cut = |line| if crlf { bare(line) } else { line };
                let contents = lines.into_iter().flat_map(|line| [cut(line), "\n"]).collect();
                changes.push(Change { path, contents });
            }
        }
    }
    let said = said(&outside);
    if changes.is_empty() && said.done.is_none() {
        let what = "there is no file in the answer, and no last line DONE or NOT DONE";
        let right = "each changed file's path on a line of its own, directly below it a fence with the whole contents";
        return Err(FormatError::new("no_file", At::Whole, what, right));
    }
    Ok(Answer { summary: said.summary, done: said.done.unwrap_or(true), changes, leniencies })
}

fn without_path(number: usize, outside: &[&str]) -> FormatError {
    let above = outside.iter().rev().find(|line| !line.trim().is_empty());
    let what = match above {
        Some(line) => format!("the line above this fence is no path: {}", quoted(line)),
        None => "there is no path above this fence".to_owned(),
    };
    FormatError::new(
        "fence_without_path",
        At::Line(number),
        what,
        "the file's path alone on the line above the fence",
    )
}

/// Takes the path line from the end of the lines so far.
fn path_above(outside: &mut Vec<&str>, owned: &[Owned], leniencies: &mut Vec<Leniency>) -> Option<String> {
    let at = outside.iter().rposition(|line| !line.trim().is_empty())?;
    let (path, strict) = path(outside[at], owned)?;
    if !strict || at + 1 != outside.len() {
        leniencies.push(Leniency::PathLine { path: path.clone() });
    }
    outside.truncate(at);
    Some(path)
}

/// The path that a line is, and whether it is written as it should be. A word of prose is not told from a stranger's path; a
/// line of several words is one only where a file is called so.
fn path(line: &str, owned: &[Owned]) -> Option<(String, bool)> {
    let is_owned = |name: &str| owned.iter().any(|file| file.path == name);
    let line = line.trim();
    if is_owned(line) {
        return Some((line.to_owned(), true));
    }
    let name = undecorated(line);
    let single = !name.contains(char::is_whitespace) && !name.ends_with(':');
    let ticked = line.contains('`') && !name.contains('`');
    if !name.is_empty() && (is_owned(name) || single || ticked) {
        return Some((name.to_owned(), true));
    }
    let name = undecorated(line.trim_start_matches('#').trim().trim_end_matches(':'));
    is_owned(name).then(|| (name.to_owned(), false))
}

/// A name without bold marks and backticks around it.
fn undecorated(name: &str) -> &str {
    within(within(within(name, "**"), "`"), "**")
}

fn within<'n>(name: &'n str, mark: &str) -> &'n str {
    name.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).unwrap_or(name)
}
