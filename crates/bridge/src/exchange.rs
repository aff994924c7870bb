//! The files of one exchange: opened before anything is forwarded, written before anything is served.

use crate::kept::Kept;
use crate::records::{number, stem};
use crate::redactor::Redactor;
use crate::traffic::{self, Batch, Traffic};
use rehearsal_journal::bridge::Hop;
use rehearsal_journal::digest;
use rehearsal_world::vault::{Folder, Record, VaultError};
use std::borrow::Cow;
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

/// Most bytes of a body that stay in the log of traffic alone; a longer one gets its file at once.
pub(crate) const LOGGED: usize = 256 * 1024;

/// The files of one exchange.
#[derive(Debug)]
pub struct Exchange {
    shelf: Arc<Shelf>,
    /// What the log has taken and may not have written.
    handed: Vec<Arc<Batch>>,
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
    /// What must not be written, if anything.
    pub redactor: Option<Redactor>,
}

impl Shelf {
    /// Makes a file.
    pub(crate) fn file(&self, ending: &str) -> Result<Record, VaultError> {
        self.folder.create(&format!("{}.{ending}", self.name))
    }

    /// Makes a file that holds something from its first moment on.
    pub(crate) fn file_with(&self, ending: &str, bytes: &[u8]) -> Result<Record, VaultError> {
        self.folder.create_with(&format!("{}.{ending}", self.name), bytes)
    }

    /// Keeps what is there whole: at once in a file, or with a batch of the log.
    fn keep(
        &self,
        hop: traffic::Hop,
        ending: &'static str,
        body: &[u8],
    ) -> Result<(Hop, Option<Arc<Batch>>), VaultError> {
        let body = self.redactor.as_ref().map_or(Cow::Borrowed(body), |redactor| redactor.bytes(body).into());
        let kept = Hop { bytes: body.len() as u64, sha256: digest::text(&digest::of(&body)) };
        match &self.log {
            Some(log) if body.len() <= LOGGED => {
                log.write_soon(hop, self.sequence, &self.name, &body).map(|batch| (kept, Some(batch)))
            }
            Some(_) | None => self.file(ending)?.write(&body).map(|()| (kept, None)),
        }
    }

    /// Waits until the disk has the files and their names. Where it cannot promise that, the kernel still has them.
    pub(crate) fn settle(&self) {
        for ending in [REQUEST, UPSTREAM_REQUEST, RESPONSE, SERVED] {
            if let Ok(file) = self.folder.read_from(&format!("{}.{ending}", self.name)) {
                drop(file.sync());
            }
        }
        drop(self.folder.sync());
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
    /// client may get something else than the provider sends. Nothing may be forwarded before [`Exchange::write`], either.
    ///
    /// # Errors
    /// When it cannot be made or written: then nothing may be forwarded.
    pub fn open(
        shelf: Shelf,
        request: &[u8],
        upstream: Option<&[u8]>,
        maps: bool,
    ) -> Result<Self, VaultError> {
        let shelf = Arc::new(shelf);
        let mut handed = Vec::new();
        let mut keep = |hop, ending, body| {
            let (kept, batch) = shelf.keep(hop, ending, body)?;
            handed.extend(batch);
            Ok(kept)
        };
        let request = keep(traffic::Hop::Request, REQUEST, request)?;
        let upstream_request =
            upstream.map(|body| keep(traffic::Hop::UpstreamRequest, UPSTREAM_REQUEST, body)).transpose()?;
        let response = Kept::open(&shelf, traffic::Hop::Response, RESPONSE)?;
        let served = if maps { Some(Kept::open(&shelf, traffic::Hop::Served, SERVED)?) } else { None };
        Ok(Self { shelf, handed, request, upstream_request, response, served })
    }

    /// Writes all that was taken: the kernel has it when this returns.
    ///
    /// # Errors
    /// When it cannot be written: then nobody may be served it.
    pub async fn write(&mut self) -> Result<(), VaultError> {
        let response = self.response.hand_over();
        let served = self.served.as_mut().map_or(Ok(None), Kept::hand_over);
        self.handed.extend([&response, &served].into_iter().flatten().flatten().cloned());
        let handed = std::mem::take(&mut self.handed);
        let written = match &self.shelf.log {
            Some(log) if !handed.is_empty() => log.written(&handed).await,
            Some(_) | None => Ok(()),
        };
        if let Ok(Some(batch)) = &response {
            self.response.settle(batch.is_written());
        }
        if let (Some(kept), Ok(Some(batch))) = (&mut self.served, &served) {
            kept.settle(batch.is_written());
        }
        response.and(served).map(drop).and(written)
    }

    /// Where its files are.
    pub(crate) fn shelf(&self) -> Arc<Shelf> {
        Arc::clone(&self.shelf)
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
            Some(log) => {
                drop(log.write_soon(traffic::Hop::Readable, self.shelf.sequence, &self.shelf.name, text)?);
            }
            None => self.shelf.file(READABLE)?.write(text)?,
        }
        Ok(digest::text(&digest::of(text)))
    }

    /// Nothing more comes and nothing more is served.
    ///
    /// # Errors
    /// When what was held back cannot be written.
    pub async fn finish(&mut self) -> Result<(), VaultError> {
        self.response.finish();
        if let Some(served) = &mut self.served {
            served.finish();
        }
        self.write().await
    }

    /// Writes down what the client is told in the place of an answer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn failed_with(&mut self, body: &[u8]) -> Result<(), VaultError> {
        let served = match &mut self.served {
            Some(served) => served,
            None => self.served.insert(Kept::open(&self.shelf, traffic::Hop::Served, SERVED)?),
        };
        served.push(body);
        self.write().await
    }

    /// Removes what was opened for a forward that is not made after all; the request stays.
    pub fn give_up(self) {
        let Shelf { folder, log, sequence, name, .. } = &*self.shelf;
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
