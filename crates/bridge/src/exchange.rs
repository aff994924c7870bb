//! The files of one exchange: opened before anything is forwarded, written before anything is served.

use crate::records::{number, stem};
use rehearsal_journal::bridge::Hop;
use rehearsal_journal::digest::{self, Running};
use rehearsal_world::vault::{Folder, Record, VaultError};

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

/// The files of one exchange.
#[derive(Debug)]
pub struct Exchange {
    folder: Folder,
    name: String,
    /// What the client asked.
    pub request: Hop,
    /// What is sent to the provider, where it is something else.
    pub upstream_request: Option<Hop>,
    /// What comes from the provider.
    pub response: Kept,
    /// What the client gets, where it may be something else.
    pub served: Option<Kept>,
}

/// A file that is written as bytes come, and what is in it.
#[derive(Debug)]
pub struct Kept {
    record: Record,
    digest: Running,
}

impl Kept {
    fn new(record: Record) -> Self {
        Self { record, digest: Running::default() }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When they cannot be written: then nobody may be served them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), VaultError> {
        self.record.write(bytes)?;
        self.digest.update(bytes);
        Ok(())
    }

    /// Bytes in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.record.len()
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.record.is_empty()
    }

    /// What is in it.
    #[must_use]
    pub fn hop(&self) -> Hop {
        Hop { bytes: self.record.len(), sha256: digest::text(&self.digest.clone().finish()) }
    }

    /// What its first bytes are.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn beginning(&self, bytes: u64) -> Result<Hop, VaultError> {
        if bytes >= self.record.len() {
            return Ok(self.hop());
        }
        let mut digest = Running::default();
        let mut at = 0;
        while at < bytes {
            let piece = self.record.read_at(at, PIECE.min(usize::try_from(bytes - at).unwrap_or(PIECE)))?;
            if piece.is_empty() {
                break;
            }
            digest.update(&piece);
            at += piece.len() as u64;
        }
        Ok(Hop { bytes: at, sha256: digest::text(&digest.finish()) })
    }

    /// Cuts off what was never sent.
    ///
    /// # Errors
    /// When it cannot.
    pub fn cut(&mut self, bytes: u64) -> Result<(), VaultError> {
        if bytes < self.record.len() {
            let kept = self.read(usize::try_from(bytes).unwrap_or(usize::MAX))?;
            self.record.cut(bytes)?;
            self.digest = Running::default();
            self.digest.update(&kept);
        }
        Ok(())
    }

    /// Up to `most` of its first bytes.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, most: usize) -> Result<Vec<u8>, VaultError> {
        self.record.read_at(0, most)
    }

    /// Up to `most` bytes from a place on.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_at(&self, at: u64, most: usize) -> Result<Vec<u8>, VaultError> {
        self.record.read_at(at, most)
    }

    /// A handle for a thread that may wait for the disk.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn again(&self) -> Result<Record, VaultError> {
        self.record.again()
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
    /// Makes the files. `upstream` is the body for the provider, where it is another one than the client's; with `maps` the client
    /// may get something else than the provider sends.
    ///
    /// # Errors
    /// When one cannot be made or written: then nothing may be forwarded.
    pub fn open(
        folder: Folder,
        name: String,
        request: &[u8],
        upstream: Option<&[u8]>,
        maps: bool,
    ) -> Result<Self, VaultError> {
        let file = |ending: &str| folder.create(&format!("{name}.{ending}"));
        let keep = |ending: &str, body: &[u8]| {
            let mut kept = Kept::new(file(ending)?);
            kept.write(body).map(|()| kept.hop())
        };
        let request = keep(REQUEST, request)?;
        let upstream_request = upstream.map(|body| keep(UPSTREAM_REQUEST, body)).transpose()?;
        let response = Kept::new(file(RESPONSE)?);
        let served = if maps { Some(Kept::new(file(SERVED)?)) } else { None };
        Ok(Self { folder, name, request, upstream_request, response, served })
    }

    /// The name of its files without the ending.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes the readable file; gives its SHA-256, hexadecimal.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn readable(&self, text: &[u8]) -> Result<String, VaultError> {
        self.folder.create(&format!("{}.{READABLE}", self.name))?.write(text)?;
        Ok(digest::text(&digest::of(text)))
    }

    /// Writes down what the client is told in the place of an answer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn failed_with(&mut self, body: &[u8]) -> Result<(), VaultError> {
        let served = match &mut self.served {
            Some(served) => served,
            None => {
                let record = self.folder.create(&format!("{}.{SERVED}", self.name))?;
                self.served.insert(Kept::new(record))
            }
        };
        served.write(body)
    }

    /// Removes what was opened for a forward that is not made after all; the request stays.
    pub fn give_up(self) {
        for ending in [UPSTREAM_REQUEST, RESPONSE, SERVED] {
            // What cannot be removed is an empty file; nobody is misled by it.
            drop(self.folder.remove(&format!("{}.{ending}", self.name)));
        }
    }
}
