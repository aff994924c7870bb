//! The files of one exchange: opened before anything is forwarded, written before anything is served.

use crate::records::{number, stem};
use crate::traffic::{self, Traffic};
use rehearsal_journal::bridge::Hop;
use rehearsal_journal::digest::{self, Running};
use rehearsal_world::vault::{Folder, Record, VaultError};
use std::sync::Arc;

/// What the client asked.
pub const REQUEST: &str = "request";
/// What was sent to the provider, where it is something else.
pub const UPSTREAM_REQUEST: &str = "upstream-request";
/// What came from the provider, its content coding left in.
pub const RESPONSE: &str = "response";
/// What the client got, where it is something else.
pub const SERVED: &str = "served";
/// The readable file.
pub const READABLE: &str = "json";

/// Bytes that are put together at once where a file is read again.
const PIECE: usize = 64 * 1024;

/// Most bytes of a body that stay in the log of traffic alone; a longer one gets its file at once.
const LOGGED: usize = 256 * 1024;

/// The files of one exchange.
#[derive(Debug)]
pub struct Exchange {
    shelf: Shelf,
    /// What the client asked.
    pub request: Hop,
    /// What is sent to the provider, where it is something else.
    pub upstream_request: Option<Hop>,
    /// What comes from the provider.
    pub response: Kept,
    /// What the client gets, where it may be something else.
    pub served: Option<Kept>,
}

/// Where an exchange is kept: in files of its own, or in the log, from which the files are made later.
#[derive(Clone, Debug)]
pub struct Shelf {
    /// The folder of the files.
    pub folder: Folder,
    /// The log, where files can wait.
    pub log: Option<Arc<Traffic>>,
    /// The number of the request.
    pub sequence: u64,
    /// The name of the files without the ending.
    pub name: Arc<str>,
}

impl Shelf {
    fn file(&self, ending: &str) -> Result<Record, VaultError> {
        self.folder.create(&format!("{}.{ending}", self.name))
    }

    fn open(&self, hop: traffic::Hop, ending: &'static str) -> Result<Kept, VaultError> {
        let sink = match &self.log {
            Some(_) => Sink::Log { hop, ending, memory: Vec::new() },
            None => Sink::File(self.file(ending)?),
        };
        Ok(Kept { shelf: self.clone(), sink, digest: Running::default() })
    }

    /// Keeps what is there whole.
    fn keep(&self, hop: traffic::Hop, ending: &'static str, body: &[u8]) -> Result<Hop, VaultError> {
        let kept = Hop { bytes: body.len() as u64, sha256: digest::text(&digest::of(body)) };
        match &self.log {
            Some(log) if body.len() <= LOGGED => log.write(hop, self.sequence, &self.name, body)?,
            Some(_) | None => self.file(ending)?.write(body)?,
        }
        Ok(kept)
    }
}

/// Bytes that are written as they come, and what they are.
#[derive(Debug)]
pub struct Kept {
    shelf: Shelf,
    sink: Sink,
    digest: Running,
}

#[derive(Debug)]
enum Sink {
    File(Record),
    Log {
        hop: traffic::Hop,
        ending: &'static str,
        /// What the log has, for whoever looks at it again.
        memory: Vec<u8>,
    },
}

impl Kept {
    /// Appends bytes.
    ///
    /// # Errors
    /// When they cannot be written: then nobody may be served them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), VaultError> {
        if matches!(&self.sink, Sink::Log { memory, .. } if memory.len() + bytes.len() > LOGGED) {
            self.get_a_file()?;
        }
        match &mut self.sink {
            Sink::File(record) => record.write(bytes)?,
            Sink::Log { hop, memory, .. } => {
                if let Some(log) = &self.shelf.log {
                    log.write(*hop, self.shelf.sequence, &self.shelf.name, bytes)?;
                }
                memory.extend_from_slice(bytes);
            }
        }
        self.digest.update(bytes);
        Ok(())
    }

    /// A file that is there is not made again from the log.
    fn get_a_file(&mut self) -> Result<(), VaultError> {
        if let Sink::Log { ending, memory, .. } = &self.sink {
            let mut record = self.shelf.file(ending)?;
            record.write(memory)?;
            self.sink = Sink::File(record);
        }
        Ok(())
    }

    /// Bytes in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.sink {
            Sink::File(record) => record.len(),
            Sink::Log { memory, .. } => memory.len() as u64,
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

    /// What its first bytes are.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn beginning(&self, bytes: u64) -> Result<Hop, VaultError> {
        if bytes >= self.len() {
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
        if bytes >= self.len() {
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
            Sink::Log { memory, .. } => {
                let rest = memory.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
                Ok(rest[..most.min(rest.len())].to_vec())
            }
        }
    }

    /// A handle of its file for a thread that may wait for the disk; none where it has none.
    #[must_use]
    pub fn again(&self) -> Option<Record> {
        match &self.sink {
            Sink::File(record) => record.again().ok(),
            Sink::Log { .. } => None,
        }
    }
}

/// The name of an exchange's files without the ending.
#[must_use]
pub fn name(sequence: u64, case: Option<&str>, route: &str) -> String {
    let last = route.rsplit('/').find(|part| !part.is_empty()).unwrap_or("root");
    format!("{}{}", number(sequence), stem(case.unwrap_or(last)))
}

/// Keeps the body of a request that is not forwarded.
///
/// # Errors
/// When it cannot be written.
pub fn keep_request(folder: &Folder, name: &str, body: &[u8]) -> Result<(), VaultError> {
    folder.create(&format!("{name}.{REQUEST}"))?.write(body)
}

impl Exchange {
    /// Opens what a forward needs. `upstream` is the body for the provider, where it is another one than the client's; with `maps` the
    /// client may get something else than the provider sends.
    ///
    /// # Errors
    /// When it cannot be made or written: then nothing may be forwarded.
    pub fn open(
        shelf: Shelf,
        request: &[u8],
        upstream: Option<&[u8]>,
        maps: bool,
    ) -> Result<Self, VaultError> {
        let request = shelf.keep(traffic::Hop::Request, REQUEST, request)?;
        let upstream_request = upstream
            .map(|body| shelf.keep(traffic::Hop::UpstreamRequest, UPSTREAM_REQUEST, body))
            .transpose()?;
        let response = shelf.open(traffic::Hop::Response, RESPONSE)?;
        let served = if maps { Some(shelf.open(traffic::Hop::Served, SERVED)?) } else { None };
        Ok(Self { shelf, request, upstream_request, response, served })
    }

    /// The name of its files without the ending.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shelf.name
    }

    /// Writes the readable file; gives its SHA-256, hexadecimal.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn readable(&self, text: &[u8]) -> Result<String, VaultError> {
        match &self.shelf.log {
            Some(log) => log.write_soon(traffic::Hop::End, self.shelf.sequence, &self.shelf.name, text)?,
            None => self.shelf.file(READABLE)?.write(text)?,
        }
        Ok(digest::text(&digest::of(text)))
    }

    /// Writes down what the client is told in the place of an answer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn failed_with(&mut self, body: &[u8]) -> Result<(), VaultError> {
        let served = match &mut self.served {
            Some(served) => served,
            None => self.served.insert(self.shelf.open(traffic::Hop::Served, SERVED)?),
        };
        served.write(body)
    }

    /// Removes what was opened for a forward that is not made after all; the request stays.
    pub fn give_up(self) {
        let Shelf { folder, log, sequence, name } = &self.shelf;
        if let Some(log) = log {
            // Where it cannot be written, the next start finds an exchange that never ended.
            drop(log.write_soon(traffic::Hop::GivenUp, *sequence, name, b""));
            return;
        }
        for ending in [UPSTREAM_REQUEST, RESPONSE, SERVED] {
            // What cannot be removed is an empty file; nobody is misled by it.
            drop(folder.remove(&format!("{name}.{ending}")));
        }
    }
}
