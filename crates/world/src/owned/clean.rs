//! A clean copy of a work tree, to run tests in: what was judged good beforehand is put in first, and nothing of the tree
//! takes its place.

use super::Tree;
use super::place::{fault, split};
use super::refusal::Refusal;
use crate::files::private_folders;
use crate::handle::{Facts, Folder, Kind};
use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path};
use thiserror::Error;

/// How deep folders are copied.
const DEPTH: usize = 64;

/// Most things that are named as left out; the rest is counted.
const NAMED: usize = 1000;

/// A file that stands in the copy whatever the tree has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// Its path, `/` between the parts.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be run.
    pub executable: bool,
}

/// What a copy takes.
pub struct Clean<'c> {
    /// Files that are put in before anything of the tree.
    pub originals: &'c [Original],
    /// Whether a path of the tree, `/` between the parts, must come from the originals or not at all.
    pub protected: &'c dyn Fn(&str) -> bool,
    /// Whether a path is left out with all below it.
    pub without: &'c dyn Fn(&str) -> bool,
    /// Whether what is named `.git`, in any case, is left out, anywhere.
    pub without_git: bool,
    /// Most files, folders and links that are copied.
    pub files: usize,
    /// Most bytes that are copied.
    pub bytes: u64,
}

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files, folders and links, originals among them.
    pub files: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Paths that were left out, with the reason; at most 1000, in the order they were met.
    pub left_out: Vec<(String, LeftOut)>,
    /// How many more were left out.
    pub more_left_out: usize,
}

/// Why something of a tree is not in its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It is git's.
    Git,
    /// Nobody wants it in the copy.
    Unwanted,
    /// It is protected and no original.
    Protected,
    /// An original has its place.
    Replaced,
    /// It is a link that leads out, or may.
    LeadsOut,
    /// It is a pipe, a socket or a device.
    NotRegular,
    /// Its name is no text, or no path.
    BadName,
    /// It went or changed while it was copied.
    Changed,
}

/// Why a tree cannot be copied.
#[derive(Debug, Error)]
pub enum CopyError {
    /// There are too many files.
    #[error("more than {0} files are in the tree")]
    TooMany(usize),
    /// There are too many bytes.
    #[error("more than {0} bytes are in the tree")]
    TooMuch(u64),
    /// Folders are in folders without end.
    #[error("{0:?} is too deep")]
    TooDeep(String),
    /// The copy's place is not empty.
    #[error("the folder of the copy is not empty")]
    NotEmpty,
    /// An original's path is none.
    #[error("{0:?} is no path of an original: {1}")]
    BadOriginal(String, &'static str),
    /// What the system says.
    #[error("cannot copy {path:?}: {source}")]
    System {
        /// The path.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Copies a tree into a folder, which is made, or is there and empty. No link is followed; one that stays inside is copied as a
/// link, one that leads out is left out. Files that have further names are copied as files of their own.
///
/// # Errors
/// [`CopyError`]; what was copied until then stays for the caller to remove.
pub fn copy_clean(tree: &Tree, to: &Path, clean: &Clean<'_>) -> Result<Copied, CopyError> {
    let at_root = |source| failed("", source);
    private_folders(to).map_err(at_root)?;
    let to = Folder::open(to).map_err(at_root)?;
    let (_, something) = to.names(0).map_err(at_root)?;
    if something {
        return Err(CopyError::NotEmpty);
    }
    let mut copying = Copying { clean, copied: Copied::default() };
    for original in clean.originals {
        copying.original(&to, original)?;
    }
    copying.folder(&tree.root, &to, "", 0)?;
    Ok(copying.copied)
}

struct Copying<'c> {
    clean: &'c Clean<'c>,
    copied: Copied,
}

impl Copying<'_> {
    fn original(&mut self, to: &Folder, original: &Original) -> Result<(), CopyError> {
        let path = &original.path;
        if let Some(why) = fault(path) {
            return Err(CopyError::BadOriginal(path.clone(), why));
        }
        let at = |source| failed(path, source);
        let (above, name) = split(path);
        let mut folder = to.again().map_err(at)?;
        for part in above.split('/').filter(|part| !part.is_empty()) {
            match folder.make_folder(part) {
                Ok(()) => self.count(0)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(at(error)),
            }
            folder = folder.folder(OsStr::new(part)).map_err(at)?;
        }
        self.count(original.bytes.len() as u64)?;
        let mode = if original.executable { 0o777 } else { 0o666 };
        let mut file = folder.create(name, mode).map_err(at)?;
        file.write_all(&original.bytes).map_err(at)?;
        Ok(())
    }

    fn folder(&mut self, from: &Folder, to: &Folder, prefix: &str, depth: usize) -> Result<(), CopyError> {
        let left = self.clean.files.saturating_sub(self.copied.files);
        // Some may be left out, so there may be more of them than can be copied; but not without bound.
        let most = left.saturating_mul(2).saturating_add(NAMED);
        let (names, more) = from.names(most).map_err(|source| failed(prefix, source))?;
        if more {
            return Err(CopyError::TooMany(self.clean.files));
        }
        for name in names {
            let path = format!("{prefix}{}", name.to_string_lossy());
            if let Some(why) = self.one(from, to, &name, &path, depth)? {
                if self.copied.left_out.len() < NAMED {
                    self.copied.left_out.push((path, why));
                } else {
                    self.copied.more_left_out += 1;
                }
            }
        }
        Ok(())
    }

    /// Copies what has one name; says why not where it does not.
    fn one(
        &mut self,
        from: &Folder,
        to: &Folder,
        name: &OsStr,
        path: &str,
        depth: usize,
    ) -> Result<Option<LeftOut>, CopyError> {
        let at = |source| failed(path, source);
        if name.to_str().is_none() || fault(path).is_some() {
            return Ok(Some(LeftOut::BadName));
        }
        if self.clean.without_git && name.eq_ignore_ascii_case(".git") {
            return Ok(Some(LeftOut::Git));
        }
        if (self.clean.without)(path) {
            return Ok(Some(LeftOut::Unwanted));
        }
        let Some(facts) = from.look(name).map_err(at)? else { return Ok(Some(LeftOut::Changed)) };
        if facts.kind == Kind::Folder {
            return self.inner(from, to, name, path, depth);
        }
        if to.look(name).map_err(at)?.is_some() {
            return Ok(Some(LeftOut::Replaced));
        }
        if (self.clean.protected)(path) {
            return Ok(Some(LeftOut::Protected));
        }
        match facts.kind {
            Kind::File => self.file(from, to, name, path),
            Kind::Link => {
                let holds = from.link(name).map_err(at)?;
                if !stays(&holds, depth) || !to.make_link(&holds, name).map_err(at)? {
                    return Ok(Some(LeftOut::LeadsOut));
                }
                self.count(0)?;
                Ok(None)
            }
            Kind::Folder | Kind::Other => Ok(Some(LeftOut::NotRegular)),
        }
    }

    fn inner(
        &mut self,
        from: &Folder,
        to: &Folder,
        name: &OsStr,
        path: &str,
        depth: usize,
    ) -> Result<Option<LeftOut>, CopyError> {
        let at = |source| failed(path, source);
        if depth == DEPTH {
            return Err(CopyError::TooDeep(path.to_owned()));
        }
        let inner = match from.folder(name) {
            Ok(inner) => inner,
            Err(error) => {
                return match Refusal::from(error) {
                    Refusal::Missing | Refusal::NotFolder | Refusal::Link => Ok(Some(LeftOut::Changed)),
                    Refusal::System(error) => Err(at(error)),
                    why => Err(at(io::Error::other(why))),
                };
            }
        };
        match to.make_folder(name) {
            Ok(()) => self.count(0)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(at(error)),
        }
        match to.look(name).map_err(at)?.map(|facts| facts.kind) {
            Some(Kind::Folder) => {}
            Some(Kind::File | Kind::Link | Kind::Other) | None => return Ok(Some(LeftOut::Replaced)),
        }
        let target = to.folder(name).map_err(at)?;
        self.folder(&inner, &target, &format!("{path}/"), depth + 1)?;
        Ok(None)
    }

    fn file(
        &mut self,
        from: &Folder,
        to: &Folder,
        name: &OsStr,
        path: &str,
    ) -> Result<Option<LeftOut>, CopyError> {
        let at = |source| failed(path, source);
        let file = match from.file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(LeftOut::Changed)),
            Err(error) => return Err(at(error)),
        };
        let facts = Facts::of(&file).map_err(at)?;
        if facts.kind != Kind::File {
            return Ok(Some(LeftOut::Changed));
        }
        self.count(facts.size)?;
        let mode = if facts.mode & 0o111 == 0 { 0o666 } else { 0o777 };
        let mut copy = to.create(name, mode).map_err(at)?;
        // One that grows meanwhile is cut off: what was counted is what is copied.
        let len = io::copy(&mut (&file).take(facts.size), &mut copy).map_err(at)?;
        self.copied.bytes -= facts.size - len;
        Ok(None)
    }

    fn count(&mut self, bytes: u64) -> Result<(), CopyError> {
        self.copied.files += 1;
        self.copied.bytes = self.copied.bytes.saturating_add(bytes);
        if self.copied.files > self.clean.files {
            return Err(CopyError::TooMany(self.clean.files));
        }
        if self.copied.bytes > self.clean.bytes {
            return Err(CopyError::TooMuch(self.clean.bytes));
        }
        Ok(())
    }
}

/// Whether a link in a folder so many folders below the root stays inside. Parts `..` count only at its start: there they
/// are folders of the tree, whereas behind a name they may be those of wherever another link leads.
fn stays(holds: &Path, depth: usize) -> bool {
    let (mut up, mut named) = (0, false);
    holds.components().all(|part| match part {
        Component::Prefix(_) | Component::RootDir => false,
        Component::CurDir => true,
        Component::ParentDir => {
            up += 1;
            !named && up <= depth
        }
        Component::Normal(_) => {
            named = true;
            true
        }
    })
}

fn failed(path: &str, source: io::Error) -> CopyError {
    CopyError::System { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
