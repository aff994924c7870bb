//! Places beneath a folder that is held open: one part of a path at a time, by descriptor, no link followed.
//!
//! Nothing here takes a path but [`Place::root`]: whoever calls goes from part to part, and what was looked at is what is used
//! afterwards, whatever happens to names meanwhile. It tells what stands where, and what the system answered; what may be done
//! with it is decided elsewhere.
//!
//! On Linux each part is opened by `openat2`, which refuses links and mount points by itself. On kernels without it, and on
//! other systems with descriptors, each part is opened so that it is not followed, and looked at afterwards. On Windows names
//! are looked at before they are opened: there this protects from mistakes, not from an attacker who races.

mod held;
mod hindrance;
mod open;
mod put;
#[cfg(test)]
mod tests;

pub use crate::handle::Kind;
pub use held::Held;
pub use hindrance::{Hindrance, Met};
pub use put::Prepared;

use crate::handle::{Facts, Folder};
use std::ffi::OsString;
use std::path::Path;

/// How the beginning of the names of our own files reads, which last no longer than an operation.
pub const OURS: &str = ".rehearsal-";

/// How parts are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    /// The kernel refuses links and mount points while it opens, where it has the call for that.
    Kernel,
    /// Not followed where the system can do that, and looked at after it was opened.
    Looked,
}

/// What all places beneath one root have in common.
#[derive(Clone, Copy, Debug)]
struct Ground {
    device: u64,
    /// Of the root; none where the system does not tell.
    mount: Option<u64>,
    /// Whether the root is in `/proc`, where links are not what they seem.
    is_proc: bool,
    walk: Walk,
}

/// What stands at a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// What it is; a link is told as a link.
    pub kind: Kind,
    /// How many names it has.
    pub links: u64,
    /// Bytes.
    pub size: u64,
    /// Permission bits, setuid, setgid and sticky among them.
    pub mode: u32,
    /// Whether it lies in another mount than the root, or, where the system does not number mounts, on another device.
    pub is_elsewhere: bool,
    /// Whether it is a link of the kernel's, which leads where its text does not say: those below `/proc`.
    pub is_magic: bool,
    facts: Facts,
}

/// An open folder: the root, or one beneath it.
#[derive(Debug)]
pub struct Place {
    folder: Folder,
    ground: Ground,
}

impl Place {
    /// Opens a folder, and makes it, for this user alone, where it is missing, with its parents. Links on the way to it are the
    /// user's; it itself must be none.
    ///
    /// # Errors
    /// [`Hindrance`]: it is a link, no folder, or cannot be opened or made.
    pub fn root(path: &Path) -> Result<Self, Hindrance> {
        Self::root_by(path, if cfg!(target_os = "linux") { Walk::Kernel } else { Walk::Looked })
    }

    fn root_by(path: &Path, walk: Walk) -> Result<Self, Hindrance> {
        let folder = open::root(path)?;
        let facts = folder.facts()?;
        let ground = Ground {
            device: facts.device,
            mount: open::mount_of(&folder),
            is_proc: open::is_proc(&folder),
            walk,
        };
        Ok(Self { folder, ground })
    }

    /// How paths are walked here: `openat2`, or `part by part` where the kernel has no such call.
    #[must_use]
    pub fn walk(&self) -> &'static str {
        if self.ground.walk == Walk::Kernel && open::is_walked_by_kernel(&self.folder) {
            "openat2"
        } else {
            "part by part"
        }
    }

    /// The same folder, by a descriptor of its own.
    ///
    /// # Errors
    /// What the system says where it gives no further descriptor.
    pub fn again(&self) -> Result<Self, Hindrance> {
        Ok(Self { folder: self.folder.again()?, ground: self.ground })
    }

    /// Whether both are one folder.
    ///
    /// # Errors
    /// What the system says where it tells nothing about one of them.
    pub fn is_same(&self, other: &Self) -> Result<bool, Hindrance> {
        Ok(self.folder.facts()?.id() == other.folder.facts()?.id())
    }

    /// Opens the folder of a name; none where nothing has it.
    ///
    /// # Errors
    /// [`Hindrance`]: what stands there is no folder, or is elsewhere; or it cannot be opened.
    pub fn enter(&self, name: &str) -> Result<Option<Self>, Hindrance> {
        is_name(name)?;
        match open::folder(&self.folder, name, self.ground.walk) {
            Ok(folder) => self.entered(folder).map(Some),
            Err(error) => match self.why(name, error, Kind::Folder) {
                Hindrance { met: Met::Missing, .. } => Ok(None),
                why => Err(why),
            },
        }
    }

    fn entered(&self, folder: Folder) -> Result<Self, Hindrance> {
        let facts = folder.facts()?;
        // The kernel may have had no call for it.
        if self.ground.is_elsewhere(&facts, open::mount_of(&folder)) {
            return Err(Met::Elsewhere.into());
        }
        Ok(Self { folder, ground: self.ground })
    }

    /// Makes a folder for this user alone and opens it; one that is there by now is opened. Whether it was made is told.
    ///
    /// # Errors
    /// [`Hindrance`], as [`Self::enter`] has it; or it cannot be made.
    pub fn make(&self, name: &str) -> Result<(Self, bool), Hindrance> {
        is_name(name)?;
        let made = match open::make_folder(&self.folder, name) {
            Ok(()) => true,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(gone(error)),
        };
        let synced = if made { self.folder.sync().map_err(Hindrance::from) } else { Ok(()) };
        // Whatever has the name now: what was made may have been taken away again.
        let entered = synced.and_then(|()| self.enter(name)).and_then(|next| next.ok_or(Met::Changed.into()));
        if made && entered.is_err() {
            self.unmake(name);
        }
        Ok((entered?, made))
    }

    /// Removes a folder that this process made, where it is empty. Where it is not, or is none any more, it stays.
    pub fn unmake(&self, name: &str) {
        if is_name(name).is_ok() {
            drop(self.folder.remove_folder(name));
        }
    }

    /// The names of all that is inside, at most `most`, in order; whether there are more.
    ///
    /// # Errors
    /// What the system says.
    pub fn names(&self, most: usize) -> Result<(Vec<OsString>, bool), Hindrance> {
        Ok(self.folder.names(most)?)
    }

    /// What has this name; none where nothing has it. Nothing is opened.
    ///
    /// # Errors
    /// What the system says.
    pub fn look(&self, name: &str) -> Result<Option<Seen>, Hindrance> {
        is_name(name)?;
        let Some(facts) = self.folder.look(name)? else { return Ok(None) };
        Ok(Some(self.ground.seen(facts, open::mount_at(&self.folder, name))))
    }

    /// Removes the name of what was seen. What is swapped for it at the last moment loses its name in its place; nothing that
    /// a link leads to is ever touched.
    ///
    /// # Errors
    /// [`Met::Changed`] where something else stands there by now; or what the system says.
    pub fn remove(&self, name: &str, seen: &Seen) -> Result<(), Hindrance> {
        self.still(name, Some(seen))?;
        self.folder.remove(name).map_err(gone)?;
        Ok(self.folder.sync()?)
    }

    /// Whether what was seen at a name stands there still.
    fn still(&self, name: &str, before: Option<&Seen>) -> Result<(), Hindrance> {
        let now = self.look(name)?;
        let same = now.map(|seen| seen.identity()) == before.map(Seen::identity);
        if same { Ok(()) } else { Err(Met::Changed.into()) }
    }

    /// What an error means that opening a name had, by what stands there now.
    fn why(&self, name: &str, error: std::io::Error, wanted: Kind) -> Hindrance {
        let why = Hindrance::from(error);
        let link = if self.ground.is_proc { Met::Magiclink } else { Met::Link };
        match why.met {
            Met::Link => Hindrance { met: link, ..why },
            // The system says of many things that they are not what was wanted: a link that is not followed, above all.
            Met::Unfit => match self.look(name) {
                Ok(Some(seen)) if seen.kind == Kind::Link => Hindrance { met: link, ..why },
                // By now it is what was wanted, or is not there at all.
                Ok(seen) if seen.is_none_or(|seen| seen.kind == wanted) => {
                    Hindrance { met: Met::Changed, ..why }
                }
                Ok(_) | Err(_) => why,
            },
            Met::Missing
            | Met::Taken
            | Met::Magiclink
            | Met::Elsewhere
            | Met::Outside
            | Met::Forbidden
            | Met::TooLong
            | Met::Changed
            | Met::System(_) => why,
        }
    }
}

impl Ground {
    /// Mounts tell more than devices: a folder may be mounted within its own device, and the files of one mount may have several.
    fn is_elsewhere(&self, facts: &Facts, mount: Option<u64>) -> bool {
        match (self.mount, mount) {
            (Some(root), Some(mount)) => root != mount,
            (None, _) | (_, None) => facts.device != self.device,
        }
    }

    fn seen(&self, facts: Facts, mount: Option<u64>) -> Seen {
        Seen {
            kind: facts.kind,
            links: facts.links,
            size: facts.size,
            mode: facts.mode,
            is_elsewhere: self.is_elsewhere(&facts, mount),
            is_magic: self.is_proc && facts.kind == Kind::Link,
            facts,
        }
    }
}

impl Seen {
    /// What would not stay if another thing stood there, or this one had got or lost names.
    fn identity(&self) -> ((u64, u64), Kind, u64) {
        (self.facts.id(), self.kind, self.links)
    }

    /// Whether nobody wrote to it between the two looks, and it kept its names.
    #[must_use]
    pub fn is_unchanged(&self, now: &Self) -> bool {
        self.identity() == now.identity()
            && (self.size, self.facts.modified) == (now.size, now.facts.modified)
    }
}

/// A name is one part of a path: nothing here can lead up, or further down than one step.
fn is_name(name: &str) -> Result<(), Hindrance> {
    let leads_elsewhere = matches!(name, "" | "." | "..") || name.contains(['/', '\0']);
    // There these are separators of paths, drives and streams.
    let leads_elsewhere = leads_elsewhere || cfg!(windows) && name.contains(['\\', ':']);
    if leads_elsewhere { Err(Met::Outside.into()) } else { Ok(()) }
}

/// Of a folder that was open when it was removed the system says that nothing is there.
fn gone(error: std::io::Error) -> Hindrance {
    match Hindrance::from(error) {
        why @ Hindrance { met: Met::Missing | Met::Taken, .. } => Hindrance { met: Met::Changed, ..why },
        why => why,
    }
}
