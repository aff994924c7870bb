//! The bytes of a recording: where they lie, and how they are read piece by piece, so that no body need be in memory whole.

use super::readable::{Readable, Response};
use super::{Ending, LONGEST_REQUEST, Recording};
use crate::denial::{self, TRANSPORT, UPSTREAM_FAILED};
use crate::exchange::{REQUEST, RESPONSE, SERVED, UPSTREAM_REQUEST};
use crate::key::Key;
use crate::passing::Header;
use crate::pipe::{self, Form, Pipe};
use rehearsal_journal::bridge::Hop;
use rehearsal_journal::digest::{self, Running};
use rehearsal_journal::redact::REDACTED;
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::json::{Value, parse};
use rehearsal_wire::relay::Names;
use rehearsal_wire::relay::coding::Coding;
use rehearsal_world::vault::{Folder, Record, VaultError};

/// Bytes that are in memory at once.
const PIECE: u64 = 1 << 20;

/// A body, on disk or in our own words.
#[derive(Debug)]
pub struct Body {
    folder: Folder,
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// A file as it is.
    File(String),
    /// What the provider sent, with the names of its model still to be mapped: the client left before all of it was.
    Mapped(Box<Mapped>),
    /// Our own words.
    Words(Vec<u8>),
}

#[derive(Debug)]
struct Mapped {
    file: String,
    names: Names,
    spare: &'static [&'static str],
    form: Form,
    codings: Vec<Coding>,
}

/// A body that is being read.
#[derive(Debug)]
pub struct Reader {
    from: Origin,
    at: u64,
    /// Where what is read passes on its way, and whether it is at its end.
    pipe: Option<Pipe>,
}

#[derive(Debug)]
enum Origin {
    File(Record),
    Words(Vec<u8>),
}

impl Body {
    /// Begins to read it.
    ///
    /// # Errors
    /// When its file cannot be opened.
    pub fn reader(&self) -> Result<Reader, VaultError> {
        let (from, pipe) = match &self.source {
            Source::File(file) => (Origin::File(self.folder.read_from(file)?), None),
            Source::Words(words) => (Origin::Words(words.clone()), None),
            Source::Mapped(mapped) => {
                let Mapped { file, names, spare, form, codings } = &**mapped;
                let pipe = Pipe::new(Some(names), spare, *form, codings);
                (Origin::File(self.folder.read_from(file)?), Some(pipe))
            }
        };
        Ok(Reader { from, at: 0, pipe })
    }

    /// Its first bytes, up to `most`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, most: usize) -> Result<Vec<u8>, VaultError> {
        let mut reader = self.reader()?;
        let mut whole = Vec::new();
        while whole.len() < most {
            let piece = reader.piece(PIECE.min((most - whole.len()) as u64))?;
            if piece.is_empty() && reader.is_over()? {
                break;
            }
            whole.extend_from_slice(&piece);
        }
        whole.extend(reader.rest());
        whole.truncate(most);
        Ok(whole)
    }

    /// How many its first bytes are, up to `most`, and their digest.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn beginning(&self, most: u64) -> Result<Hop, VaultError> {
        let mut reader = self.reader()?;
        let (mut digest, mut bytes) = (Running::default(), 0);
        while bytes < most {
            let mut piece = reader.piece(PIECE)?;
            let over = piece.is_empty() && reader.is_over()?;
            if over {
                piece = reader.rest();
            }
            piece.truncate(usize::try_from(most - bytes).unwrap_or(usize::MAX));
            digest.update(&piece);
            bytes += piece.len() as u64;
            if over {
                break;
            }
        }
        Ok(Hop { bytes, sha256: digest::text(&digest.finish()) })
    }
}

impl Reader {
    /// The next bytes: those that so many of the recorded ones became, which may be none. Fewer than were recorded only at the end.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn piece(&mut self, bytes: u64) -> Result<Vec<u8>, VaultError> {
        let most = usize::try_from(bytes.min(PIECE)).unwrap_or(usize::MAX);
        let read = match &self.from {
            Origin::File(record) => record.read_at(self.at, most)?,
            Origin::Words(words) => {
                let at = usize::try_from(self.at).unwrap_or(usize::MAX).min(words.len());
                words[at..words.len().min(at.saturating_add(most))].to_vec()
            }
        };
        self.at += read.len() as u64;
        let Some(pipe) = &mut self.pipe else { return Ok(read) };
        let mut out = Vec::new();
        // Where the coding breaks, what could be decoded is all that anybody got.
        drop(pipe.push(&read, &mut out));
        Ok(out)
    }

    /// Whether all that was recorded was read.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn is_over(&self) -> Result<bool, VaultError> {
        match &self.from {
            Origin::File(record) => Ok(record.read_at(self.at, 1)?.is_empty()),
            Origin::Words(words) => Ok(self.at >= words.len() as u64),
        }
    }

    /// What was held back until the end was known. To be asked once, at the end.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(pipe) = &mut self.pipe {
            drop(pipe.finish(&mut out));
        }
        out
    }
}

/// What is in a file; none where there is none.
pub(crate) fn sum(folder: &Folder, file: &str) -> Result<Option<Hop>, VaultError> {
    if !folder.holds(file) {
        return Ok(None);
    }
    Body { folder: folder.clone(), source: Source::File(file.to_owned()) }.beginning(u64::MAX).map(Some)
}

/// A recording of what its readable file says.
pub(super) fn recording(
    folder: &Folder,
    name: &str,
    said: Readable,
    dialect: Option<&'static Dialect>,
    key: Key,
) -> Result<Recording, VaultError> {
    let file = |ending: &str| format!("{name}.{ending}");
    let body = |source| Body { folder: folder.clone(), source };
    let own = is_own(&said);
    let whole_left = !own && said.served.client_left && said.served.file;
    let mapped = if whole_left { mapped(folder, name, &said, dialect)? } else { None };
    let as_served = said.served.file && !whole_left;
    let is_raw = !own && !as_served && mapped.is_none();
    // What never held a byte got no file.
    let kept =
        |name: String| if folder.holds(&name) { Source::File(name) } else { Source::Words(Vec::new()) };
    let (mut pieces, source) = match (&said.response, mapped) {
        // The client left before it got these words.
        _ if own && said.served.hop.bytes == 0 => (Vec::new(), Source::Words(own_words())),
        (Some(response), Some(mapped)) => (response.pieces.clone(), Source::Mapped(Box::new(mapped))),
        (Some(response), None) if !as_served => (response.pieces.clone(), kept(file(RESPONSE))),
        _ => (said.served.pieces.clone(), kept(file(SERVED))),
    };
    let bytes = match &source {
        Source::File(file) => folder.read_from(file)?.len(),
        Source::Mapped(mapped) => folder.read_from(&mapped.file)?.len(),
        Source::Words(words) => words.len() as u64,
    };
    cover(&mut pieces, bytes);
    let status = said.served.status;
    let json = || vec![("content-type".to_owned(), b"application/json".to_vec())];
    let provider = said.response.filter(|_| !own);
    let ending = match (own, said.complete) {
        (false, false) => Ending::Cut,
        (false, true) if said.served.client_left => Ending::ClientLeft,
        (true, _) | (false, true) => Ending::Whole,
    };
    // What was mapped on its way left without a length, and so it leaves again.
    let length = match &provider {
        None => Some(bytes),
        Some(_) if !is_raw => None,
        Some(response) => length(response).map(|told| match ending {
            // It has no body, and tells how long another answer would be.
            Ending::Whole if said.method == "HEAD" || matches!(said.served.status, 204 | 304) => told,
            // Where marks stand for what was there, it is another one than was told.
            Ending::Whole | Ending::ClientLeft => bytes,
            Ending::Cut => told.max(bytes + 1),
        }),
    };
    let headers = provider.as_ref().map_or_else(json, |response| shown(&response.headers));
    Ok(Recording {
        name: name.to_owned(),
        sequence: said.sequence,
        case: said.case,
        dialect,
        key,
        method: said.method,
        target: said.target,
        status,
        decoded: said.served.file && !is_raw && pipe::codings(&headers).is_ok(),
        headers,
        length,
        head_us: provider.as_ref().map_or(0, |response| response.head_us),
        pieces,
        body: body(source),
        request: body(kept(file(REQUEST))),
        ending,
        provided: !own,
    })
}

/// Whether the client was told, in the bridge's words, that the forward failed. Such words are no piece of an answer.
fn is_own(said: &Readable) -> bool {
    match &said.response {
        None => true,
        Some(_) if said.complete || said.served.status != 502 => false,
        Some(response) => response.status != 502 || (said.served.file && said.served.pieces.is_empty()),
    }
}

fn own_words() -> Vec<u8> {
    denial::body(TRANSPORT, UPSTREAM_FAILED, "The provider could not be asked when this was recorded.")
}

/// The length that a provider told beforehand.
fn length(response: &Response) -> Option<u64> {
    pipe::value(&response.headers, "content-length").and_then(|text| text.trim().parse().ok())
}

/// Headers whose values are there: of a masked one nothing can be sent again.
fn shown(headers: &[Header]) -> Vec<Header> {
    headers.iter().filter(|(_, value)| value != REDACTED.as_bytes()).cloned().collect()
}

/// Makes the pieces cover so many bytes: what belongs to none leaves with the last.
fn cover(pieces: &mut Vec<(u64, u64)>, bytes: u64) {
    let mut covered = 0_u64;
    for (_, piece) in &mut *pieces {
        *piece = (*piece).min(bytes - covered);
        covered += *piece;
    }
    if covered < bytes {
        let last = pieces.last().map_or(0, |(us, _)| *us);
        pieces.push((last, bytes - covered));
    }
}

/// How the rest of an answer is mapped whose client left: the names are those in the two requests. None where nothing was.
fn mapped(
    folder: &Folder,
    name: &str,
    said: &Readable,
    dialect: Option<&'static Dialect>,
) -> Result<Option<Mapped>, VaultError> {
    let model = |ending: &str| -> Result<Option<String>, VaultError> {
        let Some(bytes) = folder.read(&format!("{name}.{ending}"), LONGEST_REQUEST)? else { return Ok(None) };
        let Ok(tape) = parse(&bytes) else { return Ok(None) };
        Ok(tape.root().get("model").and_then(Value::as_str).map(|model| model.into_owned()))
    };
    let (Some(alias), Some(real)) = (model(REQUEST)?, model(UPSTREAM_REQUEST)?) else { return Ok(None) };
    let (Ok(names), Some(response)) = (Names::new(&real, &alias), &said.response) else { return Ok(None) };
    let Ok(codings) = pipe::codings(&response.headers) else { return Ok(None) };
    Ok(Some(Mapped {
        file: format!("{name}.{RESPONSE}"),
        names,
        spare: dialect.map_or(crate::forward::SPARE, |dialect| dialect.generated),
        form: Form::of(&response.headers),
        codings,
    }))
}
