//! A body that is kept as it comes: in a file, or in the log for as long as it is short; what must not be written is left out.

use crate::exchange::{LOGGED, Shelf};
use crate::redactor::Lines;
use crate::traffic::{self, Batch};
use rehearsal_journal::bridge::Hop;
use rehearsal_journal::digest::{self, Running};
use rehearsal_world::vault::{Record, VaultError};
use std::sync::Arc;

/// Bytes that are put together at once where a file is read again.
const PIECE: usize = 64 * 1024;

/// Bytes that are written as they come, and what they are.
#[derive(Debug)]
pub struct Kept {
    shelf: Arc<Shelf>,
    sink: Sink,
    /// All of it while the log alone has it, for whoever looks at it again; else what waits to be written.
    memory: Vec<u8>,
    /// How much of the memory is written.
    written: usize,
    /// Of what is written.
    digest: Running,
    /// Bytes that came, whatever of them was written.
    came: u64,
    /// Where something must not be written: what was not yet looked at.
    lines: Option<Lines>,
}

#[derive(Debug)]
enum Sink {
    File(Record),
    Log { hop: traffic::Hop, ending: &'static str },
}

impl Kept {
    /// Opens what a body is kept in.
    ///
    /// # Errors
    /// When its file cannot be made.
    pub fn open(shelf: &Arc<Shelf>, hop: traffic::Hop, ending: &'static str) -> Result<Self, VaultError> {
        let sink = match &shelf.log {
            Some(log) => {
                // A body that stays empty has its file, too.
                log.write_soon(hop, shelf.sequence, &shelf.name, b"")?;
                Sink::Log { hop, ending }
            }
            None => Sink::File(shelf.file(ending)?),
        };
        let lines = shelf.redactor.clone().map(Lines::new);
        let (shelf, memory, digest) = (Arc::clone(shelf), Vec::new(), Running::default());
        Ok(Self { shelf, sink, memory, written: 0, digest, came: 0, lines })
    }

    /// Takes bytes. They are in no file and in no log before [`Exchange::write`](crate::exchange::Exchange::write) says so.
    pub fn push(&mut self, bytes: &[u8]) {
        self.came += bytes.len() as u64;
        match &mut self.lines {
            Some(lines) => self.memory.extend_from_slice(&lines.push(bytes)),
            None => self.memory.extend_from_slice(bytes),
        }
    }

    /// Nothing more comes: what was held back is taken, too.
    pub fn finish(&mut self) {
        if let Some(lines) = &mut self.lines {
            self.memory.extend_from_slice(&lines.finish());
        }
    }

    /// Bytes that came: as many as were written, unless something must not be.
    #[must_use]
    pub fn came(&self) -> u64 {
        self.came
    }

    /// Writes what was taken into its file, or hands it to the log: then it is written once the batch is, and
    /// [`Kept::settle`] must hear of that.
    ///
    /// # Errors
    /// When it cannot be written: then nobody may be served it, and it is forgotten.
    pub(crate) fn hand_over(&mut self) -> Result<Option<Arc<Batch>>, VaultError> {
        if self.memory.len() == self.written {
            return Ok(None);
        }
        if self.memory.len() > LOGGED {
            self.get_a_file()?;
        }
        let waits = &self.memory[self.written..];
        let handed = match &mut self.sink {
            Sink::File(record) => record.write(waits).map(|()| None),
            Sink::Log { hop, .. } => {
                let Shelf { log, sequence, name, .. } = &*self.shelf;
                log.as_ref().map(|log| log.write_soon(*hop, *sequence, name, waits)).transpose()
            }
        };
        if !matches!(handed, Ok(Some(_))) {
            self.settle(handed.is_ok());
        }
        handed
    }

    /// Takes note of whether what was handed over is written; if not, it is forgotten.
    pub(crate) fn settle(&mut self, is_written: bool) {
        if is_written {
            self.digest.update(&self.memory[self.written..]);
        } else {
            self.memory.truncate(self.written);
        }
        match &self.sink {
            Sink::File(_) => self.memory.clear(),
            Sink::Log { .. } => self.written = self.memory.len(),
        }
    }

    /// A file that is there is not made again from the log, so that it is there with all that the log has or not at all.
    fn get_a_file(&mut self) -> Result<(), VaultError> {
        if let Sink::Log { ending, .. } = self.sink {
            self.sink = Sink::File(self.shelf.file_with(ending, &self.memory[..self.written])?);
            self.memory.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }

    /// Bytes in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.sink {
            Sink::File(record) => record.len(),
            Sink::Log { .. } => self.written as u64,
        }
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is in it.
    #[must_use]
    pub fn hop(&self) -> Hop {
        Hop { bytes: self.len(), sha256: digest::text(&self.digest.clone().finish()) }
    }

    /// What its first bytes are; all of it where some was left out.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn beginning(&self, bytes: u64) -> Result<Hop, VaultError> {
        if bytes >= self.came || self.lines.is_some() {
            return Ok(self.hop());
        }
        let digest = self.digest_of(bytes)?;
        Ok(Hop { bytes, sha256: digest::text(&digest.finish()) })
    }

    fn digest_of(&self, bytes: u64) -> Result<Running, VaultError> {
        let mut digest = Running::default();
        let mut at = 0;
        while at < bytes {
            let piece = self.read_at(at, PIECE.min(usize::try_from(bytes - at).unwrap_or(PIECE)))?;
            if piece.is_empty() {
                break;
            }
            digest.update(&piece);
            at += piece.len() as u64;
        }
        Ok(digest)
    }

    /// Cuts off what was never sent.
    ///
    /// # Errors
    /// When it cannot.
    pub fn cut(&mut self, bytes: u64) -> Result<(), VaultError> {
        // Where some of it was left out, nobody can tell where the client stopped.
        if bytes >= self.came || self.lines.is_some() {
            return Ok(());
        }
        // What stands in the log stands there.
        self.get_a_file()?;
        let digest = self.digest_of(bytes)?;
        if let Sink::File(record) = &mut self.sink {
            record.cut(bytes)?;
        }
        self.digest = digest;
        Ok(())
    }

    /// Up to `most` of its first bytes.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, most: usize) -> Result<Vec<u8>, VaultError> {
        self.read_at(0, most)
    }

    /// Up to `most` bytes from a place on.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_at(&self, at: u64, most: usize) -> Result<Vec<u8>, VaultError> {
        match &self.sink {
            Sink::File(record) => record.read_at(at, most),
            Sink::Log { .. } => {
                let memory = &self.memory[..self.written];
                let rest = memory.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
                Ok(rest[..most.min(rest.len())].to_vec())
            }
        }
    }
}
