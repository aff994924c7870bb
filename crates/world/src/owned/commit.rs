//! A commit: everything is compared, written beside its place, and then changes places, all or nothing.
//!
//! New and old files change places, so that the old one is kept until the end, and so that what was really replaced can be
//! looked at afterwards: where that is not what was taken, it goes back.

use super::held::{Held, Item, same};
use super::place::{self, beside, split};
use super::record::{Line, RECORD, Record, STAGED, UNDO};
use super::refusal::{OwnedError, Refusal};
use super::report::{Cause, CommitError, Committed, Fate, PathReport};
use super::trade::{make_like, settle, trade};
use super::turn::Turn;
use crate::handle::{Facts, Folder};
use crate::vault::{self, VaultError};
use rehearsal_journal::digest;
use std::fs::File;
use std::io::{self, Write as _};

impl Held {
    /// Puts new contents in the place of files that were taken: all of them or none. What was taken and is not among the
    /// changes must be as it was, too.
    ///
    /// While it works, `record` holds a file [`RECORD`] by which [`super::Tree::recover`] ends what a kill interrupts. When it
    /// returns, the new files are on the disk.
    ///
    /// # Errors
    /// [`CommitError`] with the cause and what became of each file: those that others changed in the middle of it are left
    /// to them (`Dirty`), all else is as it was.
    pub fn commit(self, record: &vault::Folder, changes: &[(&str, &[u8])]) -> Result<Committed, CommitError> {
        let _turn = Turn::wait(&self.root).map_err(|source| {
            let path = self.tree_path.display().to_string();
            CommitError { cause: Cause::Write { path, source }, paths: Vec::new() }
        })?;
        let mut commit = Commit::new(&self, record, changes)?;
        let done = commit
            .list()
            .and_then(|()| commit.stage())
            .and_then(|()| (0..commit.parts.len()).try_for_each(|at| commit.swap(at)))
            .and_then(|()| commit.check());
        match done {
            Ok(()) => Ok(commit.finish()),
            Err(cause) => Err(commit.undo(cause)),
        }
    }
}

/// One file of a commit.
struct Part<'c> {
    path: &'c str,
    bytes: &'c [u8],
    item: &'c Item,
    line: Line,
    /// The new file, once it is made.
    staged: Option<Staged>,
}

/// A new file. It is held open, so that no other can get its number.
struct Staged {
    _open: File,
    /// What it was when it was last written to by us.
    facts: Facts,
}

/// A folder that was made for new files.
struct Made {
    path: String,
    folder: Folder,
    id: (u64, u64),
}

pub(super) struct Commit<'c> {
    held: &'c Held,
    records: &'c vault::Folder,
    record: Record,
    /// The record on the disk, once it is there.
    log: Option<vault::Record>,
    parts: Vec<Part<'c>>,
    made: Vec<Made>,
    /// Files whose new contents are the old ones.
    reports: Vec<PathReport>,
}

impl<'c> Commit<'c> {
    /// Compares all that was taken, and writes nothing.
    pub(super) fn new(
        held: &'c Held,
        records: &'c vault::Folder,
        changes: &[(&'c str, &'c [u8])],
    ) -> Result<Self, CommitError> {
        let refused = |cause| CommitError { cause, paths: Vec::new() };
        let chosen = choose(held, changes).map_err(refused)?;
        let record = Record::new(&held.root, &held.tree_path);
        let record = record.map_err(|source| refused(Cause::Write { path: String::new(), source }))?;
        let token = crate::ids::case_token().map_err(|error| refused(Cause::NoRandom(error)))?;
        let mut commit = Self {
            held,
            records,
            record,
            log: None,
            parts: Vec::new(),
            made: Vec::new(),
            reports: Vec::new(),
        };
        for (at, item) in chosen.into_iter().enumerate() {
            commit.plan(changes[at], item, format!(".rehearsal-{token}-{at}"));
        }
        match held.check() {
            Ok(()) => Ok(commit),
            Err(error) => Err(commit.undo(Cause::Stale(error))),
        }
    }

    fn plan(&mut self, (path, bytes): (&'c str, &'c [u8]), item: &'c Item, temporary: String) {
        let new = (bytes.len() as u64, digest::of(bytes));
        let old = item.was.map(|(facts, sum)| (facts.size, sum));
        let before = old.map(|(_, sum)| digest::text(&sum));
        let report = PathReport {
            path: path.to_owned(),
            fate: Fate::RolledBack,
            after: before.clone(),
            before,
            kept: None,
        };
        self.reports.push(report);
        if old == Some(new) {
            return;
        }
        for folder in missing(self.held, path, item) {
            if !self.record.made.contains(&folder) {
                self.record.made.push(folder);
            }
        }
        let line = Line { path: path.to_owned(), temporary, old, new };
        self.record.files.push(line.clone());
        self.parts.push(Part { path, bytes, item, line, staged: None });
    }

    /// Writes down what is going to be done: from here on a kill is not the end.
    pub(super) fn list(&mut self) -> Result<(), Cause> {
        let taken =
            |error: VaultError| if error.is_taken() { Cause::Unrecovered } else { Cause::Record(error) };
        let log = self.log.insert(self.records.create(RECORD).map_err(taken)?);
        log.write(self.record.text().as_bytes())
            .and_then(|()| log.sync())
            .and_then(|()| self.records.sync())
            .map_err(Cause::Record)
    }

    /// Makes folders and writes the new files beside their places.
    pub(super) fn stage(&mut self) -> Result<(), Cause> {
        for path in self.record.made.clone() {
            self.make(&path).map_err(|why| stale(&path, why))?;
        }
        for at in 0..self.parts.len() {
            let path = self.parts[at].path;
            self.write(at).map_err(|source| failed(path, source))?;
        }
        self.sync()?;
        self.say(STAGED).map_err(Cause::Record)
    }

    fn make(&mut self, path: &str) -> Result<(), Refusal> {
        let (above, name) = split(path);
        let above = self.folder(above).ok_or(Refusal::Missing)?;
        above.make_folder(name)?;
        let folder = above.folder(name.as_ref())?;
        let id = folder.facts()?.id();
        self.made.push(Made { path: path.to_owned(), folder, id });
        Ok(())
    }

    fn write(&mut self, at: usize) -> io::Result<()> {
        let Part { path, bytes, item, ref line, .. } = self.parts[at];
        let (above, name) = split(path);
        let folder = self.folder(above).ok_or(io::ErrorKind::NotFound)?;
        // What is created gets what the user's mask leaves, but nobody else sees it before it is whole.
        let mode = if item.was.is_some() { 0o600 } else { 0o666 };
        let mut file = folder.create(&line.temporary, mode)?;
        let facts = Facts::of(&file)?;
        let old = item.was.map(|(was, _)| folder.file(name).map(|old| (old, was)));
        // Known from its first byte on: what cannot be written to its end is removed.
        self.parts[at].staged = Some(Staged { _open: file.try_clone()?, facts });
        set_mode(&file, 0o600)?;
        file.write_all(bytes)?;
        match old.transpose()? {
            Some((old, was)) => make_like(&file, &old, &was)?,
            None => set_mode(&file, facts.mode)?,
        }
        file.sync_all()?;
        let facts = Facts::of(&file)?;
        self.parts[at].staged = Some(Staged { _open: file, facts });
        Ok(())
    }

    /// Lets one new file and the old one change places, and looks at what came out.
    pub(super) fn swap(&mut self, at: usize) -> Result<(), Cause> {
        let Part { path, item, ref line, .. } = self.parts[at];
        let (above, name) = split(path);
        self.in_place(above).map_err(|why| stale(path, why))?;
        let folder = self.folder(above).ok_or_else(|| stale(path, Refusal::Missing))?;
        match &item.was {
            Some(was) => {
                trade(folder, &line.temporary, name).map_err(|error| failed(path, error))?;
                same(folder, &line.temporary, was).map_err(|why| stale(path, why))
            }
            None => folder.rename_new(&line.temporary, name).map_err(|error| failed(path, error)),
        }
    }

    /// After all of them: the folders are where they were, and the disk knows it.
    pub(super) fn check(&self) -> Result<(), Cause> {
        self.sync()?;
        self.parts.iter().try_for_each(|part| self.check_part(part).map_err(|why| stale(part.path, why)))
    }

    fn check_part(&self, part: &Part<'_>) -> Result<(), Refusal> {
        let (above, name) = split(part.path);
        self.in_place(above)?;
        let seen = self.folder(above).ok_or(Refusal::Missing)?.look(name)?;
        let ours = seen.is_some() && seen == part.staged.as_ref().map(|staged| staged.facts);
        if ours { Ok(()) } else { Err(Refusal::Changed) }
    }

    /// Removes the old files and the record.
    pub(super) fn finish(mut self) -> Committed {
        let mut left = Vec::new();
        for part in &self.parts {
            let (above, _) = split(part.path);
            let gone = part.item.was.is_none()
                || self.folder(above).is_some_and(|folder| folder.remove(&part.line.temporary).is_ok());
            if !gone {
                left.push(beside(part.path, &part.line.temporary));
            }
        }
        // The new files are safe already; what is lost here only leaves something to tidy up.
        drop(self.sync());
        self.forget();
        for report in &mut self.reports {
            report.fate = Fate::Applied;
            if let Some(part) = self.parts.iter().find(|part| part.path == report.path) {
                report.after = Some(digest::text(&part.line.new.1));
            }
        }
        Committed { paths: self.reports, left }
    }

    /// Puts everything back, and says what became of each file. Where the system does not let it, the record stays, and a
    /// recovery does the rest.
    pub(super) fn undo(mut self, cause: Cause) -> CommitError {
        if self.log.is_some() {
            // Where this cannot be written, a kill from here on would end in the new files instead of the old ones: whole, too.
            drop(self.say(UNDO));
            let stuck = (0..self.parts.len()).rev().filter(|at| self.put_back(*at).is_err()).count();
            let safe = self.sync().is_ok();
            for made in self.made.iter().rev() {
                let (above, name) = split(&made.path);
                // One that holds something else by now stays.
                drop(self.folder(above).map(|folder| folder.remove_folder(name)));
            }
            if stuck == 0 && safe {
                self.forget();
            }
        }
        let staged = |path: &str| {
            let part = self.parts.iter().find(|part| part.path == path && part.staged.is_some())?;
            Some(part.line.temporary.as_str())
        };
        let look = |report: &PathReport| {
            let (path, before) = (&report.path, report.before.clone());
            PathReport::look(&self.held.root, path, staged(path), before, None)
        };
        CommitError { cause, paths: self.reports.iter().map(look).collect() }
    }

    fn put_back(&self, at: usize) -> io::Result<()> {
        let Part { path, item, ref line, staged: Some(ref staged), .. } = self.parts[at] else {
            return Ok(());
        };
        let (above, name) = split(path);
        let Some(folder) = self.folder(above) else { return Ok(()) };
        settle(folder, &line.temporary, name)?;
        // One that others wrote to is theirs.
        let back = folder.look(name)? == Some(staged.facts);
        if back {
            match item.was {
                Some(_) => trade(folder, &line.temporary, name)?,
                None => folder.rename_new(name, &line.temporary)?,
            }
        }
        let seen = folder.look(&line.temporary)?;
        if seen.is_some_and(|facts| facts.id() == staged.facts.id()) {
            return folder.remove(&line.temporary);
        }
        // Somebody was quicker than the look: what they put there goes back to them.
        match (back, item.was) {
            (true, Some(_)) => trade(folder, &line.temporary, name),
            (true, None) => folder.rename_new(&line.temporary, name),
            (false, _) => Ok(()),
        }
    }

    /// The folder of this path: one that was there, or one that was made.
    fn folder(&self, path: &str) -> Option<&Folder> {
        let there = self.held.above.iter().find(|above| above.path == path).map(|above| &above.folder);
        there.or_else(|| self.made.iter().find(|made| made.path == path).map(|made| &made.folder))
    }

    /// Whether the folder at a path is still the one that is held.
    fn in_place(&self, path: &str) -> Result<(), Refusal> {
        match self.held.above.iter().position(|above| above.path == path) {
            Some(above) => self.held.check_above(above),
            None => {
                let now = place::parent(&self.held.root, path)?.facts()?.id();
                let held = self.made.iter().any(|made| made.path == path && made.id == now);
                if held { Ok(()) } else { Err(Refusal::Changed) }
            }
        }
    }

    fn sync(&self) -> Result<(), Cause> {
        let mut done: Vec<&str> = Vec::new();
        let made = self.made.iter().map(|made| split(&made.path).0);
        for path in self.parts.iter().map(|part| split(part.path).0).chain(made) {
            if done.contains(&path) {
                continue;
            }
            done.push(path);
            let synced = self.folder(path).map_or(Ok(()), Folder::sync);
            synced.map_err(|source| Cause::Write { path: path.to_owned(), source })?;
        }
        Ok(())
    }

    fn say(&mut self, word: &str) -> Result<(), VaultError> {
        match &mut self.log {
            Some(log) => log.write(word.as_bytes()).and_then(|()| log.sync()),
            None => Ok(()),
        }
    }

    fn forget(&mut self) {
        self.log = None;
        drop(self.records.remove(RECORD).and_then(|()| self.records.sync()));
    }
}

/// The item of each change.
fn choose<'c>(held: &'c Held, changes: &[(&str, &[u8])]) -> Result<Vec<&'c Item>, Cause> {
    let limits = held.limits;
    let mut left = limits.total;
    let mut chosen: Vec<usize> = Vec::new();
    for (path, bytes) in changes {
        let at = held.files.iter().position(|file| file.path == *path);
        let at = at.ok_or_else(|| Cause::NotHeld((*path).to_owned()))?;
        if chosen.contains(&at) {
            return Err(Cause::Twice((*path).to_owned()));
        }
        chosen.push(at);
        let size = bytes.len() as u64;
        if size > limits.file || size > left {
            let limit = if size > limits.file { limits.file } else { limits.total };
            return Err(Cause::TooLarge { path: (*path).to_owned(), limit });
        }
        left -= size;
    }
    Ok(chosen.into_iter().map(|at| &held.items[at]).collect())
}

/// The folders of a path that were not there, each after the one above it.
fn missing(held: &Held, path: &str, item: &Item) -> Vec<String> {
    let above = &held.above[item.above].path;
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.filter(|end| *end > above.len()).map(|end| path[..end].to_owned()).collect()
}

fn stale(path: &str, why: Refusal) -> Cause {
    Cause::Stale(OwnedError { path: path.to_owned(), why })
}

/// A file that went or came in the middle is somebody else's doing.
fn failed(path: &str, source: io::Error) -> Cause {
    match Refusal::from(source) {
        Refusal::System(source) => Cause::Write { path: path.to_owned(), source },
        why => stale(path, why),
    }
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
