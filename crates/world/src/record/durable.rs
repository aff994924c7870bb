//! A journal that outlives its writer and decides what the next one may do: it is read, checked and gone on with at each start,
//! and a line can be made sure to be on the disk.
//!
//! The other journals of this program are written once and never opened again; this one must not forget.

use super::Name;
use crate::clock::{self, Clock};
use crate::vault::{Folder, Record, VaultError};
use rehearsal_journal::chain::Chain;
use rehearsal_journal::event::{Event, Opened};
use rehearsal_journal::verify::{Fault, Verifier};
use std::io::Cursor;
use thiserror::Error;

/// Longest journal that is gone on with, in bytes: half a million requests.
const LONGEST: u64 = 1 << 30;

/// Bytes that a full disk cannot take from us: given back when a line does not fit, so that what was begun can be ended.
const BALLAST: usize = 64 * 1024;
/// The file that holds them.
const BALLAST_NAME: &str = "ballast";

/// Why a journal cannot be gone on with.
#[derive(Debug, Error)]
pub enum DurableError {
    /// The files cannot be used.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The journal is not what was written.
    #[error(
        "{path}: {source}; nothing is done with a journal that was changed: restore it, or begin in another folder"
    )]
    Changed {
        /// Its file.
        path: std::path::PathBuf,
        /// Its first fault.
        source: Fault,
    },
    /// The system gives no random bytes for the run's id.
    #[error(transparent)]
    NoRandom(#[from] crate::ids::NoRandom),
}

/// The journal, open to be gone on with.
#[derive(Debug)]
pub struct Durable {
    folder: Folder,
    lines: Record,
    /// Behind the last line that was made.
    chain: Chain,
    /// Behind the last line that was written.
    written: Chain,
    clock: Clock,
    /// Time of the last line when it was opened, microseconds since its own opening.
    base_us: u64,
    hand: Vec<u8>,
}

/// A way to wait for the disk without holding the journal.
#[derive(Debug)]
pub struct Sync(Record);

impl Sync {
    /// Waits, on a thread for such work, until all that was written before is on the disk.
    ///
    /// # Errors
    /// When the disk cannot promise it: then nobody may rely on it.
    pub async fn done(self) -> Result<(), VaultError> {
        crate::task::blocking(move || self.0.sync()).await
    }
}

impl Durable {
    /// Opens the journal of a folder, or begins it, and gives what it says so far. Half a line that a kill left behind is cut off:
    /// nobody was promised anything for it.
    ///
    /// # Errors
    /// When it was changed, or its files cannot be used.
    pub fn open(folder: &Folder, program: &str) -> Result<(Self, Vec<Event>), DurableError> {
        let (lines, bodies) = Name::Journal.files(1);
        let is_new = !folder.holds(&lines);
        // Readers want the file of bodies that other journals have; this one keeps none.
        folder.append(&bodies)?;
        let mut record = folder.append(&lines)?;
        let kept = folder.read(&lines, LONGEST)?.unwrap_or_default();
        let mut events = Vec::new();
        let mut base_us = 0;
        let mut chain = Chain::new();
        if !kept.is_empty() {
            let mut verifier = Verifier::new();
            let changed = |source| DurableError::Changed { path: folder.path().join(&lines), source };
            let cut = {
                let seen = |t_us, event| {
                    base_us = t_us;
                    events.push(event);
                };
                verifier.segment(Cursor::new(&kept), None::<&[u8]>, seen).map_err(changed)?;
                verifier.whole_bytes()
            };
            if !events.is_empty() {
                let verified = verifier.finish().map_err(changed)?;
                chain = Chain::after(verified.lines, &verified.head);
            }
            record.cut(cut)?;
        }
        let mut journal = Self {
            folder: folder.clone(),
            lines: record,
            written: chain.clone(),
            chain,
            clock: Clock::start(),
            base_us,
            hand: Vec::new(),
        };
        if events.is_empty() {
            let unix_ms = clock::unix_ms();
            let run = crate::ids::run_id(unix_ms)?;
            let program = program.to_owned();
            let opened = Opened { run, case: None, seed: 0, unix_ms, program, segment: 1 };
            journal.write(&Event::Opened(opened))?;
        }
        if is_new {
            folder.sync()?;
        }
        journal.load_ballast();
        Ok((journal, events))
    }

    /// Appends a line. The kernel has it when this returns; the disk may not yet.
    ///
    /// # Errors
    /// When it cannot be written whole: then it is not there at all, nor any that waited for it.
    pub fn write(&mut self, event: &Event) -> Result<(), VaultError> {
        self.write_soon(event);
        self.flush()
    }

    /// Appends a line with the next one that cannot wait, or when [`Durable::flush`] is called.
    pub fn write_soon(&mut self, event: &Event) {
        self.chain.line(self.base_us + self.clock.elapsed_us(), event, &mut self.hand);
    }

    /// Writes the lines that wait.
    ///
    /// # Errors
    /// When they cannot be written: then none of them is there.
    pub fn flush(&mut self) -> Result<(), VaultError> {
        if self.hand.is_empty() {
            return Ok(());
        }
        let written = match self.lines.write(&self.hand) {
            Err(error) if error.is_full() && self.folder.holds(BALLAST_NAME) => {
                self.folder.remove(BALLAST_NAME).and_then(|()| self.lines.write(&self.hand))
            }
            written => written,
        };
        self.hand.clear();
        match written {
            Ok(()) => self.written = self.chain.clone(),
            Err(_) => self.chain = self.written.clone(),
        }
        written
    }

    /// The same for what is only done where there is room to spare: no ballast is given up for it.
    ///
    /// # Errors
    /// When there is no room, or it cannot be written.
    pub fn write_with_room(&mut self, event: &Event) -> Result<(), VaultError> {
        if !self.folder.holds(BALLAST_NAME) {
            self.folder.replace(BALLAST_NAME, &[0; BALLAST], false)?;
        }
        self.write(event)
    }

    /// Makes sure that there is room to spare, beside the ballast.
    ///
    /// # Errors
    /// When there is none, or nothing can be written at all.
    pub fn prove_room(&self) -> Result<(), VaultError> {
        // The new one is written before the old one goes.
        self.folder.replace(BALLAST_NAME, &[0; BALLAST], false)
    }

    /// What waits for the disk.
    ///
    /// # Errors
    /// When the system gives no further handle.
    pub fn sync(&self) -> Result<Sync, VaultError> {
        self.lines.again().map(Sync)
    }

    /// On a disk without room for it the first reservation fails, which is as it should be.
    fn load_ballast(&self) {
        if !self.folder.holds(BALLAST_NAME) {
            drop(self.folder.replace(BALLAST_NAME, &[0; BALLAST], false));
        }
    }
}
