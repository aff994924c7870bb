//! The way from a path to what stands there, and what of it may be used: each thing that stands in the way with its code.

use super::name::{self, Fault};
use crate::refusal::{Code, Refusal, Stop};
use rehearsal_world::beneath::{Hindrance, Kind, Met, Place, Seen};

/// Most names of one folder that are compared.
const MOST_NAMES: usize = 100_000;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Write,
    Read,
    Remove,
}

impl Doing {
    fn verb(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Remove => "remove",
        }
    }
}

/// One request: what is to be done at which path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'p> {
    pub(super) path: &'p str,
    pub(super) doing: Doing,
}

/// How far a path leads.
pub(super) struct Found<'p> {
    /// The last folder of the path that is there.
    pub(super) place: Place,
    /// The folders of the path that are not there yet.
    pub(super) missing: Vec<&'p str>,
    /// The last part.
    pub(super) name: &'p str,
    /// What stands at it.
    pub(super) seen: Option<Seen>,
}

impl<'p> Request<'p> {
    /// Walks to the last part of the path and looks what stands there. Nothing is made, and no file is opened.
    pub(super) fn find(self, root: &Place, parts: &[&'p str], portable: bool) -> Result<Found<'p>, Stop> {
        let (name, folders) = match parts.split_last() {
            Some((name, folders)) => (*name, folders),
            None => return Err(self.refuse((Code::PathEmpty, "it names no file".to_owned()), None)),
        };
        let mut place = root.again().map_err(|why| self.stop(name, why))?;
        for (at, part) in folders.iter().enumerate() {
            if portable {
                self.compare(&place, part)?;
            }
            match place.enter(part).map_err(|why| self.blocked(part, why))? {
                Some(next) => place = next,
                None => return Ok(Found { place, missing: folders[at..].to_vec(), name, seen: None }),
            }
        }
        if portable {
            self.compare(&place, name)?;
        }
        let seen = place.look(name).map_err(|why| self.stop(name, why))?;
        if let Some(seen) = &seen {
            self.fit(seen)?;
        }
        Ok(Found { place, missing: Vec::new(), name, seen })
    }

    /// Refuses a name beside which another one stands that some system would take for the same. To remove one of two that are
    /// there is the way out of it, and is not refused.
    fn compare(self, place: &Place, part: &str) -> Result<(), Stop> {
        let (names, more) = place.names(MOST_NAMES).map_err(|why| self.stop(part, why))?;
        if more {
            let why = format!("a folder of it holds more than {MOST_NAMES} names");
            return Err(self.refuse((Code::Quota, why), None));
        }
        if self.doing == Doing::Remove && names.iter().any(|name| name == part) {
            return Ok(());
        }
        let folded = name::fold(part);
        let other = names.iter().map(|name| name.to_string_lossy()).find(|name| {
            // Most names differ at once.
            let may_be_same = !name.is_ascii() || !part.is_ascii() || name.eq_ignore_ascii_case(part);
            may_be_same && name != part && name::fold(name) == folded
        });
        match other {
            None => Ok(()),
            Some(other) => {
                let why =
                    format!("`{}` stands there, which differs only in case or form", name::escaped(&other));
                Err(self.refuse((Code::CaseCollision, why), None))
            }
        }
    }

    /// Whether what stands at the last part may be used: a regular file with one name, where the workspace lies.
    pub(super) fn fit(self, seen: &Seen) -> Result<(), Stop> {
        fit(seen, self.doing).map_err(|(code, why)| self.refuse((code, why.to_owned()), answer(code)))
    }

    /// The refusal of this request.
    pub(super) fn refuse(self, (code, why): Fault, system: Option<&'static str>) -> Stop {
        Stop::Refused(refusal(self.path, code, &why, system))
    }

    /// What stood in the way where a folder of the path was needed.
    pub(super) fn blocked(self, part: &str, hindrance: Hindrance) -> Stop {
        match hindrance {
            Hindrance { met: Met::Unfit, system } => {
                let why = format!("`{}` is no folder", name::escaped(part));
                self.refuse((Code::NotRegular, why), system)
            }
            other => self.stop(part, other),
        }
    }

    /// What stood in the way at one part of the path, as a refusal; or the world's failure.
    pub(super) fn stop(self, part: &str, hindrance: Hindrance) -> Stop {
        let Hindrance { met, system } = hindrance;
        let part = name::escaped(part);
        let (code, why) = match met {
            Met::Link => (Code::Symlink, format!("`{part}` is a symbolic link")),
            Met::Magiclink => (Code::Magiclink, format!("`{part}` is a link of the kernel's")),
            Met::Unfit => (Code::NotRegular, format!("`{part}` is no regular file")),
            Met::Elsewhere => (Code::CrossDevice, format!("`{part}` lies on another file system")),
            Met::Outside => (Code::PathEscape, format!("`{part}` is no name of one part")),
            Met::TooLong => (Code::PathTooLong, format!("the file system takes no name as long as `{part}`")),
            // Where it stood a moment ago, or did not.
            Met::Missing | Met::Taken | Met::Changed => {
                (Code::Race, format!("what stands at `{part}` changed meanwhile"))
            }
            Met::Forbidden if self.doing != Doing::Read => {
                (Code::Readonly, format!("the system does not permit it at `{part}`"))
            }
            Met::Forbidden => {
                let why = system.unwrap_or("permission denied");
                return self.failed(&format!("the system does not permit it at `{part}` ({why})"));
            }
            Met::System(error) => return self.failed(&error.to_string()),
        };
        self.refuse((code, why), system)
    }

    fn failed(self, why: &str) -> Stop {
        Stop::Failed(format!("cannot {} `{}`: {why}", self.doing.verb(), name::escaped(self.path)))
    }
}

/// What the system would answer to somebody who asked for what was refused after a look.
fn answer(code: Code) -> Option<&'static str> {
    const ANSWERS: &[(Code, &str)] =
        &[(Code::Symlink, "ELOOP"), (Code::Magiclink, "ELOOP"), (Code::CrossDevice, "EXDEV")];
    ANSWERS.iter().find_map(|(known, answer)| (*known == code).then_some(*answer))
}

/// Whether what stands there may be used; or why not.
fn fit(seen: &Seen, doing: Doing) -> Result<(), (Code, &'static str)> {
    match seen.kind {
        Kind::Link if seen.is_magic => return Err((Code::Magiclink, "it is a link of the kernel's")),
        Kind::Link => return Err((Code::Symlink, "it is a symbolic link")),
        Kind::File | Kind::Folder | Kind::Other => {}
    }
    if seen.is_elsewhere {
        return Err((Code::CrossDevice, "it lies on another file system"));
    }
    match (seen.kind, seen.links) {
        (Kind::Folder, _) => return Err((Code::NotRegular, "it is a folder")),
        (Kind::Other | Kind::Link, _) => {
            return Err((Code::NotRegular, "it is a pipe, a socket or a device"));
        }
        (Kind::File, 0) => return Err((Code::Race, "it was removed meanwhile")),
        // To remove a name does nothing to the others.
        (Kind::File, 2..) if doing != Doing::Remove => {
            return Err((Code::Hardlink, "the file has a second name, which may lie outside"));
        }
        (Kind::File, 1..) => {}
    }
    if doing != Doing::Read && seen.mode & 0o222 == 0 {
        return Err((Code::Readonly, "it may only be read"));
    }
    Ok(())
}

/// A refusal with a sentence. Of what leads out of the workspace it says so in the words of the reference program.
pub(super) fn refusal(path: &str, code: Code, why: &str, system: Option<&'static str>) -> Refusal {
    let escaped = name::escaped(path);
    let message = if leads_out(code) {
        format!("path escapes the workspace: {escaped}: {why} (stay inside your working dir)")
    } else {
        format!("the path `{escaped}` is refused: {why}")
    };
    Refusal { path: Some(escaped), system, ..Refusal::new(code, message) }
}

/// Whether a code says that a path leads, or could lead, out of the workspace.
fn leads_out(code: Code) -> bool {
    [
        Code::PathParent,
        Code::PathAbsolute,
        Code::PathEscape,
        Code::Symlink,
        Code::Magiclink,
        Code::Hardlink,
        Code::CrossDevice,
    ]
    .contains(&code)
}

#[cfg(test)]
mod tests;
