//! The text of a unified diff as sections and hunks. What a diff may not do here (delete, rename, change modes) is refused.

use super::answer::{At, FormatError, quoted};
use super::hunk::Hunk;
use super::outside::closing;
use super::sides::{git_path, side};

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

/// A diff on its way through.
pub(super) struct Reader<'l, 't> {
    /// The lines, perhaps with a CR at their end.
    pub(super) lines: &'l [&'t str],
    /// The line that is read next.
    pub(super) at: usize,
    first: usize,
    /// Whether all lines must be part of the diff.
    pub(super) in_fence: bool,
    pub(super) sections: Vec<Section<'t>>,
    /// The `diff --git` line whose `---` has not come yet: its number, its path, and whether the file is new.
    pub(super) git: Option<(usize, Option<String>, bool)>,
}

impl<'t> Reader<'_, 't> {
    /// Whether the next line ends in CR LF.
    pub(super) fn has_return(&self) -> bool {
        self.lines.get(self.at).is_some_and(|line| line.ends_with('\r'))
    }

    /// A line to come, without its CR.
    pub(super) fn peek(&self, ahead: usize) -> Option<&'t str> {
        let line = self.lines.get(self.at + ahead)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    pub(super) fn number(&self) -> usize {
        self.first + self.at
    }

    pub(super) fn fault(&self, code: &'static str, what: &str, right: &str) -> FormatError {
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
    pub(super) fn is_file_header(&self) -> bool {
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
}
