//! Content codings undone while a body comes: what can be decoded from the bytes so far comes out at once.

mod brotli;
mod gzip;
mod inflate;
mod zstd;

use self::brotli::Brotli;
use self::gzip::Gzip;
use self::inflate::Deflate;
use self::zstd::Zstd;

/// One content coding (RFC 9110, 8.4; `br` of RFC 7932, `zstd` of RFC 8878).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// None.
    Identity,
    /// gzip, of any number of members.
    Gzip,
    /// zlib; raw deflate is taken too, as browsers do.
    Deflate,
    /// Brotli with windows up to 16 MiB.
    Brotli,
    /// Zstandard with windows up to 8 MiB (RFC 9659), without dictionaries. Its checksum of the content is not compared.
    Zstd,
}

/// More codings than this on one body are refused: each costs the memory of a decoder.
pub const MAX_CODINGS: usize = 4;

impl Coding {
    /// The codings of a `Content-Encoding` value, in the order in which they were applied. Letter case is of no account.
    ///
    /// # Errors
    /// [`CodingError::Unknown`] with the name, [`CodingError::TooMany`].
    pub fn list(value: &str) -> Result<Vec<Self>, CodingError> {
        let names =
            value.split(',').map(|name| name.trim_matches([' ', '\t'])).filter(|name| !name.is_empty());
        let list: Vec<Self> = names.map(Self::named).collect::<Result<_, _>>()?;
        if list.len() > MAX_CODINGS { Err(CodingError::TooMany) } else { Ok(list) }
    }

    fn named(name: &str) -> Result<Self, CodingError> {
        match name.to_ascii_lowercase().as_str() {
            "identity" => Ok(Self::Identity),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            "deflate" => Ok(Self::Deflate),
            "br" => Ok(Self::Brotli),
            "zstd" => Ok(Self::Zstd),
            _ => Err(CodingError::Unknown(name.to_owned())),
        }
    }

    /// Its name in a header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Why a body cannot be decoded (further).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodingError {
    /// A coding of this name is not known.
    Unknown(String),
    /// More than [`MAX_CODINGS`].
    TooMany,
    /// The bytes are not in this coding.
    Broken(Coding),
    /// The body ended inside this coding.
    Cut(Coding),
    /// It decodes to more than so many bytes.
    TooLong(u64),
}

impl std::fmt::Display for CodingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "the content coding {name:?} is not known"),
            Self::TooMany => write!(f, "more than {MAX_CODINGS} content codings"),
            Self::Broken(coding) => write!(f, "the body is no {}", coding.name()),
            Self::Cut(coding) => write!(f, "the body ends inside its {}", coding.name()),
            Self::TooLong(limit) => write!(f, "the body decodes to more than {limit} bytes"),
        }
    }
}

impl std::error::Error for CodingError {}

/// Undoes a list of codings. Bytes behind the end of a coding are passed over, as browsers do; an empty body is whole.
#[derive(Debug)]
pub struct Decoder {
    /// In the order in which they are undone.
    stages: Vec<Stage>,
    failed: Option<CodingError>,
}

/// One coding and what may still come out of it.
#[derive(Debug)]
struct Stage {
    coding: Coding,
    work: Work,
    limit: u64,
    room: u64,
    /// No byte came yet.
    fresh: bool,
}

#[derive(Debug)]
enum Work {
    Identity,
    Gzip(Box<Gzip>),
    Deflate(Box<Deflate>),
    Brotli(Box<Brotli>),
    Zstd(Box<Zstd>),
}

/// Why one coding stops; the stage knows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Broken,
    Full,
}

/// Where decoded bytes go, as long as there is room.
struct Sink<'o> {
    out: &'o mut Vec<u8>,
    room: &'o mut u64,
}

impl Sink<'_> {
    /// Appends what fits.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let fits = usize::try_from(*self.room).unwrap_or(usize::MAX).min(bytes.len());
        self.out.extend_from_slice(&bytes[..fits]);
        *self.room -= fits as u64;
        if fits < bytes.len() { Err(Stop::Full) } else { Ok(()) }
    }
}

impl Decoder {
    /// A decoder of a body to which these codings were applied in this order. None of them may give more than `limit` bytes.
    #[must_use]
    pub fn new(list: &[Coding], limit: u64) -> Self {
        let stages = list.iter().rev().map(|&coding| Stage::new(coding, limit)).collect();
        Self { stages, failed: None }
    }

    /// Takes what came next and appends what it decodes to, as far as that is known yet.
    ///
    /// # Errors
    /// [`CodingError::Broken`] and [`CodingError::TooLong`], now and at every later call. What came out before is good.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), CodingError> {
        self.run(bytes, false, out)
    }

    /// The body is at its end.
    ///
    /// # Errors
    /// [`CodingError::Cut`] where it is not whole, or the error that came before.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), CodingError> {
        self.run(&[], true, out)
    }

    fn run(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<(), CodingError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut flow = bytes.to_vec();
        for stage in &mut self.stages {
            let mut next = Vec::new();
            let mut result = stage.push(&flow, &mut next);
            if last && result.is_ok() {
                result = stage.finish();
            }
            flow = next;
            // What a broken coding gave before goes on through the ones behind it.
            if self.failed.is_none() {
                self.failed = result.err();
            }
        }
        out.append(&mut flow);
        self.failed.clone().map_or(Ok(()), Err)
    }
}

impl Stage {
    fn new(coding: Coding, limit: u64) -> Self {
        let work = match coding {
            Coding::Identity => Work::Identity,
            Coding::Gzip => Work::Gzip(Box::default()),
            Coding::Deflate => Work::Deflate(Box::default()),
            Coding::Brotli => Work::Brotli(Box::new(Brotli::new())),
            Coding::Zstd => Work::Zstd(Box::new(Zstd::new())),
        };
        Self { coding, work, limit, room: limit, fresh: true }
    }

    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), CodingError> {
        self.fresh &= bytes.is_empty();
        let mut sink = Sink { out, room: &mut self.room };
        let result = match &mut self.work {
            Work::Identity => sink.put(bytes),
            Work::Gzip(gzip) => gzip.push(bytes, &mut sink),
            Work::Deflate(deflate) => deflate.push(bytes, &mut sink),
            Work::Brotli(brotli) => brotli.push(bytes, &mut sink),
            Work::Zstd(zstd) => zstd.push(bytes, &mut sink),
        };
        result.map_err(|stop| match stop {
            Stop::Broken => CodingError::Broken(self.coding),
            Stop::Full => CodingError::TooLong(self.limit),
        })
    }

    fn finish(&self) -> Result<(), CodingError> {
        let whole = match &self.work {
            Work::Identity => true,
            Work::Gzip(gzip) => gzip.is_whole(),
            Work::Deflate(deflate) => deflate.is_whole(),
            Work::Brotli(brotli) => brotli.is_whole(),
            Work::Zstd(zstd) => zstd.is_whole(),
        };
        if whole || self.fresh { Ok(()) } else { Err(CodingError::Cut(self.coding)) }
    }
}
