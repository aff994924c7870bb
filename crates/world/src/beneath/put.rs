//! How a file gets its content: written whole into a file without a name, then given the name in one step.

use super::{Held, Hindrance, Met, OURS, Place, Seen, gone};
use crate::handle::{Facts, Folder};
use std::fs::File;
use std::io::{self, Write as _};

/// Content on the disk that has no name yet. Nothing is left of it where it gets none.
#[derive(Debug)]
pub struct Prepared<'b> {
    file: File,
    /// Where the system keeps no files without names: a hidden one.
    hidden: Option<Hidden>,
    bytes: &'b [u8],
    mode: u32,
}

/// A hidden name, gone at the end.
#[derive(Debug)]
struct Hidden {
    folder: Folder,
    name: String,
}

impl Drop for Hidden {
    fn drop(&mut self) {
        drop(self.folder.remove(&self.name));
    }
}

impl Place {
    /// Writes content into this folder, under no name, and waits until it is on the disk. The permissions are exactly these: no
    /// mask of the user's takes any away.
    ///
    /// # Errors
    /// What the system says; nothing is left then.
    pub fn prepare<'b>(&self, bytes: &'b [u8], mode: u32) -> Result<Prepared<'b>, Hindrance> {
        match nameless(&self.folder) {
            Some(file) => Prepared { file: file.map_err(gone)?, hidden: None, bytes, mode }.filled(),
            None => self.prepare_hidden(bytes, mode),
        }
    }

    /// The same under a hidden name, where the system keeps no files without one.
    pub(super) fn prepare_hidden<'b>(&self, bytes: &'b [u8], mode: u32) -> Result<Prepared<'b>, Hindrance> {
        let hidden = Hidden { folder: self.folder.again()?, name: hidden()? };
        let file = self.folder.create(&hidden.name, 0o600).map_err(gone)?;
        Prepared { file, hidden: Some(hidden), bytes, mode }.filled()
    }

    /// Gives content its name: one that nothing has, or that of the file that is held. Waits until the name is on the disk.
    /// Nothing is written to what stands at the name, whatever that is; a file only ever loses its name.
    ///
    /// # Errors
    /// [`Met::Changed`] where something else stands at the name than was seen, before or after; or what the system says. Then
    /// nothing hidden is left.
    pub fn put(&self, prepared: Prepared<'_>, name: &str, over: Option<&Held>) -> Result<Seen, Hindrance> {
        self.still(name, over.map(Held::seen))?;
        let made = match over {
            None => self.put_new(prepared, name)?,
            Some(_) => self.put_over(prepared, name)?,
        };
        let now = self.look(name)?.filter(|now| now.facts.id() == made.id() && now.links == 1);
        let now = now.ok_or(Met::Changed)?;
        self.folder.sync()?;
        Ok(now)
    }

    pub(super) fn put_new(&self, prepared: Prepared<'_>, name: &str) -> Result<Facts, Hindrance> {
        let prepared = match &prepared.hidden {
            Some(_) => prepared,
            None => match link(&prepared.file, &self.folder, name) {
                Ok(()) => return Ok(Facts::of(&prepared.file)?),
                Err(error) if is_unknown(&error) => self.prepare_hidden(prepared.bytes, prepared.mode)?,
                Err(error) => return Err(gone(error)),
            },
        };
        if let Some(hidden) = &prepared.hidden {
            self.folder.rename_new(&hidden.name, name).map_err(gone)?;
        }
        Ok(Facts::of(&prepared.file)?)
    }

    pub(super) fn put_over(&self, mut prepared: Prepared<'_>, name: &str) -> Result<Facts, Hindrance> {
        if prepared.hidden.is_none() {
            let hidden = Hidden { folder: self.folder.again()?, name: hidden()? };
            match link(&prepared.file, &self.folder, &hidden.name) {
                Ok(()) => prepared.hidden = Some(hidden),
                Err(error) if is_unknown(&error) => {
                    prepared = self.prepare_hidden(prepared.bytes, prepared.mode)?;
                }
                Err(error) => return Err(gone(error)),
            }
        }
        if let Some(hidden) = &prepared.hidden {
            self.folder.rename_over(&hidden.name, name).map_err(|error| match gone(error) {
                // A folder took the place of the file.
                why @ Hindrance { met: Met::Unfit, .. } => Hindrance { met: Met::Changed, ..why },
                why => why,
            })?;
        }
        // Of the open file, and now: on Windows a file can get the time of the one whose name it takes.
        Ok(Facts::of(&prepared.file)?)
    }
}

impl Prepared<'_> {
    fn filled(mut self) -> Result<Self, Hindrance> {
        self.file.write_all(self.bytes)?;
        #[cfg(unix)]
        rustix::fs::fchmod(&self.file, rustix::fs::Mode::from_raw_mode(self.mode as rustix::fs::RawMode))?;
        self.file.sync_all()?;
        Ok(self)
    }
}

/// A name that nobody guesses.
fn hidden() -> Result<String, Hindrance> {
    let token = crate::ids::case_token().map_err(|error| Met::System(io::Error::other(error)))?;
    Ok(format!("{OURS}{token}"))
}

/// Opens a file without a name in a folder; none where the system or the file system has no such files.
#[cfg(target_os = "linux")]
fn nameless(folder: &Folder) -> Option<io::Result<File>> {
    use rustix::fs::{Mode, OFlags, openat};
    use rustix::io::Errno;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match openat(folder, ".", flags, Mode::RUSR | Mode::WUSR) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => None,
        opened => Some(opened.map(File::from).map_err(io::Error::from)),
    }
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Folder) -> Option<io::Result<File>> {
    None
}

/// Gives a file without a name one, which nothing may have.
#[cfg(target_os = "linux")]
fn link(file: &File, folder: &Folder, name: &str) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd as _;
    match linkat(file, "", folder, name, AtFlags::EMPTY_PATH) {
        // Older kernels permit that only to root; this names the same open file.
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::PERM | rustix::io::Errno::INVAL) => {
            let own = format!("/proc/self/fd/{}", file.as_raw_fd());
            Ok(linkat(CWD, own, folder, name, AtFlags::SYMLINK_FOLLOW)?)
        }
        linked => Ok(linked?),
    }
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Folder, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether a file without a name cannot be given one here: without `/proc`, or where a filter forbids it.
fn is_unknown(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, NotFound, PermissionDenied, Unsupported};
    [InvalidInput, NotFound, PermissionDenied, Unsupported].contains(&error.kind())
}
