//! Which files a worker owns, and whether a reply keeps to them. Names only: nothing here looks at a disk.
//!
//! Two names are the same file where some file system says so: they are compared after case folding and Unicode
//! normalisation, whatever the machine at hand does.

mod name;
mod protection;
mod reply;
#[cfg(test)]
mod tests;

pub use name::{Name, NameError};
pub use protection::Protection;
pub use reply::{Change, Fit, Leniency, Reading, Violation, ViolationKind};

use std::collections::BTreeMap;
use thiserror::Error;

/// Most entries of one set.
pub const MOST_ENTRIES: usize = 256;

/// What a worker may do with a file that it owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The file is there and gets new contents.
    Edit,
    /// The file is not there and is made.
    Create,
}

/// A file that a worker owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Name,
    /// What may be done with it.
    pub mode: Mode,
}

/// Why files cannot be owned together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetError {
    /// A worker that owns nothing has nothing to do.
    #[error("no file is owned")]
    Empty,
    /// Too many.
    #[error("{0} files are owned; {MOST_ENTRIES} is the limit")]
    TooMany(usize),
    /// A name is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A worker must not decide what it is judged by.
    #[error("{0:?} is protected: tests, their configuration and start-up files are never written")]
    Protected(String),
    /// The same file twice.
    #[error("{0:?} and {1:?} are the same file where case or Unicode form does not count")]
    Same(String, String),
    /// A file cannot be a folder too.
    #[error("{0:?} would be a file and, for {1:?}, a folder")]
    Above(String, String),
}

/// The files that one worker owns; all can be there side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    entries: Vec<Entry>,
}

impl Set {
    /// Checks the entries of a set, in the order they were given.
    ///
    /// # Errors
    /// [`SetError`]: the first entry that is refused.
    pub fn new(entries: &[(&str, Mode)], protection: &Protection) -> Result<Self, SetError> {
        if entries.is_empty() {
            return Err(SetError::Empty);
        }
        if entries.len() > MOST_ENTRIES {
            return Err(SetError::TooMany(entries.len()));
        }
        let mut owned = Vec::new();
        for (path, mode) in entries {
            let name = Name::new(path)?;
            if protection.covers(name.as_str()) {
                return Err(SetError::Protected(name.as_str().to_owned()));
            }
            owned.push(Entry { name, mode: *mode });
        }
        match clash(owned.iter().map(|entry| &entry.name)) {
            Some(error) => Err(error),
            None => Ok(Self { entries: owned }),
        }
    }

    /// The entries in the order they were given.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// The parts of a name, with `/` between them, in a form that is equal where a file system may take two parts for one. Two workers of
/// one tree cannot own names whose parts are equal, or are the other's first.
#[must_use]
pub fn as_one(name: &str) -> Vec<String> {
    name.split('/').map(name::fold).collect()
}

/// The first two names that cannot both be files: in the order of the folded names, a file stands before what is below it.
fn clash<'n>(names: impl Iterator<Item = &'n Name>) -> Option<SetError> {
    let mut seen: BTreeMap<Vec<String>, &Name> = BTreeMap::new();
    for name in names {
        if let Some(first) = seen.insert(name.folded(), name) {
            return Some(SetError::Same(first.to_string(), name.to_string()));
        }
    }
    seen.iter().find_map(|(folded, name)| {
        let above = (1..folded.len()).find_map(|parts| seen.get(&folded[..parts]))?;
        Some(SetError::Above(above.to_string(), name.to_string()))
    })
}
