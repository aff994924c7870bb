//! The last look before anything is written: what is never applied, and line ends as the file has them. Pure.
//!
//! Must not know: who owns what. A path that is not owned is treated as a new file.

use super::answer::BOM;
use super::lines::{Line, split};
use super::placeholder::{self, is_placeholder};
use super::{Change, Eol, Owned, Speaks};
use std::collections::BTreeSet;

/// A file with fewer lines may shrink at will.
const SHRINK_FROM: usize = 10;

/// How large contents may be, and what is let through on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file, at most.
    pub file: usize,
    /// Bytes of all files of an answer, at most.
    pub total: usize,
    /// Lets a file shrink below half; `--allow-shrink`.
    pub allow_shrink: bool,
}

impl Default for Limits {
    /// 1 MiB a file, 4 MiB in all, nothing let through.
    fn default() -> Self {
        Self { file: 1 << 20, total: 4 << 20, allow_shrink: false }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// A stand-alone line that stands for text left out, which the old text did not hold.
    Placeholder {
        /// Its number in the new contents, from 1.
        line: usize,
        /// The line, at most 200 bytes.
        text: String,
    },
    /// The file had 10 lines or more and has less than half of its lines or bytes left.
    Shrink {
        /// Lines before.
        before: usize,
        /// Lines after.
        after: usize,
    },
    /// The contents are what is there.
    NoOp,
    /// The contents are larger than a file may be.
    TooLarge {
        /// Bytes of the contents.
        bytes: usize,
        /// Bytes that are allowed.
        limit: usize,
    },
    /// All contents together, up to and including these, are larger than an answer may be.
    TooLargeInAll {
        /// Bytes so far.
        bytes: usize,
        /// Bytes that are allowed.
        limit: usize,
    },
    /// The contents hold a NUL, which no text has.
    NulByte {
        /// The first one's line, from 1.
        line: usize,
    },
}

/// What a finding means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The answer must not be applied, not in part either.
    Refused,
    /// It would be refused, but was let through on request.
    Overridden,
    /// It is said, and changes nothing: there is nothing to write.
    Noted,
}

/// Something that was found in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub path: String,
    /// What it is.
    pub guard: Guard,
    /// What it means.
    pub weight: Weight,
}

impl Guard {
    /// Its name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Placeholder { .. } => "placeholder",
            Self::Shrink { .. } => "shrink",
            Self::NoOp => "no_op",
            Self::TooLarge { .. } => "too_large",
            Self::TooLargeInAll { .. } => "too_large_in_all",
            Self::NulByte { .. } => "nul_byte",
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.guard {
            Guard::Placeholder { line, text } => {
                write!(
                    f,
                    "line {line} stands for text that was left out ({text:?}); the whole text is needed"
                )
            }
            Guard::Shrink { before, after } => {
                write!(
                    f,
                    "the new contents are less than half of the file: {after} lines in place of {before}"
                )
            }
            Guard::NoOp => f.write_str("the new contents are what is there already"),
            Guard::TooLarge { bytes, limit } => {
                write!(f, "the new contents have {bytes} bytes, {limit} are allowed")
            }
            Guard::TooLargeInAll { bytes, limit } => {
                write!(f, "with this file the answer has {bytes} bytes, {limit} are allowed")
            }
            Guard::NulByte { line } => write!(f, "line {line} holds a NUL"),
        }
    }
}

/// What came of the last look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The files as they are to be written, byte order marks included, without those that are what is there already. They
    /// may be written only if nothing was refused.
    pub changes: Vec<Change>,
    /// What was found, in the order of the answer.
    pub findings: Vec<Finding>,
}

impl Judged {
    /// Whether something must not be applied.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.weight == Weight::Refused)
    }
}

/// Looks at the changes of an answer whose format `speaks` so of line ends.
#[must_use]
pub fn judge(changes: &[Change], speaks: Speaks, owned: &[Owned], limits: &Limits) -> Judged {
    let mut judged = Judged { changes: Vec::new(), findings: Vec::new() };
    let mut total = 0_usize;
    for change in changes {
        let file = owned.iter().find(|file| file.path == change.path);
        let contents =
            file.map_or_else(|| change.contents.clone(), |file| settle(&change.contents, speaks, file));
        total = total.saturating_add(contents.len());
        let mut found = looked_at(&change.path, &contents, file, limits);
        if total > limits.total {
            found.push(Guard::TooLargeInAll { bytes: total, limit: limits.total });
        }
        let is_no_op = found.contains(&Guard::NoOp);
        judged.findings.extend(found.into_iter().map(|guard| {
            let weight = match &guard {
                Guard::NoOp => Weight::Noted,
                Guard::Shrink { .. } if limits.allow_shrink => Weight::Overridden,
                Guard::Shrink { .. }
                | Guard::Placeholder { .. }
                | Guard::TooLarge { .. }
                | Guard::TooLargeInAll { .. }
                | Guard::NulByte { .. } => Weight::Refused,
            };
            Finding { path: change.path.clone(), guard, weight }
        }));
        if !is_no_op {
            judged.changes.push(Change { path: change.path.clone(), contents });
        }
    }
    judged
}

/// What is found in the final contents of one file.
fn looked_at(path: &str, contents: &str, file: Option<&Owned>, limits: &Limits) -> Vec<Guard> {
    let bare = contents.strip_prefix(BOM).unwrap_or(contents);
    let old = file.and_then(|file| file.text.as_deref());
    if file.is_some_and(|file| old.is_some_and(|old| marked(old, file.bom) == contents)) {
        return vec![Guard::NoOp];
    }
    let mut found = Vec::new();
    if contents.len() > limits.file {
        found.push(Guard::TooLarge { bytes: contents.len(), limit: limits.file });
    }
    if let Some(at) = contents.find('\0') {
        found.push(Guard::NulByte { line: 1 + contents[..at].matches('\n').count() });
    }
    let known: BTreeSet<&str> = rows(old.unwrap_or_default()).map(str::trim).collect();
    let is_prose = placeholder::is_prose(path);
    let new = rows(bare)
        .enumerate()
        .find(|(_, line)| is_placeholder(line, is_prose) && !known.contains(line.trim()));
    if let Some((at, line)) = new {
        found.push(Guard::Placeholder { line: at + 1, text: line.trim().to_owned() });
    }
    let (before, after) = (old.map_or(0, |old| rows(old).count()), rows(bare).count());
    let less = after * 2 < before || bare.len() * 2 < old.map_or(0, str::len);
    if before >= SHRINK_FROM && less {
        found.push(Guard::Shrink { before, after });
    }
    found
}

/// The lines of a text. A CR before the LF is white space to whoever asks.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.split_terminator(if text.contains('\n') { '\n' } else { '\r' })
}

fn marked(text: &str, bom: bool) -> String {
    let mut marked = String::with_capacity(text.len() + BOM.len_utf8());
    if bom {
        marked.push(BOM);
    }
    marked + text
}

/// Contents as they are written: what the model cannot know stays as it was.
///
/// - A byte order mark is there if it was: models are not shown it, and one that they send is dropped. A new file keeps what came.
/// - LF becomes CR LF in a file whose lines all end so, and CR in a file whose lines all end in CR alone. In a mixed file, lines
///   that did not change at its start and end keep their ends; the others have what came. CR LF that is sent is kept.
/// - The end of the last line is as it was if the format speaks of lines alone (fences); a JSON string says it. An empty or new
///   file has what came.
/// - Contents that were made from the file itself (diffs) are exact; only the byte order mark is put back.
#[must_use]
pub fn settle(contents: &str, speaks: Speaks, file: &Owned) -> String {
    let Some(old) = file.text.as_deref() else { return contents.to_owned() };
    let bare = if old.starts_with(BOM) { contents } else { contents.strip_prefix(BOM).unwrap_or(contents) };
    let mut text = match (speaks, file.eol) {
        (Speaks::Everything, _) | (_, Eol::Lf | Eol::None) => bare.to_owned(),
        (_, Eol::CrLf) => bare.replace("\r\n", "\n").replace('\n', "\r\n"),
        (_, Eol::Cr) => bare.replace("\r\n", "\n").replace('\n', "\r"),
        (_, Eol::Mixed) => with_old_ends(bare, old),
    };
    if speaks == Speaks::Lines && !file.final_newline && !old.is_empty() {
        let end = ["\r\n", "\n", "\r"].into_iter().find(|end| text.ends_with(end)).map_or(0, str::len);
        text.truncate(text.len() - end);
    }
    marked(&text, file.bom)
}

/// Contents with the ends of the old text on the lines that both begin with and both end with. Contents that hold a CR were
/// written by someone who knows of line ends, and stay as they are.
fn with_old_ends(contents: &str, old: &str) -> String {
    if contents.contains('\r') {
        return contents.to_owned();
    }
    let (old, mut new) = (split(old, Eol::Mixed), split(contents, Eol::Mixed));
    let same = |(old, new): &(&Line<'_>, &Line<'_>)| old.text == new.text;
    let begin = old.iter().zip(&new).take_while(same).count();
    let left = old.len().min(new.len()) - begin;
    let end = old.iter().rev().zip(new.iter().rev()).take(left).take_while(same).count();
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let pairs = (0..begin).zip(0..begin).chain((old_end..old.len()).zip(new_end..new.len()));
    for (old_at, new_at) in pairs {
        // Whether the last line ends was said by whoever made the contents.
        if !old[old_at].end.is_empty() && !new[new_at].end.is_empty() {
            new[new_at].end = old[old_at].end;
        }
    }
    new.iter().flat_map(|line| [line.text, line.end]).collect()
}
