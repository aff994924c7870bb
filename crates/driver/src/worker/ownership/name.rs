//! Names of owned files: one spelling each, and none that any of our systems would read as something else.

use std::fmt;
use thiserror::Error;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Most bytes of one part of a name: what file systems take.
const PART: usize = 255;

/// Most bytes of a whole name: Linux takes 4096 with the end, and a tree lies somewhere.
const WHOLE: usize = 3072;

/// Why a text is no name of an owned file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path:?} is no name of an owned file: {why}")]
pub struct NameError {
    /// The text.
    pub path: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// A name of a file in a tree: relative, with `/` between its parts, in Unicode normal form C.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// Takes a name that is written in the one way that is allowed.
    ///
    /// # Errors
    /// [`NameError`] where it is not.
    pub fn new(path: &str) -> Result<Self, NameError> {
        match fault(path) {
            Some(why) => Err(NameError { path: path.to_owned(), why }),
            None => Ok(Self(path.to_owned())),
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its parts, folded: equal where any file system takes two names for one.
    #[must_use]
    pub(super) fn folded(&self) -> Vec<String> {
        self.0.split('/').map(fold).collect()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Upper and then lower case of each character brings together what case folding does (sharp s and `ss`, both small sigmas,
/// the Kelvin sign), and a little more; the compatibility form brings together what HFS+ and NTFS tools confuse.
pub(super) fn fold(part: &str) -> String {
    let cased = part.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    cased.nfkc().collect()
}

fn fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("it is empty");
    }
    if path.len() > WHOLE {
        return Some("it is longer than 3072 bytes");
    }
    if path.starts_with('/') {
        return Some("it must be relative");
    }
    if path.contains('\\') {
        return Some("parts are separated by `/`, not by a backslash");
    }
    // Drives (`C:`), streams of NTFS and the separator of old systems.
    if path.contains(':') {
        return Some("it holds a colon");
    }
    if path.chars().any(char::is_control) {
        return Some("it holds a control character");
    }
    if path.chars().any(is_unseen) {
        return Some("it holds a character that is not seen");
    }
    if !is_nfc(path) {
        return Some("it is not in Unicode normal form C");
    }
    path.split('/').find_map(part_fault)
}

fn part_fault(part: &str) -> Option<&'static str> {
    match part {
        "" => return Some("it has an empty part"),
        "." | ".." => return Some("it has a part `.` or `..`"),
        _ => {}
    }
    if part.len() > PART {
        return Some("it has a part longer than 255 bytes");
    }
    // Windows drops them, so that another file is meant there.
    if part.ends_with(['.', ' ']) {
        return Some("it has a part that ends in a dot or a space");
    }
    // The second is the short name that NTFS gives to the first.
    let folded = fold(part);
    matches!(folded.as_str(), ".git" | "git~1").then_some("it leads into `.git`")
}

/// Characters that show nothing, or change the direction of what follows. HFS+ ignores some of them in names (git's
/// `utf8.c`, `next_hfs_char`), so that `.g<U+200C>it` is `.git` there.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
