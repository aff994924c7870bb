//! Ends a commit that was interrupted. What is on the disk decides: which files hold old bytes, which new ones.
//!
//! It goes forward where every file is on its way, and back where staging was not over, undoing had begun, or somebody
//! else changed a file meanwhile. Being interrupted itself does no harm: the next try sees what is left to do.

use super::Tree;
use super::place::{self, digest_of, open, split};
use super::record::{Found, LONGEST, Line, Phase, RECORD, Record, Sum, UNDO};
use super::refusal::Refusal;
use super::report::{Cause, CommitError, PathReport, Recovered};
use super::trade::{settle, trade};
use super::turn::Turn;
use crate::handle::Folder;
use crate::vault;
use rehearsal_journal::digest;
use std::io;

/// How an interrupted commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There was none, or it had not begun.
    Nothing,
    /// The tree is as it was before.
    Undone,
    /// The tree is as it should be after it.
    Finished,
}

/// Where a file of a commit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    /// The old file is in its place; a temporary one may be there, whole or not.
    Old { whole: bool },
    /// The new file is in its place; the old one may be kept beside it.
    New { kept: bool },
    /// Neither.
    Foreign,
}

impl Tree {
    /// Ends a commit on this tree that was interrupted, if there is one. To be called before anything else looks at the
    /// tree; `record` is the folder that the commit was given.
    ///
    /// Files that somebody else changed meanwhile are left as they are (`Dirty`).
    ///
    /// # Errors
    /// [`CommitError`] where the record cannot be read or is of another tree, or a file cannot be moved; the record stays.
    pub fn recover(&self, record: &vault::Folder) -> Result<Recovered, CommitError> {
        let failed = |cause| CommitError { cause, paths: Vec::new() };
        let nothing = Recovered { ended: Ended::Nothing, paths: Vec::new() };
        let bytes = record.read(RECORD, LONGEST).map_err(|error| failed(Cause::Record(error)))?;
        let Some(bytes) = bytes else { return Ok(nothing) };
        let _turn = Turn::wait(&self.root)
            .map_err(|source| failed(Cause::Write { path: self.path.display().to_string(), source }))?;
        let found = Record::read(&bytes).map_err(failed)?;
        let recovered = match found {
            Found::Unfinished => nothing,
            Found::Whole(list, phase) => self.end(&list, phase, record).map_err(failed)?,
        };
        let forgotten = record.remove(RECORD).and_then(|()| record.sync());
        forgotten.map_err(|error| failed(Cause::Record(error)))?;
        Ok(recovered)
    }

    fn end(&self, list: &Record, phase: Phase, record: &vault::Folder) -> Result<Recovered, Cause> {
        let here = Record::new(&self.root, &self.path).map_err(|source| failed("", source))?;
        if here.tree != list.tree && here.place != list.place {
            return Err(Cause::Unreadable("is of another tree"));
        }
        let stands: Vec<Stand> = list.files.iter().map(|line| self.stand(line)).collect::<Result<_, _>>()?;
        let forward = phase == Phase::Staged && goes_forward(&list.files, &stands);
        if !forward && phase == Phase::Staged {
            // Said first, so that a kill in the middle of it leads back, too.
            let said = record
                .append(RECORD)
                .and_then(|mut log| log.write(UNDO.as_bytes()).and_then(|()| log.sync()));
            said.map_err(Cause::Record)?;
        }
        for (line, stand) in list.files.iter().zip(&stands) {
            self.move_on(line, *stand, forward).map_err(|source| failed(&line.path, source))?;
        }
        self.sync(list).map_err(|source| failed("", source))?;
        if forward {
            // Only now: until the new names are on the disk the old files are needed.
            list.files.iter().for_each(|line| self.tidy(line, Some(line.new)));
        } else {
            list.files.iter().for_each(|line| self.tidy(line, line.old));
            list.made.iter().rev().for_each(|path| {
                let (above, name) = split(path);
                drop(self.root.beneath(above).and_then(|folder| folder.remove_folder(name)));
            });
        }
        let ended = if forward { Ended::Finished } else { Ended::Undone };
        Ok(Recovered { ended, paths: list.files.iter().map(|line| self.report(line)).collect() })
    }

    /// The folder of a file; none where it is not there or no longer to be trusted: then the file is not touched.
    fn above(&self, line: &Line) -> Result<Option<Folder>, Cause> {
        match place::parent(&self.root, split(&line.path).0) {
            Ok(folder) => Ok(Some(folder)),
            Err(Refusal::Missing | Refusal::Link | Refusal::NotFolder) => Ok(None),
            Err(Refusal::System(source)) => Err(failed(&line.path, source)),
            Err(_) => Ok(None),
        }
    }

    fn stand(&self, line: &Line) -> Result<Stand, Cause> {
        let Some(folder) = self.above(line)? else {
            // A folder that was never made, or is gone again.
            return Ok(if line.old.is_none() { Stand::Old { whole: false } } else { Stand::Foreign });
        };
        let at = |source| failed(&line.path, source);
        let name = split(&line.path).1;
        settle(&folder, &line.temporary, name).map_err(at)?;
        let has = |name: &str, sum: Option<Sum>| match sum {
            Some(sum) => holds(&folder, name, sum),
            None => folder.look(name).map(|seen| seen.is_none()),
        };
        // The same bytes are never in a record as old and new.
        Ok(if has(name, line.old).map_err(at)? {
            Stand::Old { whole: has(&line.temporary, Some(line.new)).map_err(at)? }
        } else if has(name, Some(line.new)).map_err(at)? {
            Stand::New { kept: line.old.is_some() && has(&line.temporary, line.old).map_err(at)? }
        } else {
            Stand::Foreign
        })
    }

    /// Brings one file to where it belongs, with its counterpart under the temporary name.
    fn move_on(&self, line: &Line, stand: Stand, forward: bool) -> io::Result<()> {
        let (above, name) = split(&line.path);
        let folder = || self.root.beneath(above);
        match (stand, forward) {
            (Stand::Old { whole: true }, true) if line.old.is_some() => {
                trade(&folder()?, &line.temporary, name)
            }
            (Stand::Old { whole: true }, true) => folder()?.rename_new(&line.temporary, name),
            (Stand::New { kept: true }, false) => trade(&folder()?, &line.temporary, name),
            (Stand::New { .. }, false) if line.old.is_none() => folder()?.rename_new(name, &line.temporary),
            (Stand::Old { .. } | Stand::New { .. } | Stand::Foreign, _) => Ok(()),
        }
    }

    /// Removes what is under a temporary name, unless the file itself is not as it should be: then it may be all that is left.
    fn tidy(&self, line: &Line, wanted: Option<Sum>) {
        let (above, name) = split(&line.path);
        let Ok(folder) = self.root.beneath(above) else { return };
        let as_wanted = match wanted {
            Some(sum) => holds(&folder, name, sum).unwrap_or(false),
            None => folder.look(name).is_ok_and(|seen| seen.is_none()),
        };
        // New bytes came from elsewhere and are lost without harm.
        let spare =
            as_wanted || !line.old.is_some_and(|old| holds(&folder, &line.temporary, old).unwrap_or(true));
        if spare {
            drop(folder.remove(&line.temporary));
        }
    }

    fn sync(&self, list: &Record) -> io::Result<()> {
        let mut done = Vec::new();
        for line in &list.files {
            let above = split(&line.path).0;
            if !done.contains(&above) {
                done.push(above);
                if let Ok(folder) = self.root.beneath(above) {
                    folder.sync()?;
                }
            }
        }
        Ok(())
    }

    fn report(&self, line: &Line) -> PathReport {
        let text = |(_, sum): Sum| digest::text(&sum);
        let (before, new) = (line.old.map(text), text(line.new));
        PathReport::look(&self.root, &line.path, Some(&line.temporary), before, Some(&new))
    }
}

/// Whether all files are on their way, or the old ones are being removed: that begins when all new ones were in place, so
/// what differs now was changed afterwards.
fn goes_forward(files: &[Line], stands: &[Stand]) -> bool {
    let ended = files
        .iter()
        .zip(stands)
        .any(|(line, stand)| line.old.is_some() && *stand == Stand::New { kept: false });
    ended
        || stands.iter().all(|stand| match stand {
            Stand::Old { whole } => *whole,
            Stand::New { .. } => true,
            Stand::Foreign => false,
        })
}

/// Whether a regular file of this name has these bytes.
fn holds(folder: &Folder, name: &str, (size, sum): Sum) -> io::Result<bool> {
    match open(folder, name) {
        Ok((file, facts)) if facts.size == size => Ok(digest_of(&file, size)? == Some(sum)),
        Ok(_) => Ok(false),
        Err(Refusal::System(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

fn failed(path: &str, source: io::Error) -> Cause {
    Cause::Write { path: path.to_owned(), source }
}
