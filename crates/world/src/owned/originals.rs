//! Files of a tree that must be what they were: read before anything untrusted runs, and compared afterwards.

use super::Tree;
use super::clean::Original;
use super::place::{fault, parent, split};
use crate::handle::{Facts, Folder, Kind};
use std::io::{self, Read as _};
use thiserror::Error;

/// How deep folders are looked into.
const DEPTH: usize = 64;

/// How much is looked at and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most names that are looked at.
    pub names: usize,
    /// Most bytes that are kept.
    pub bytes: u64,
}

impl Default for Bounds {
    /// 200,000 names, 64 MiB.
    fn default() -> Self {
        Self { names: 200_000, bytes: 64 << 20 }
    }
}

/// Why they cannot be kept.
#[derive(Debug, Error)]
pub enum KeepError {
    /// Too many names.
    #[error("more than {0} names are in the tree")]
    TooMany(usize),
    /// Too many bytes.
    #[error("the protected files hold more than {0} bytes")]
    TooMuch(u64),
    /// What the system says.
    #[error("cannot read {path:?}: {source}")]
    System {
        /// The path.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Tree {
    /// Reads all regular files that `wanted` names, sorted by path. Folders that `skipped` names are not entered, and no link is
    /// followed.
    ///
    /// # Errors
    /// [`KeepError`].
    pub fn keep(
        &self,
        wanted: &dyn Fn(&str) -> bool,
        skipped: &dyn Fn(&str) -> bool,
        bounds: Bounds,
    ) -> Result<Vec<Original>, KeepError> {
        let mut keeping = Keeping { wanted, skipped, bounds, names: 0, bytes: 0, kept: Vec::new() };
        keeping.folder(&self.root, "", DEPTH)?;
        keeping.kept.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(keeping.kept)
    }

    /// Paths of those originals that are not in the tree as they were, in their order.
    #[must_use]
    pub fn changed<'o>(&self, originals: &'o [Original]) -> Vec<&'o str> {
        let is_same = |original: &Original| {
            let (above, name) = split(&original.path);
            let held = parent(&self.root, above).ok().and_then(|folder| read(&folder, name).ok().flatten());
            held.is_some_and(|bytes| bytes == original.bytes)
        };
        originals
            .iter()
            .filter(|original| !is_same(original))
            .map(|original| original.path.as_str())
            .collect()
    }
}

struct Keeping<'k> {
    wanted: &'k dyn Fn(&str) -> bool,
    skipped: &'k dyn Fn(&str) -> bool,
    bounds: Bounds,
    names: usize,
    bytes: u64,
    kept: Vec<Original>,
}

impl Keeping<'_> {
    fn folder(&mut self, folder: &Folder, prefix: &str, depth: usize) -> Result<(), KeepError> {
        let failed = |path: &str, source| KeepError::System { path: path.to_owned(), source };
        let left = self.bounds.names - self.names;
        let (names, more) = folder.names(left).map_err(|source| failed(prefix, source))?;
        if more {
            return Err(KeepError::TooMany(self.bounds.names));
        }
        self.names += names.len();
        for name in names {
            let Some(name) = name.to_str() else { continue };
            let path = format!("{prefix}{name}");
            if fault(&path).is_some() || (self.skipped)(&path) {
                continue;
            }
            // What goes while we look is not there.
            let Ok(Some(facts)) = folder.look(name) else { continue };
            match facts.kind {
                Kind::Folder if depth > 0 => {
                    if let Ok(inner) = folder.folder(name.as_ref()) {
                        self.folder(&inner, &format!("{path}/"), depth - 1)?;
                    }
                }
                Kind::File if (self.wanted)(&path) => {
                    self.bytes = self.bytes.saturating_add(facts.size);
                    if self.bytes > self.bounds.bytes {
                        return Err(KeepError::TooMuch(self.bounds.bytes));
                    }
                    if let Some(bytes) = read(folder, name).map_err(|source| failed(&path, source))? {
                        self.kept.push(Original { path, bytes, executable: facts.mode & 0o111 != 0 });
                    }
                }
                Kind::Folder | Kind::File | Kind::Link | Kind::Other => {}
            }
        }
        Ok(())
    }
}

/// A regular file's bytes, as many as it has when it is opened; none where it is none, or one that is gone.
fn read(folder: &Folder, name: &str) -> io::Result<Option<Vec<u8>>> {
    if !folder.look(name)?.is_some_and(|facts| facts.kind == Kind::File) {
        return Ok(None);
    }
    let file = folder.file(name)?;
    let facts = Facts::of(&file)?;
    if facts.kind != Kind::File {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(facts.size).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
