//! The hunks of a diff: by the counts of their headers where these are right, else by the signs of their lines.

use super::answer::{At, FormatError};
use super::outside::closing;
use super::patch::Reader;

/// One hunk.
pub(super) struct Hunk<'t> {
    /// Its header's line in the answer, from 1.
    pub(super) line: usize,
    /// What its header says; `None` where it says nothing, or where the counts do not fit the lines.
    pub(super) numbers: Option<Numbers>,
    /// The header's old line number, for messages only.
    pub(super) claimed: Option<usize>,
    /// Its lines.
    pub(super) lines: Vec<HunkLine<'t>>,
    /// Whether an empty line of the diff was read as an empty line of the file.
    pub(super) blanks: bool,
}

/// `@@ -start,count +start,count @@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) old_start: usize,
    pub(super) old_count: usize,
    pub(super) new_start: usize,
    pub(super) new_count: usize,
}

/// A line of a hunk.
pub(super) struct HunkLine<'t> {
    pub(super) sign: Sign,
    /// Its text, without sign and end.
    pub(super) text: &'t str,
    /// False where the diff says that the file ends here without a line end.
    pub(super) ends: bool,
    /// Whether it has a CR that is its own: the diff around it has none.
    pub(super) has_return: bool,
}

/// Which side a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Both.
    Context,
    /// The old one.
    Removed,
    /// The new one.
    Added,
}

impl Hunk<'_> {
    /// The lines of the old side.
    pub(super) fn old(&self) -> impl Iterator<Item = &HunkLine<'_>> {
        self.lines.iter().filter(|line| line.sign != Sign::Added)
    }
}

impl<'t> Reader<'_, 't> {
    /// Reads a hunk, its header first.
    pub(super) fn hunk(&mut self) -> Result<(), FormatError> {
        if self.sections.is_empty() || self.git.is_some() {
            let right = "--- and +++ lines with the file's path above its hunks";
            return Err(self.fault("hunk_without_file", "no file is named above this hunk", right));
        }
        let (line, numbers) = (self.number(), numbers(self.peek(0).unwrap_or_default()));
        let in_crlf = self.has_return();
        self.at += 1;
        let begin = self.at;
        let counted = numbers.filter(|numbers| self.counted(*numbers));
        let end = if counted.is_some() { self.at } else { self.extent(begin)? };
        let mut hunk = Hunk {
            line,
            numbers: counted,
            claimed: numbers.map(|n| n.old_start),
            lines: Vec::new(),
            blanks: false,
        };
        self.at = begin;
        while self.at < end {
            let line = self.peek(0).unwrap_or_default();
            let (sign, text) = match line.split_at_checked(1) {
                Some((" ", text)) => (Sign::Context, text),
                Some(("-", text)) => (Sign::Removed, text),
                Some(("+", text)) => (Sign::Added, text),
                Some(("\\", _)) => {
                    if let Some(last) = hunk.lines.last_mut() {
                        last.ends = false;
                    }
                    self.at += 1;
                    continue;
                }
                _ => {
                    hunk.blanks = true;
                    (Sign::Context, "")
                }
            };
            let has_return = !in_crlf && self.has_return();
            hunk.lines.push(HunkLine { sign, text, ends: true, has_return });
            self.at += 1;
        }
        if !hunk.lines.iter().any(|line| line.sign != Sign::Context) {
            let what = "this hunk changes nothing";
            return Err(FormatError::new(
                "hunk_empty",
                At::Line(line),
                what,
                "at least one line that begins with + or -",
            ));
        }
        if let Some(section) = self.sections.last_mut() {
            section.hunks.push(hunk);
        }
        Ok(())
    }

    /// Whether exactly so many lines follow as a header says; then they are passed.
    fn counted(&mut self, numbers: Numbers) -> bool {
        let begin = self.at;
        let (mut old, mut new) = (numbers.old_count, numbers.new_count);
        let fits = loop {
            let line = self.peek(0);
            if line.is_some_and(|line| line.starts_with('\\')) {
                self.at += 1;
                continue;
            }
            if old == 0 && new == 0 {
                break self.is_boundary();
            }
            let Some(line) = line else { break false };
            let (less_old, less_new) = match line.as_bytes().first() {
                Some(b' ') | None => (1, 1),
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                Some(_) => break false,
            };
            let (Some(old_left), Some(new_left)) = (old.checked_sub(less_old), new.checked_sub(less_new))
            else {
                break false;
            };
            (old, new) = (old_left, new_left);
            self.at += 1;
        };
        if !fits {
            self.at = begin;
        }
        fits
    }

    /// Whether a hunk may end before this line.
    fn is_boundary(&self) -> bool {
        let Some(line) = self.peek(0) else { return true };
        self.is_file_header() || self.is_signature(line) || !line.starts_with([' ', '+', '-'])
    }

    /// Whether this is the signature below a mailed patch: two hyphens and a space, a version on the next line, the end.
    pub(super) fn is_signature(&self, line: &str) -> bool {
        line == "-- " && self.peek(2).is_none_or(|line| line.trim().is_empty())
    }

    /// Where a hunk ends whose header does not tell: before the next header, or before what is no line of a hunk. Empty lines
    /// at its end are not part of it.
    fn extent(&mut self, begin: usize) -> Result<usize, FormatError> {
        self.at = begin;
        while let Some(line) = self.peek(0) {
            let is_header = self.is_file_header() && self.peek(2).is_some_and(|line| line.starts_with("@@"));
            if is_header || line.starts_with("@@") || line.starts_with("diff --git ") {
                break;
            }
            if !line.is_empty() && !line.starts_with([' ', '+', '-', '\\']) {
                if closing(line).is_none() && (self.in_fence || !self.lines[self.at - 1].trim().is_empty()) {
                    let right = "every line of a hunk begins with a space, + or -";
                    return Err(self.fault("hunk_line", "this line of a hunk has no sign", right));
                }
                break;
            }
            self.at += 1;
        }
        while self.at > begin && self.lines[self.at - 1].trim_end_matches('\r').is_empty() {
            self.at -= 1;
        }
        Ok(self.at)
    }
}

/// The numbers of a hunk header; a count that is left out is 1.
fn numbers(header: &str) -> Option<Numbers> {
    let (ranges, _) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old_start, old_count), (new_start, new_count)) = (range(old)?, range(new)?);
    Some(Numbers { old_start, old_count, new_start, new_count })
}
