//! A reply against the set: each path is an entry, once, in its mode. One that is not refuses the whole reply.

use super::{Mode, Set};
use thiserror::Error;

/// What a reply does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It gives whole contents and does not say whether the file is there: fits both modes.
    Write,
    /// It changes a file that is there.
    Edit,
    /// It makes a file.
    Create,
    /// It removes a file; no entry allows that.
    Delete,
}

/// How paths of a reply are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Equal to an entry, byte by byte.
    Strict,
    /// Also with one `./` before it, or with backslashes for `/`; both are told.
    Lenient,
}

/// What was overlooked in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leniency {
    /// One `./` before it.
    LeadingDot,
    /// Backslashes for `/`.
    Backslash,
}

/// The entry that a path of a reply names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Its index in [`Set::entries`].
    pub entry: usize,
    /// What was overlooked; empty where the path is equal.
    pub leniencies: Vec<Leniency>,
}

/// A reply does not keep to its set: `ownership_violation`. Nothing of it is written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path:?} {kind}")]
pub struct Violation {
    /// The path as the reply has it.
    pub path: String,
    /// What is wrong.
    pub kind: ViolationKind,
}

/// What is wrong with a path of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ViolationKind {
    /// It is no entry.
    #[error("is not one of the owned files")]
    Stranger,
    /// It is there twice.
    #[error("is there more than once")]
    Duplicate,
    /// It would make a file that is there.
    #[error("is to be edited, not created")]
    NotCreated,
    /// It would change a file that is not there.
    #[error("is to be created, not edited")]
    NotEdited,
    /// It would remove a file.
    #[error("must not be deleted")]
    Deleted,
}

impl Set {
    /// Finds the entries of a reply's paths, in the reply's order.
    ///
    /// # Errors
    /// [`Violation`]: the first path that does not keep to the set. Then nothing of the reply may be written.
    pub fn fit(&self, reply: &[(&str, Change)], reading: Reading) -> Result<Vec<Fit>, Violation> {
        let mut fits: Vec<Fit> = Vec::new();
        for (path, change) in reply {
            let violated = |kind| Violation { path: (*path).to_owned(), kind };
            let fit = self.find(path, reading).ok_or_else(|| violated(ViolationKind::Stranger))?;
            if fits.iter().any(|other| other.entry == fit.entry) {
                return Err(violated(ViolationKind::Duplicate));
            }
            if let Some(kind) = forbidden(self.entries()[fit.entry].mode, *change) {
                return Err(violated(kind));
            }
            fits.push(fit);
        }
        Ok(fits)
    }

    fn find(&self, path: &str, reading: Reading) -> Option<Fit> {
        let entry = |path: &str| self.entries().iter().position(|entry| entry.name.as_str() == path);
        if let Some(entry) = entry(path) {
            return Some(Fit { entry, leniencies: Vec::new() });
        }
        match reading {
            Reading::Strict => return None,
            Reading::Lenient => {}
        }
        let mut leniencies = Vec::new();
        let mapped = path.replace('\\', "/");
        if mapped != path {
            leniencies.push(Leniency::Backslash);
        }
        let plain = mapped.strip_prefix("./").unwrap_or(&mapped);
        if plain != mapped {
            leniencies.push(Leniency::LeadingDot);
        }
        entry(plain).map(|entry| Fit { entry, leniencies })
    }
}

fn forbidden(mode: Mode, change: Change) -> Option<ViolationKind> {
    match (mode, change) {
        (Mode::Edit, Change::Write | Change::Edit) | (Mode::Create, Change::Write | Change::Create) => None,
        (Mode::Edit, Change::Create) => Some(ViolationKind::NotCreated),
        (Mode::Create, Change::Edit) => Some(ViolationKind::NotEdited),
        (Mode::Edit | Mode::Create, Change::Delete) => Some(ViolationKind::Deleted),
    }
}
