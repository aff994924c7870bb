//! A file that is held open: what it was, what it is now, its bytes.

use super::open::{self, Use};
use super::{Ground, Hindrance, Kind, Met, Place, Seen};
use crate::handle::Facts;
use std::fs::File;
use std::io::{self, Read};

/// A file that is held open. As long as it is, nothing else can pass for it.
#[derive(Debug)]
pub struct Held {
    file: File,
    seen: Seen,
    ground: Ground,
    /// Bytes that are still read: it is as long as it was when it was opened, whatever grows meanwhile.
    left: u64,
}

impl Place {
    /// Opens what was seen at a name to read it.
    ///
    /// # Errors
    /// [`Met::Changed`] where something else stands there by now; or what the system says.
    pub fn read(&self, name: &str, seen: &Seen) -> Result<Held, Hindrance> {
        self.hold(name, seen, Use::Read)
    }

    /// Opens what was seen at a name to see whether it may be written. Nothing in it is changed.
    ///
    /// # Errors
    /// [`Met::Forbidden`] where this user may not write it, [`Met::Changed`] where something else stands there by now; or what
    /// the system says.
    pub fn writable(&self, name: &str, seen: &Seen) -> Result<Held, Hindrance> {
        self.hold(name, seen, Use::Write)
    }

    fn hold(&self, name: &str, seen: &Seen, to: Use) -> Result<Held, Hindrance> {
        super::is_name(name)?;
        let opened = open::file(&self.folder, name, to, self.ground.walk);
        // A program that runs now: it cannot be written in place, but another file can take its name.
        let opened = match opened {
            Err(error) if to == Use::Write && error.kind() == io::ErrorKind::ExecutableFileBusy => {
                open::file(&self.folder, name, Use::Read, self.ground.walk)
            }
            opened => opened,
        };
        let file = opened.map_err(|error| match self.why(name, error, Kind::File) {
            // It stood there a moment ago.
            why @ Hindrance { met: Met::Missing, .. } => Hindrance { met: Met::Changed, ..why },
            why => why,
        })?;
        let facts = Facts::of(&file)?;
        let now = self.ground.seen(facts, open::mount_under(&file));
        if now.facts.id() != seen.facts.id() {
            return Err(Met::Changed.into());
        }
        Ok(Held { file, seen: now, ground: self.ground, left: now.size })
    }
}

impl Held {
    /// What it was when it was opened.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// What it is now.
    ///
    /// # Errors
    /// What the system says.
    pub fn now(&self) -> Result<Seen, Hindrance> {
        Ok(self.ground.seen(Facts::of(&self.file)?, open::mount_under(&self.file)))
    }
}

impl Read for Held {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(block.len());
        let got = self.file.read(&mut block[..most])?;
        self.left -= got as u64;
        Ok(got)
    }
}
