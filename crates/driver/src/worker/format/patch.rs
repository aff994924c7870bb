//! The text of a unified diff as sections and hunks. What a diff may not do here (delete, rename, change modes) is refused.

use super::answer::{At, FormatError, quoted};
use super::outside::closing;

/// What a diff says of one file.
pub(super) struct Section<'t> {
    /// Its first line in the answer, from 1.
    pub(super) line: usize,
    /// The old file's name as it stands in the header; `None` for a file that is new.
    pub(super) old: Option<String>,
    /// The new file's name as it stands in the header.
    pub(super) new: String,
    /// Its hunks, in order.
    pub(super) hunks: Vec<Hunk<'t>>,
    /// Whether it may have none: git's header alone makes an empty file.
    may_be_empty: bool,
}

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

/// Reads the sections of a diff out of lines of the answer; `first` is the number of the first of them. In a fence every line
/// must be part of the diff; without one, text may stand before, between and after, and is put to `outside`.
///
/// # Errors
/// [`FormatError`] for what is no unified diff, and for what a diff may not do here.
pub(super) fn sections<'t>(
    lines: &[&'t str],
    first: usize,
    in_fence: bool,
    outside: &mut Vec<&'t str>,
) -> Result<Vec<Section<'t>>, FormatError> {
    let mut reader = Reader { lines, at: 0, first, in_fence, sections: Vec::new(), git: None };
    while let Some(line) = reader.peek(0) {
        if reader.header(line)? {
            continue;
        }
        if line.starts_with("@@") {
            reader.hunk()?;
            continue;
        }
        if reader.is_signature(line) {
            reader.at += 2;
            continue;
        }
        let stray = line.starts_with(['+', '-', '\\']) || (line.starts_with(' ') && !line.trim().is_empty());
        let follows = reader.at > 0 && !lines[reader.at - 1].trim().is_empty();
        let body = reader.sections.last().is_some_and(|section| !section.hunks.is_empty());
        let is_text = line.trim().is_empty() || closing(line).is_some();
        if body && !is_text && ((in_fence && stray) || follows) && reader.git.is_none() {
            return Err(reader.fault(
                "hunk_line",
                "this line belongs to no hunk",
                "lines that begin with a space, + or -, below an @@ header",
            ));
        }
        outside.push(line);
        reader.at += 1;
    }
    reader.close_git()?;
    if let Some(empty) =
        reader.sections.iter().find(|section| section.hunks.is_empty() && !section.may_be_empty)
    {
        let what = format!("no hunk follows the header of {}", quoted(&empty.new));
        return Err(FormatError::new(
            "no_hunks",
            At::Line(empty.line),
            what,
            "at least one @@ hunk for each file",
        ));
    }
    Ok(reader.sections)
}

struct Reader<'l, 't> {
    lines: &'l [&'t str],
    at: usize,
    first: usize,
    in_fence: bool,
    sections: Vec<Section<'t>>,
    /// The `diff --git` line whose `---` has not come yet: its number, its path, and whether the file is new.
    git: Option<(usize, Option<String>, bool)>,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self, ahead: usize) -> Option<&'t str> {
        let line = self.lines.get(self.at + ahead)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    fn number(&self) -> usize {
        self.first + self.at
    }

    fn fault(&self, code: &'static str, what: &str, right: &str) -> FormatError {
        let line = self.peek(0).unwrap_or_default();
        FormatError::new(code, At::Line(self.number()), format!("{what}: {}", quoted(line)), right)
    }

    /// Reads a line of a header, if this is one.
    fn header(&mut self, line: &'t str) -> Result<bool, FormatError> {
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.close_git()?;
            self.git = Some((self.number(), git_path(paths), false));
        } else if self.is_file_header() {
            self.file_header()?;
        } else if self.git.is_some() || self.in_fence {
            if !self.extended(line)? {
                return Ok(false);
            }
        } else {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }

    /// `--- a` with `+++ b` below it.
    fn is_file_header(&self) -> bool {
        let (old, new) = (self.peek(0), self.peek(1));
        old.is_some_and(|line| line.starts_with("--- ")) && new.is_some_and(|line| line.starts_with("+++ "))
    }

    fn file_header(&mut self) -> Result<(), FormatError> {
        let name = |line: Option<&str>| side(line.and_then(|line| line.get(4..)).unwrap_or_default());
        let (old, new) = (name(self.peek(0)), name(self.peek(1)));
        let Some(new) = new else {
            return Err(self.fault(
                "deletion",
                "the diff deletes a file",
                "diffs that change files or make new ones",
            ));
        };
        let git = self.git.take();
        if old.is_some() && git.as_ref().is_some_and(|(_, _, is_new)| *is_new) {
            return Err(self.fault(
                "half_new",
                "the file is new, but the old side has a name",
                "--- /dev/null for a new file",
            ));
        }
        let line = git.map_or(self.number(), |(line, _, _)| line);
        self.sections.push(Section { line, old, new, hunks: Vec::new(), may_be_empty: false });
        self.at += 1;
        Ok(())
    }

    /// The lines that git puts between `diff --git` and `---`.
    fn extended(&mut self, line: &str) -> Result<bool, FormatError> {
        const REFUSED: &[(&str, &str, &str)] = &[
            ("deleted file mode ", "deletion", "the diff deletes a file"),
            ("old mode ", "file_mode", "the diff changes the mode of a file"),
            ("new mode ", "file_mode", "the diff changes the mode of a file"),
            ("rename from ", "rename", "the diff renames a file"),
            ("rename to ", "rename", "the diff renames a file"),
            ("copy from ", "rename", "the diff copies a file"),
            ("copy to ", "rename", "the diff copies a file"),
            ("Binary files ", "binary", "the diff is of binary files"),
            ("GIT binary patch", "binary", "the diff is of binary files"),
        ];
        if let Some((_, code, what)) = REFUSED.iter().find(|(start, _, _)| line.starts_with(start)) {
            return Err(self.fault(code, what, "diffs that only change the text of files or make new ones"));
        }
        if let Some(mode) = line.strip_prefix("new file mode ") {
            if mode.trim() != "100644" {
                let what = "the diff makes a file of a special mode (a link, a module, a program)";
                return Err(self.fault("file_mode", what, "new file mode 100644"));
            }
            if let Some((_, _, is_new)) = &mut self.git {
                *is_new = true;
            }
            return Ok(true);
        }
        let Some(index) = line.strip_prefix("index ") else { return Ok(false) };
        if index.trim_end().ends_with(" 120000") || index.trim_end().ends_with(" 160000") {
            return Err(self.fault("file_mode", "the diff is of a link or a module", "diffs of plain files"));
        }
        Ok(true)
    }

    /// A `diff --git` that no `---` followed: an empty new file, or nothing at all.
    fn close_git(&mut self) -> Result<(), FormatError> {
        match self.git.take() {
            None => Ok(()),
            Some((line, Some(new), true)) => {
                self.sections.push(Section { line, old: None, new, hunks: Vec::new(), may_be_empty: true });
                Ok(())
            }
            Some((line, _, _)) => {
                let right = "--- and +++ lines and at least one @@ hunk for each file";
                Err(FormatError::new("no_hunks", At::Line(line), "no hunk follows this line", right))
            }
        }
    }

    fn hunk(&mut self) -> Result<(), FormatError> {
        if self.sections.is_empty() || self.git.is_some() {
            let right = "--- and +++ lines with the file's path above its hunks";
            return Err(self.fault("hunk_without_file", "no file is named above this hunk", right));
        }
        let (line, numbers) = (self.number(), numbers(self.peek(0).unwrap_or_default()));
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
            hunk.lines.push(HunkLine { sign, text, ends: true });
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
    fn is_signature(&self, line: &str) -> bool {
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

/// The name in a `---` or `+++` line; `None` for `/dev/null`. A tab ends it (a time may follow); quotes are C's, as git writes them.
fn side(text: &str) -> Option<String> {
    let name = text.split('\t').next().unwrap_or_default().trim();
    let name = unquoted(name).unwrap_or_else(|| name.to_owned());
    (name != "/dev/null").then_some(name)
}

/// The path of a `diff --git a/x b/x` line, if both sides name the same.
fn git_path(paths: &str) -> Option<String> {
    let paths = paths.trim_end();
    if paths.starts_with('"') {
        return unquoted(&paths[paths.find("\" ").map_or(0, |end| end + 2)..]);
    }
    let (old, new) = paths.split_at_checked(paths.len() / 2)?;
    let new = new.strip_prefix(' ')?;
    let same = old.strip_prefix("a/").unwrap_or(old) == new.strip_prefix("b/").unwrap_or(new);
    same.then(|| new.to_owned())
}

/// A name in C quotes; `None` where it is not in quotes or not UTF-8.
fn unquoted(name: &str) -> Option<String> {
    let inner = name.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = inner.bytes().peekable();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let digit = bytes.next_if(|byte| matches!(byte, b'0'..=b'7'))?;
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(out).ok()
}
