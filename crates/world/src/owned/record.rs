//! The record of a commit: a file of lines that is complete before anything is touched, and grows by a word at each turn.
//!
//! ```text
//! rehearsal-commit 1
//! tree <device> <inode> <sha256 of the tree's path>
//! made <path of a folder that will be made>
//! file <temporary name> <old size> <old sha256, or -> <new size> <new sha256> <path>
//! end <sha256 of all lines above>
//! staged
//! undo
//! ```

use super::report::Cause;
use crate::handle::Folder;
use rehearsal_journal::digest;
use std::fmt::Write as _;
use std::path::Path;

/// Name of the record in the folder that a caller of [`super::Held::commit`] names.
pub const RECORD: &str = ".rehearsal-commit";

/// Most bytes of a record that is read.
pub(super) const LONGEST: u64 = 16 << 20;

/// What of a record follows its list.
pub(super) const STAGED: &str = "staged\n";
pub(super) const UNDO: &str = "undo\n";

const FIRST: &str = "rehearsal-commit 1\n";

/// How far a commit came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Temporary files may be there, whole or not.
    Listed,
    /// All temporary files are whole; files may have changed places.
    Staged,
    /// Files are being put back.
    Undoing,
}

/// Size and digest of a file's bytes.
pub(super) type Sum = (u64, [u8; 32]);

/// One file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) path: String,
    pub(super) temporary: String,
    /// None where it is created.
    pub(super) old: Option<Sum>,
    pub(super) new: Sum,
}

/// All of a commit that somebody else needs to end it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) tree: (u64, u64),
    /// Digest of the tree's path: an inode's number may change when a machine starts anew.
    pub(super) place: String,
    /// Paths of the folders that are made, each after the one above it.
    pub(super) made: Vec<String>,
    pub(super) files: Vec<Line>,
}

/// What a record's bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It ends before its list does: nothing was touched.
    Unfinished,
    Whole(Record, Phase),
}

impl Record {
    pub(super) fn new(root: &Folder, path: &Path) -> std::io::Result<Self> {
        let place = digest::text(&digest::of(path.as_os_str().as_encoded_bytes()));
        Ok(Self { tree: root.facts()?.id(), place, made: Vec::new(), files: Vec::new() })
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from(FIRST);
        // Writing into a string cannot fail.
        let _ = writeln!(text, "tree {} {} {}", self.tree.0, self.tree.1, self.place);
        for path in &self.made {
            let _ = writeln!(text, "made {path}");
        }
        for Line { path, temporary, old, new } in &self.files {
            let (old_size, old) = old.map_or((0, "-".to_owned()), |(size, sum)| (size, digest::text(&sum)));
            let (new_size, new) = (new.0, digest::text(&new.1));
            let _ = writeln!(text, "file {temporary} {old_size} {old} {new_size} {new} {path}");
        }
        let sum = digest::text(&digest::of(text.as_bytes()));
        let _ = writeln!(text, "end {sum}");
        text
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Found, Cause> {
        let Some(end) = end_line(bytes) else {
            let begins = bytes.starts_with(FIRST.as_bytes()) || FIRST.as_bytes().starts_with(bytes);
            return if begins { Ok(Found::Unfinished) } else { Err(Cause::Unreadable("is no record")) };
        };
        let list = &bytes[..end];
        let (sum, after) = bytes[end..].split_at_checked(4 + 64 + 1).unwrap_or((&bytes[end..], b""));
        let damaged = || Cause::Unreadable("is damaged");
        if sum != format!("end {}\n", digest::text(&digest::of(list))).as_bytes() {
            return Err(damaged());
        }
        let list = std::str::from_utf8(list).map_err(|_| damaged())?;
        let list = list.strip_prefix(FIRST).ok_or(Cause::Unreadable("is of another version"))?;
        Ok(Found::Whole(Self::lines(list).ok_or_else(damaged)?, phase(after)))
    }

    fn lines(list: &str) -> Option<Self> {
        let mut lines = list.lines();
        let mut tree = lines.next()?.strip_prefix("tree ")?.split(' ');
        let id = (tree.next()?.parse().ok()?, tree.next()?.parse().ok()?);
        let mut record =
            Self { tree: id, place: tree.next()?.to_owned(), made: Vec::new(), files: Vec::new() };
        for line in lines {
            match line.split_once(' ')? {
                ("made", path) => record.made.push(path.to_owned()),
                ("file", line) => record.files.push(file(line)?),
                _ => return None,
            }
        }
        Some(record)
    }
}

/// Where the line that ends the list begins; none while that is not whole.
fn end_line(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"end ") && line.ends_with(b"\n") {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// A word that is not whole was not promised yet.
fn phase(after: &[u8]) -> Phase {
    let both = [STAGED, UNDO].concat();
    match after {
        // What could not be staged is undone without ever having been.
        _ if after.starts_with(both.as_bytes()) || after.starts_with(UNDO.as_bytes()) => Phase::Undoing,
        _ if after.starts_with(STAGED.as_bytes()) => Phase::Staged,
        _ => Phase::Listed,
    }
}

fn file(line: &str) -> Option<Line> {
    let mut words = line.splitn(6, ' ');
    let temporary = words.next()?.to_owned();
    let (old_size, old) = (words.next()?.parse().ok()?, words.next()?);
    let old = if old == "-" { None } else { Some((old_size, sum(old)?)) };
    let new = (words.next()?.parse().ok()?, sum(words.next()?)?);
    Some(Line { path: words.next()?.to_owned(), temporary, old, new })
}

fn sum(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let mut sum = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, at) in sum.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let old = Some((3, digest::of(b"old")));
        let new = (4, digest::of(b"new!"));
        let line = |path: &str, old| Line { path: path.to_owned(), temporary: ".t".to_owned(), old, new };
        Record {
            tree: (1, 2),
            place: "p".to_owned(),
            made: vec!["a b".to_owned(), "a b/c".to_owned()],
            files: vec![line("x", old), line("a b/c/end y", None)],
        }
    }

    #[test]
    fn is_read_as_it_was_written() {
        let text = record().text();
        for (after, phase) in [
            ("", Phase::Listed),
            ("stag", Phase::Listed),
            ("staged\n", Phase::Staged),
            ("staged\nun", Phase::Staged),
            ("staged\nundo\n", Phase::Undoing),
            ("undo\n", Phase::Undoing),
        ] {
            let found = Record::read(format!("{text}{after}").as_bytes()).unwrap();
            assert_eq!(found, Found::Whole(record(), phase), "{after}");
        }
    }

    #[test]
    fn is_unfinished_until_its_last_byte_is_there() {
        let text = record().text();
        for end in 0..text.len() {
            assert_eq!(Record::read(&text.as_bytes()[..end]).unwrap(), Found::Unfinished, "{end}");
        }
    }

    #[test]
    fn is_refused_where_it_was_changed() {
        let text = record().text();
        for other in
            [text.replace("file .t 3", "file .u 3"), text.replace("commit 1", "commit 2"), "x".to_owned()]
        {
            assert!(matches!(Record::read(other.as_bytes()), Err(Cause::Unreadable(_))), "{other}");
        }
    }
}
