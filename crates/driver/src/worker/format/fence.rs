//! Markdown fences: three or more backticks or tildes at the start of a line.

use super::answer::{At, FormatError, quoted};

/// The line that opens a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    /// Its run of marks.
    pub(super) marks: &'a str,
    /// The language tag and whatever else follows on the line, trimmed.
    pub(super) info: &'a str,
}

/// The fence that a line opens. Backticks after a run of backticks make it code inside a line, as in CommonMark.
pub(super) fn opening(line: &str) -> Option<Fence<'_>> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let (marks, info) = line.split_at(line.len() - rest.len());
    (marks.len() >= 3 && (mark == '~' || !info.contains('`'))).then(|| Fence { marks, info: info.trim() })
}

impl Fence<'_> {
    /// Whether a line closes this fence. The runs must be equally long, unlike in CommonMark, where a longer one closes too:
    /// so a file may hold fences of any other length.
    pub(super) fn closes(&self, line: &str) -> bool {
        line.trim_end() == self.marks
    }

    /// Whether a line inside this fence opens another of the same kind: what follows cannot be told apart.
    pub(super) fn is_opened_again(&self, line: &str) -> bool {
        opening(line).is_some_and(|inner| inner.marks == self.marks && !inner.info.is_empty())
    }
}

/// Whether a line would open a fence if it were not indented.
pub(super) fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t']) && opening(line.trim_start()).is_some()
}

/// A stretch of an answer.
pub(super) enum Piece<'a> {
    /// A line outside fences, without its end.
    Line {
        /// Its number in the answer, from 1.
        number: usize,
        /// Its text.
        text: &'a str,
    },
    /// What stands between two fences.
    Block {
        /// The opening line's number in the answer, from 1.
        number: usize,
        /// The opening line.
        fence: Fence<'a>,
        /// The lines between, without their LF.
        lines: Vec<&'a str>,
        /// Whether the answer itself has CR LF, so that the CR at the end of a line is none of the contents.
        crlf: bool,
    },
}

/// Cuts a text at its fences; `first` is the number of its first line.
///
/// # Errors
/// [`FormatError`] for a fence that is not closed, or in which one like it is opened.
pub(super) fn pieces(text: &str, first: usize) -> Result<Vec<Piece<'_>>, FormatError> {
    let mut lines = text.split('\n').enumerate().map(|(i, line)| (first + i, line));
    let mut pieces = Vec::new();
    while let Some((number, line)) = lines.next() {
        let Some(fence) = opening(bare(line)) else {
            pieces.push(Piece::Line { number, text: bare(line) });
            continue;
        };
        let mut inside = Vec::new();
        loop {
            let Some((here, line)) = lines.next() else {
                let what = format!("the fence {} that opens here is never closed", quoted(fence.marks));
                let right = format!("the whole contents, then a line {} alone", fence.marks);
                return Err(FormatError::new("fence_unterminated", At::Line(number), what, right));
            };
            if fence.closes(line) {
                break;
            }
            if fence.is_opened_again(line) {
                let what = format!("a fence as long as the one of line {number} opens inside it");
                let right = "an outer fence that is longer than every fence inside the file";
                return Err(FormatError::new("fence_nested", At::Line(here), what, right));
            }
            inside.push(line);
        }
        pieces.push(Piece::Block { number, fence, lines: inside, crlf: line.ends_with('\r') });
    }
    Ok(pieces)
}

/// A line without the CR of its end.
pub(super) fn bare(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}
