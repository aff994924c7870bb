//! Recorded traffic as it is read again: the folder of a record, its `exchanges` alone, or one exchange. What lies there is checked
//! against its digests first, and bodies are read when they are needed.
//!
//! Must not know: how a recording is found for a request, what a scenario is.

pub mod body;
pub mod check;
mod readable;
pub mod talk;

use crate::exchange::{READABLE, REQUEST, RESPONSE, SERVED, UPSTREAM_REQUEST};
use crate::key::Key;
use crate::passing::Header;
use crate::records::{EXCHANGES, PRIVATE};
use crate::replay::call::call;
use crate::traffic::{TRAFFIC, segments};
use body::{Body, sum};
use readable::{ReadError, Readable};
use rehearsal_journal::bridge::{Fact, Hop};
use rehearsal_journal::event::Event;
use rehearsal_wire::dialect::{Dialect, dialect};
use rehearsal_world::files;
use rehearsal_world::record::{CheckError, Name, read_journal};
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Longest readable file, in bytes: what the longest bodies that are shown may become when they are indented.
const LONGEST_READABLE: u64 = 256 << 20;
/// Longest request, in bytes. The server of a record takes no longer one.
const LONGEST_REQUEST: u64 = 64 << 20;

/// Why recorded traffic cannot be used. Each says which file and what can be done.
#[derive(Debug, Error)]
pub enum CassetteError {
    /// Nothing that was recorded is there.
    #[error(
        "{0} holds no recording: give the folder of `rehearsal record --data`, its private/exchanges, or the .json file of one exchange"
    )]
    Nothing(PathBuf),
    /// Files cannot be read.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The journal beside it cannot be read, or was changed.
    #[error("{0}; restore the journal, or give the folder `exchanges` alone, copied elsewhere")]
    Journal(#[from] CheckError),
    /// A readable file is none.
    #[error("{path}: {source}")]
    Readable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ReadError,
    },
    /// A file is not what was recorded.
    #[error("{path}: its bytes are not those that {by} names: it was changed. Restore it, or record again")]
    Changed {
        /// The file.
        path: PathBuf,
        /// What says what was recorded.
        by: String,
    },
    /// A file is missing.
    #[error("{path} is gone, though {by} names it. Restore it, or record again")]
    Gone {
        /// The file.
        path: PathBuf,
        /// What says that it should be there.
        by: String,
    },
}

/// Recorded traffic, in the order in which it was asked for.
#[derive(Debug, Default)]
pub struct Cassette {
    /// What can be served again.
    pub recordings: Vec<Recording>,
    /// The names of exchanges that never came to an end, without the endings of their files.
    pub interrupted: Vec<String>,
    /// The names of those that did, and whose bytes are still in the log of a recorder: its end, or its next start, makes files of them.
    pub logged: Vec<String>,
}

/// One exchange.
#[derive(Debug)]
pub struct Recording {
    /// The name of its files, without their endings.
    pub name: String,
    /// Its number in its record.
    pub sequence: u64,
    /// Its case: what the lane of the request named, or the case that it was forwarded for.
    pub case: Option<String>,
    /// The dialect of its path, where it is one of a provider.
    pub dialect: Option<&'static Dialect>,
    /// What it is found by.
    pub key: Key,
    /// Its method.
    pub method: String,
    /// Path and query without the lane, secrets masked.
    pub target: String,
    /// The status that the client was sent.
    pub status: u16,
    /// The headers of the provider's answer; those of ours where the provider gave none.
    pub headers: Vec<Header>,
    /// Whether a content coding was taken off before it was served.
    pub decoded: bool,
    /// The length that the client was told beforehand, in bytes.
    pub length: Option<u64>,
    /// When the head came, microseconds after the request.
    pub head_us: u64,
    /// When each piece came, microseconds after the request, and how many bytes of the body it has.
    pub pieces: Vec<(u64, u64)>,
    /// What the client got.
    pub body: Body,
    /// What the client asked.
    pub request: Body,
    /// How it ended.
    pub ending: Ending,
    /// Whether the provider gave this answer: else it could not be asked, and these are the bridge's own words.
    pub provided: bool,
}

/// How a recorded answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was whole.
    Whole,
    /// It broke off, and the client saw that.
    Cut,
    /// The client left before the end. What the provider sent is the answer, and it is whole.
    ClientLeft,
}

/// Opens recorded traffic and checks every byte of it.
///
/// # Errors
/// The first thing that is missing or was changed.
pub fn open(path: &Path) -> Result<Cassette, CassetteError> {
    let Place { folder, only } = place(path)?;
    let known = known(folder.path())?;
    let mut cassette = Cassette::default();
    for name in folder.names()? {
        let Some((stem, ending)) = name.rsplit_once('.') else { continue };
        if only.as_ref().is_some_and(|only| only != stem) {
            continue;
        }
        let ended = known.as_ref().is_none_or(|known| known.contains_key(stem));
        let sum = known.as_ref().and_then(|known| known.get(stem)).and_then(Option::as_deref);
        let is_there = ended && folder.holds(&format!("{stem}.{READABLE}"));
        if ending == RESPONSE && !is_there && sum.is_none() {
            cassette.interrupted.push(stem.to_owned());
        } else if ending == READABLE && ended {
            cassette.recordings.push(read(&folder, stem, sum)?);
        }
    }
    if only.is_none() {
        let ended = known.iter().flatten().filter(|(_, readable)| readable.is_some());
        let missing = ended.filter(|(name, _)| !folder.holds(&format!("{name}.{READABLE}")));
        cassette.logged = missing.map(|(name, _)| name.clone()).collect();
    }
    if let Some(name) = cassette.logged.first().filter(|_| !has_log(&folder.path().join(".."))) {
        let path = folder.path().join(format!("{name}.{READABLE}"));
        return Err(CassetteError::Gone { path, by: "the journal".to_owned() });
    }
    if cassette.recordings.is_empty() && cassette.interrupted.is_empty() && cassette.logged.is_empty() {
        return Err(CassetteError::Nothing(path.to_owned()));
    }
    cassette.recordings.sort_by_key(|recording| recording.sequence);
    Ok(cassette)
}

/// Whether a recorder left bytes in its log, or may still write there.
fn has_log(private: &Path) -> bool {
    let log = Folder::look_into(&private.join(TRAFFIC)).and_then(|folder| segments(&folder));
    log.is_ok_and(|segments| !segments.is_empty())
}

/// Where the files of exchanges lie.
struct Place {
    folder: Folder,
    /// The one exchange that is meant, if not all are.
    only: Option<String>,
}

fn place(path: &Path) -> Result<Place, CassetteError> {
    if files::is_file(path) {
        let stem = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.rsplit_once('.'));
        let Some((stem, _)) = stem.filter(|(_, ending)| *ending == READABLE) else {
            return Err(CassetteError::Nothing(path.to_owned()));
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        return Ok(Place { folder: Folder::look_into(parent)?, only: Some(stem.to_owned()) });
    }
    let folders = [path.join(PRIVATE).join(EXCHANGES), path.join(EXCHANGES)];
    let folder = folders.iter().find(|folder| files::is_folder(folder)).map_or(path, PathBuf::as_path);
    if !files::is_folder(folder) {
        return Err(CassetteError::Nothing(path.to_owned()));
    }
    Ok(Place { folder: Folder::look_into(folder)?, only: None })
}

/// What the journal beside a folder of exchanges says of those that ended: SHA-256 of each readable file by the exchange's name.
/// None where no journal lies there.
fn known(exchanges: &Path) -> Result<Option<BTreeMap<String, Option<String>>>, CassetteError> {
    let parent = exchanges.join("..");
    let journal = match read_journal(&parent, &Name::Journal) {
        Err(CheckError::None(_)) => return Ok(None),
        read => read?,
    };
    // The journal of something else, that this folder was copied beside.
    if !journal.events.iter().any(|event| matches!(event, Event::Bridge(_))) {
        return Ok(None);
    }
    let ended = journal.events.into_iter().filter_map(|event| match event {
        Event::Bridge(Fact::Done(done)) => Some((done.files?, done.readable)),
        _ => None,
    });
    Ok(Some(ended.collect()))
}

/// Reads one exchange.
fn read(folder: &Folder, name: &str, known: Option<&str>) -> Result<Recording, CassetteError> {
    let raw = Raw { folder, name, by: "the journal" };
    if let Some(sum) = known {
        raw.is_readable(sum)?;
    }
    let said = raw.said()?;
    let file = raw.file(READABLE);
    let spoken = match &said.dialect {
        None => None,
        Some(name) => Some(dialect(name).ok_or_else(|| CassetteError::Readable {
            path: folder.path().join(&file),
            source: ReadError::Dialect(name.clone()),
        })?),
    };
    let raw = Raw { by: &file, ..raw };
    raw.is(REQUEST, &said.request)?;
    raw.is_forwarded(&said.request, said.forward.as_ref())?;
    if let Some(response) = &said.response {
        raw.is(RESPONSE, &response.hop)?;
    }
    if said.served.file {
        raw.is(SERVED, &said.served.hop)?;
    }
    let asked = folder.read(&raw.file(REQUEST), LONGEST_REQUEST)?.unwrap_or_default();
    let key = call(spoken, &said.method, &said.target, &asked);
    Ok(body::recording(folder, name, said, spoken, key)?)
}

/// The raw files of one exchange.
pub(crate) struct Raw<'r> {
    pub(crate) folder: &'r Folder,
    pub(crate) name: &'r str,
    /// What says what is in them.
    pub(crate) by: &'r str,
}

impl Raw<'_> {
    pub(crate) fn file(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// What the readable file says.
    pub(crate) fn said(&self) -> Result<Readable, CassetteError> {
        let file = self.file(READABLE);
        let path = self.folder.path().join(&file);
        let Some(text) = self.folder.read(&file, LONGEST_READABLE)? else {
            return Err(CassetteError::Gone { path, by: self.by.to_owned() });
        };
        Readable::read(&text).map_err(|source| CassetteError::Readable { path, source })
    }

    /// Whether the readable file has this digest.
    pub(crate) fn is_readable(&self, sha256: &str) -> Result<(), CassetteError> {
        let file = self.file(READABLE);
        let (path, by) = (self.folder.path().join(&file), self.by.to_owned());
        match sum(self.folder, &file)? {
            None => Err(CassetteError::Gone { path, by }),
            Some(hop) if hop.sha256 == sha256 => Ok(()),
            Some(_) => Err(CassetteError::Changed { path, by }),
        }
    }

    /// Whether what was sent to the provider is there, where it is something else than what the client asked.
    pub(crate) fn is_forwarded(&self, asked: &Hop, forwarded: Option<&Hop>) -> Result<(), CassetteError> {
        match forwarded {
            Some(hop) if hop != asked || self.folder.holds(&self.file(UPSTREAM_REQUEST)) => {
                self.is(UPSTREAM_REQUEST, hop)
            }
            _ => Ok(()),
        }
    }

    /// Whether a file holds what was recorded.
    pub(crate) fn is(&self, ending: &str, hop: &Hop) -> Result<(), CassetteError> {
        let file = self.file(ending);
        let (path, by) = (self.folder.path().join(&file), self.by.to_owned());
        match sum(self.folder, &file)? {
            // What never held a byte got no file.
            None if hop.bytes == 0 => Ok(()),
            None => Err(CassetteError::Gone { path, by }),
            Some(found) if found == *hop => Ok(()),
            Some(_) => Err(CassetteError::Changed { path, by }),
        }
    }
}
