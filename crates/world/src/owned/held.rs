//! Files that were taken: their bytes, and what they and their folders were.

use super::place::{self, digest_of, fault, open, parent, split};
use super::refusal::{OwnedError, Refusal};
use super::{Entry, Limits, Mode, Tree};
use crate::handle::{Facts, Folder, Kind};
use rehearsal_journal::digest;
use std::collections::BTreeMap;
use std::io::Read as _;

/// What a file was when it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Bytes in it.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970 UTC.
    pub modified: i128,
    /// Permission bits with setuid, setgid and sticky.
    pub mode: u32,
    /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
}

/// A file that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldFile {
    /// Its path as it was asked for.
    pub path: String,
    /// What may be done with it.
    pub mode: Mode,
    /// Its bytes; none where it is to be created.
    pub bytes: Vec<u8>,
    /// What it was; none where it is to be created.
    pub snapshot: Option<Snapshot>,
}

/// The nearest folder above some files that was there: held open, so that no other can get its number.
#[derive(Debug)]
pub(super) struct Above {
    /// Its path; empty for the tree itself.
    pub(super) path: String,
    pub(super) folder: Folder,
    id: (u64, u64),
}

/// One file with all that a commit compares.
#[derive(Debug)]
pub(super) struct Item {
    /// Index of the folder that was there.
    pub(super) above: usize,
    /// Facts and digest; none where it is to be created.
    pub(super) was: Option<(Facts, [u8; 32])>,
}

/// Files that were taken together.
#[derive(Debug)]
pub struct Held {
    pub(super) root: Folder,
    pub(super) tree_path: std::path::PathBuf,
    pub(super) limits: Limits,
    pub(super) files: Vec<HeldFile>,
    pub(super) items: Vec<Item>,
    pub(super) above: Vec<Above>,
}

impl Held {
    /// The files in the order they were asked for.
    #[must_use]
    pub fn files(&self) -> &[HeldFile] {
        &self.files
    }

    pub(super) fn take(tree: &Tree, entries: &[Entry]) -> Result<Self, OwnedError> {
        let failed = |path: &str, why| OwnedError { path: path.to_owned(), why };
        let root = tree.root.again().map_err(|error| failed("", error.into()))?;
        let (tree_path, limits) = (tree.path.clone(), tree.limits);
        let mut held =
            Self { root, tree_path, limits, files: Vec::new(), items: Vec::new(), above: Vec::new() };
        let mut left = limits.total;
        let mut ids = BTreeMap::new();
        for Entry { path, mode } in entries {
            if held.files.len() == limits.files {
                return Err(failed(path, Refusal::TooMany(limits.files)));
            }
            held.add(path, *mode, &mut left).map_err(|why| failed(path, why))?;
            let was = held.items.last().and_then(|item| item.was.as_ref());
            let same = match was {
                // On a file system that does not tell cases apart, two names are one file. Without inodes nobody can tell.
                Some((facts, _)) if cfg!(unix) => ids.insert(facts.id(), path.clone()),
                Some(_) | None => None,
            };
            if let Some(other) = same {
                return Err(failed(path, Refusal::SameFile(other)));
            }
        }
        Ok(held)
    }

    fn add(&mut self, path: &str, mode: Mode, left: &mut u64) -> Result<(), Refusal> {
        if let Some(why) = fault(path) {
            return Err(Refusal::BadName(why));
        }
        if let Some(same) = self.files.iter().find(|file| file.path == path) {
            return Err(Refusal::SameFile(same.path.clone()));
        }
        let (mut folder, name) = split(path);
        let mut file = HeldFile { path: path.to_owned(), mode, bytes: Vec::new(), snapshot: None };
        let (above, was) = match mode {
            Mode::Edit => {
                let above = self.above(folder)?;
                let (facts, sum) = read(&self.above[above].folder, name, self.limits, *left, &mut file)?;
                *left -= facts.size;
                (above, Some((facts, sum)))
            }
            Mode::Create => loop {
                match self.above(folder) {
                    Ok(above) => {
                        vacant(&self.above[above], path)?;
                        break (above, None);
                    }
                    Err(Refusal::Missing) if !folder.is_empty() => folder = split(folder).0,
                    Err(why) => return Err(why),
                }
            },
        };
        self.files.push(file);
        self.items.push(Item { above, was });
        Ok(())
    }

    /// The folder of this path, opened once.
    fn above(&mut self, path: &str) -> Result<usize, Refusal> {
        if let Some(known) = self.above.iter().position(|above| above.path == path) {
            return Ok(known);
        }
        let folder = parent(&self.root, path)?;
        let id = folder.facts()?.id();
        self.above.push(Above { path: path.to_owned(), folder, id });
        Ok(self.above.len() - 1)
    }

    /// Compares everything with what was taken: the folders at their paths, the files in them.
    pub(super) fn check(&self) -> Result<(), OwnedError> {
        // Whoever looks at the path of the tree afterwards is to find there what was written.
        let there =
            Folder::open(&self.tree_path).and_then(|now| Ok(now.facts()?.id() == self.root.facts()?.id()));
        if !there.unwrap_or(false) {
            let path = self.files.first().map_or_else(String::new, |file| file.path.clone());
            return Err(OwnedError { path, why: Refusal::TreeMoved });
        }
        for (file, item) in self.files.iter().zip(&self.items) {
            self.check_above(item.above)
                .and_then(|()| self.check_item(file, item))
                .map_err(|why| OwnedError { path: file.path.clone(), why })?;
        }
        Ok(())
    }

    /// Compares the folder that is at a path now with the one that was there.
    pub(super) fn check_above(&self, above: usize) -> Result<(), Refusal> {
        let above = &self.above[above];
        let now = parent(&self.root, &above.path)?.facts()?;
        if now.id() == above.id { Ok(()) } else { Err(Refusal::Changed) }
    }

    fn check_item(&self, file: &HeldFile, item: &Item) -> Result<(), Refusal> {
        let above = &self.above[item.above];
        match &item.was {
            Some(was) => same(&above.folder, split(&file.path).1, was),
            None => vacant(above, &file.path),
        }
    }
}

/// Whether the file of this name is the one that was taken, with the same bytes.
pub(super) fn same(folder: &Folder, name: &str, was: &(Facts, [u8; 32])) -> Result<(), Refusal> {
    let (file, facts) = open(folder, name)?;
    let equal = facts == was.0 && digest_of(&file, facts.size)? == Some(was.1);
    if equal { Ok(()) } else { Err(Refusal::Changed) }
}

/// Whether nothing is where a path continues below the folder above it.
fn vacant(above: &Above, path: &str) -> Result<(), Refusal> {
    let below = path[above.path.len()..].trim_start_matches('/');
    let (next, is_name) = below.split_once('/').map_or((below, true), |(next, _)| (next, false));
    match above.folder.look(next)? {
        None => Ok(()),
        Some(facts) if facts.kind == Kind::Link && !is_name => Err(Refusal::Link),
        Some(_) => Err(Refusal::AlreadyThere),
    }
}

fn read(
    folder: &Folder,
    name: &str,
    limits: Limits,
    left: u64,
    into: &mut HeldFile,
) -> Result<(Facts, [u8; 32]), Refusal> {
    let (file, facts) = place::open(folder, name)?;
    if facts.size > limits.file {
        return Err(Refusal::TooLarge(limits.file));
    }
    if facts.size > left {
        return Err(Refusal::TooMuch(limits.total));
    }
    (&file).take(facts.size + 1).read_to_end(&mut into.bytes)?;
    if into.bytes.len() as u64 != facts.size || Facts::of(&file)? != facts {
        return Err(Refusal::Changed);
    }
    let sum = digest::of(&into.bytes);
    into.snapshot = Some(Snapshot {
        device: facts.device,
        inode: facts.inode,
        size: facts.size,
        modified: facts.modified,
        mode: facts.mode,
        sha256: digest::text(&sum),
    });
    Ok((facts, sum))
}
