//! The workspace: the one folder in which the files of a session are, and the boundary around it.
//!
//! The folder is opened once and held. Each operation checks the path, walks to the file part by part by descriptor, looks what
//! stands there, and uses what it looked at. No path is given to the system after the check, so that nothing which is swapped in
//! between leads out.
//!
//! The order is fixed, and the first thing that is wrong is the one that is told: the name (in the order of `name.rs`), the
//! folders of the path from the left (for each: a name beside it that differs only in case, then what it is), the last part (the
//! same, then what stands there: link, file system, kind, number of names, permission), the quota, and then what changed while it
//! was used.

mod boundary;
mod name;
mod quota;
mod reader;

pub(crate) use name::is_unseen;
pub use quota::Quota;
pub(crate) use reader::Changed;

use crate::fact::Fact;
use crate::plain::{SHOWN, fields};
use crate::refusal::{Code, Refusal, Stop};
use boundary::{Doing, Found, Request};
use quota::Used;
use rehearsal_journal::digest::{self, Running};
use rehearsal_world::beneath::{Held, Hindrance, Met, Place};
use rehearsal_world::files;
use std::io::Read;
use std::path::Path;

/// What a session may do in its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much it may write.
    pub quota: Quota,
    /// Whether names are refused beside which another one stands that differs only in case or form of Unicode.
    pub portable: bool,
    /// Permission bits of files that are made, exactly these. A file that is there keeps its own, but no setuid, setgid or
    /// sticky bit. Folders are made for the user alone.
    pub mode: u32,
}

impl Default for Policy {
    /// The quota's own default, portable, and `0o644`.
    fn default() -> Self {
        Self { quota: Quota::default(), portable: true, mode: 0o644 }
    }
}

/// The files of a session. Nothing it does reads or changes anything outside of its folder.
#[derive(Debug)]
pub struct Workspace {
    root: Place,
    policy: Policy,
    used: Used,
}

impl Workspace {
    /// Opens a folder as a workspace and holds it; makes it, for this user alone, where it is missing. Links on the way to it are
    /// the caller's; it itself must be none. Whatever takes its name afterwards, the folder that was opened is meant.
    ///
    /// # Errors
    /// A refusal, where it is a link or no folder; [`Stop::Failed`], where it cannot be made or opened.
    pub fn open(root: &Path, policy: Policy) -> Result<Self, Stop> {
        let opened = Place::root(root).map_err(|why| unopened(root, why))?;
        Ok(Self { root: opened, policy, used: Used::default() })
    }

    /// Whether this folder still has its name: programs that run in it could have removed it, or put another one or a link there.
    /// Those that come later would run elsewhere than files are written and read.
    #[must_use]
    pub fn stands_at(&self, root: &Path) -> bool {
        files::is_there(root)
            && Place::root(root).is_ok_and(|there| there.is_same(&self.root).unwrap_or(false))
    }

    /// How paths are walked here: `openat2` or `part by part`.
    #[must_use]
    pub fn walk(&self) -> &'static str {
        self.root.walk()
    }

    /// Writes a file: whole or not at all, on the disk when it returns. Folders of its path are made where they are missing.
    ///
    /// The fact has `path`, `bytes`, `sha256`, and whether the file was `created`.
    ///
    /// # Errors
    /// A refusal, or [`Stop::Failed`]; what stood there stands there still, and nothing else is left behind.
    pub fn write(&mut self, path: &str, content: &[u8]) -> Result<Fact, Stop> {
        let request = Request { path, doing: Doing::Write };
        let parts = self.parts(request)?;
        let Found { place, missing, name, seen } = request.find(&self.root, &parts, self.policy.portable)?;
        let held = match &seen {
            None => None,
            Some(seen) => {
                let held = place.writable(name, seen).map_err(|why| request.stop(name, why))?;
                request.fit(held.seen())?;
                Some(held)
            }
        };
        let made = missing.len() + usize::from(held.is_none());
        let used = self.used.with(&self.policy.quota, made, content.len());
        let used = used.map_err(|fault| request.refuse(fault, None))?;
        self.put(request, &parts, place, &missing, held.as_ref(), content)?;
        self.used = used;
        Ok(Fact::of(fields([
            ("path", path.into()),
            ("bytes", content.len().into()),
            ("sha256", digest::text(&digest::of(content)).into()),
            ("created", held.is_none().into()),
        ])))
    }

    /// Makes what is missing of the folders, and gives the file its content. Folders that were made are taken away again where
    /// that fails.
    fn put(
        &self,
        request: Request<'_>,
        parts: &[&str],
        place: Place,
        missing: &[&str],
        held: Option<&Held>,
        content: &[u8],
    ) -> Result<(), Stop> {
        let mut above = Vec::new();
        let mut place = place;
        let done = missing
            .iter()
            .try_for_each(|part| {
                let (next, made) = place.make(part).map_err(|why| request.blocked(part, why))?;
                let before = std::mem::replace(&mut place, next);
                above.extend(made.then_some((before, *part)));
                Ok(())
            })
            .and_then(|()| {
                let name = parts.last().copied().unwrap_or_default();
                let mode = held.map_or(self.policy.mode, |held| held.seen().mode) & 0o777;
                let prepared = place.prepare(content, mode).map_err(|why| request.stop(name, why))?;
                self.still(request, parts, &place)?;
                place.put(prepared, name, held).map_err(|why| request.stop(name, why))
            });
        if done.is_err() {
            for (place, part) in above.iter().rev() {
                place.unmake(part);
            }
        }
        done.map(drop)
    }

    /// Whether the folders of a path lead to the same place as before. A folder that was moved out of the workspace, or for
    /// which another one was put in, is not written to.
    fn still(&self, request: Request<'_>, parts: &[&str], before: &Place) -> Result<(), Stop> {
        let folders = &parts[..parts.len().saturating_sub(1)];
        let last = parts.last().copied().unwrap_or_default();
        let mut place = self.root.again().map_err(|why| request.stop(last, why))?;
        for part in folders {
            let next = place.enter(part).and_then(|next| next.ok_or_else(|| Met::Changed.into()));
            place = next.map_err(|why| request.blocked(part, why))?;
        }
        if place.is_same(before).map_err(|why| request.stop(last, why))? {
            return Ok(());
        }
        let why = "a folder of it is another one than before".to_owned();
        Err(request.refuse((Code::Race, why), None))
    }

    /// Looks at a file. That there is none is a fact, too.
    ///
    /// The fact has `path` and `exists`; where it does, `size`, `sha256` and, where it has at most 64 KiB and is UTF-8, its
    /// `text`.
    ///
    /// # Errors
    /// A refusal, or [`Stop::Failed`].
    pub fn read(&self, path: &str) -> Result<Fact, Stop> {
        let request = Request { path, doing: Doing::Read };
        let looked = self.held(request)?.map(|(held, name)| look_through(request, held, name)).transpose()?;
        let mut observed = fields([("path", path.into()), ("exists", looked.is_some().into())]);
        if let Some(Looked { size, sha256, text }) = looked {
            observed.extend(fields([("size", size.into()), ("sha256", sha256.into())]));
            observed.extend(text.map(|text| ("text".to_owned(), text.into())));
        }
        Ok(Fact::of(observed))
    }

    /// The bytes of a file, as many as it had when it was opened. Reading fails where it changed meanwhile.
    ///
    /// # Errors
    /// A refusal, with [`Code::NoFile`] where there is none; or [`Stop::Failed`].
    pub fn reader(&self, path: &str) -> Result<impl Read + use<>, Stop> {
        let request = Request { path, doing: Doing::Read };
        let (held, _) = self.held(request)?.ok_or_else(|| no_file(request))?;
        Ok(reader::Reader::of(held))
    }

    /// SHA-256 of a file, in 64 lower-case hexadecimal digits; none where there is none.
    ///
    /// # Errors
    /// A refusal, or [`Stop::Failed`].
    pub fn digest(&self, path: &str) -> Result<Option<String>, Stop> {
        let request = Request { path, doing: Doing::Read };
        let Some((held, name)) = self.held(request)? else { return Ok(None) };
        Ok(Some(look_through(request, held, name)?.sha256))
    }

    /// Removes a file. One with further names loses this one. Nothing of the quota is given back.
    ///
    /// The fact has `path`, the `bytes` that it had, and `removed`, which is true.
    ///
    /// # Errors
    /// A refusal, with [`Code::NoFile`] where there is none; or [`Stop::Failed`].
    pub fn remove(&mut self, path: &str) -> Result<Fact, Stop> {
        let request = Request { path, doing: Doing::Remove };
        let parts = self.parts(request)?;
        let Found { place, name, seen, .. } = request.find(&self.root, &parts, self.policy.portable)?;
        let seen = seen.ok_or_else(|| no_file(request))?;
        self.still(request, &parts, &place)?;
        place.remove(name, &seen).map_err(|why| request.stop(name, why))?;
        Ok(Fact::of(fields([("path", path.into()), ("bytes", seen.size.into()), ("removed", true.into())])))
    }

    fn parts<'p>(&self, request: Request<'p>) -> Result<Vec<&'p str>, Stop> {
        name::parts(request.path, self.policy.quota.depth).map_err(|fault| request.refuse(fault, None))
    }

    /// Opens a file to read it; none where there is none.
    fn held<'p>(&self, request: Request<'p>) -> Result<Option<(Held, &'p str)>, Stop> {
        let parts = self.parts(request)?;
        let Found { place, name, seen, .. } = request.find(&self.root, &parts, self.policy.portable)?;
        let Some(seen) = seen else { return Ok(None) };
        let held = place.read(name, &seen).map_err(|why| request.stop(name, why))?;
        request.fit(held.seen())?;
        self.policy.quota.fits(held.seen().size).map_err(|fault| request.refuse(fault, None))?;
        Ok(Some((held, name)))
    }
}

/// Why a folder cannot be a workspace.
fn unopened(root: &Path, Hindrance { met, system }: Hindrance) -> Stop {
    let path = root.to_string_lossy();
    let refuse = |code, why| Stop::Refused(boundary::refusal(&path, code, why, system));
    let why = match met {
        Met::Link | Met::Magiclink => {
            return refuse(Code::Symlink, "the workspace itself is a symbolic link");
        }
        Met::Unfit => return refuse(Code::NotRegular, "it, or something above it, is no folder"),
        Met::Elsewhere | Met::Outside => return refuse(Code::PathEscape, "it is no folder of its own"),
        Met::TooLong => return refuse(Code::PathTooLong, "the file system takes no name as long as this"),
        Met::Missing | Met::Taken | Met::Changed => {
            "what stands there changed meanwhile, or takes no folders".into()
        }
        Met::Forbidden => "the system does not permit it to this user".into(),
        Met::System(error) => error.to_string(),
    };
    let system = system.map(|name| format!(" ({name})")).unwrap_or_default();
    Stop::Failed(format!("cannot open the workspace `{}`: {why}{system}", name::escaped(&path)))
}

/// What was seen of a file by reading all of it.
struct Looked {
    size: u64,
    sha256: String,
    text: Option<String>,
}

fn look_through(request: Request<'_>, mut held: Held, name: &str) -> Result<Looked, Stop> {
    let before = *held.seen();
    let (mut running, mut kept, mut size) = (Running::default(), Vec::new(), 0);
    let mut block = vec![0; 64 << 10];
    loop {
        let got = held.read(&mut block).map_err(|error| request.stop(name, error.into()))?;
        if got == 0 {
            break;
        }
        running.update(&block[..got]);
        size += got as u64;
        if before.size <= SHOWN as u64 {
            kept.extend_from_slice(&block[..got]);
        }
    }
    let now = held.now().map_err(|why| request.stop(name, why))?;
    if size != before.size || !before.is_unchanged(&now) {
        return Err(request.stop(name, Met::Changed.into()));
    }
    let text = if size <= SHOWN as u64 { String::from_utf8(kept).ok() } else { None };
    Ok(Looked { size, sha256: digest::text(&running.finish()), text })
}

fn no_file(request: Request<'_>) -> Stop {
    let path = name::escaped(request.path);
    let message = format!("there is no file `{path}` in the workspace");
    let refusal = Refusal { path: Some(path), system: Some("ENOENT"), ..Refusal::new(Code::NoFile, message) };
    refusal.into()
}

#[cfg(test)]
mod tests;
