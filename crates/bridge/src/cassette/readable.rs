//! The readable file of an exchange, read back: all of it that a program needs. What people read in it, bodies above all, is left out.

use crate::passing::Header;
use crate::view::VERSION;
use rehearsal_journal::bridge::Hop;
use rehearsal_wire::json::{Value, parse};
use thiserror::Error;

/// What is wrong with a readable file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// It is no JSON.
    #[error("it is not JSON ({0}), so it is not what a record wrote; restore it")]
    NotJson(String),
    /// A newer program wrote it.
    #[error("its form has version {found}, and this program reads {VERSION} and older: use a newer one")]
    Newer {
        /// Its version.
        found: u64,
    },
    /// A part is missing or something else.
    #[error(
        "{0} is missing or not what a record writes there, so it is no whole exchange; give the folder of the record, or restore the file"
    )]
    Shape(&'static str),
    /// It names a dialect that this program does not know.
    #[error("it names the dialect {0:?}, which this program does not know: use a newer one")]
    Dialect(String),
}

/// What a readable file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Readable {
    pub(crate) sequence: u64,
    pub(crate) case: Option<String>,
    pub(crate) dialect: Option<String>,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) request: Hop,
    /// What was sent to the provider, where anything was.
    pub(crate) forward: Option<Hop>,
    /// None where the provider gave no answer.
    pub(crate) response: Option<Response>,
    pub(crate) served: Served,
    pub(crate) complete: bool,
}

/// What came from the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<Header>,
    pub(crate) head_us: u64,
    pub(crate) pieces: Vec<(u64, u64)>,
    pub(crate) hop: Hop,
}

/// What the client got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) status: u16,
    pub(crate) hop: Hop,
    /// Whether it has a file of its own.
    pub(crate) file: bool,
    pub(crate) pieces: Vec<(u64, u64)>,
    pub(crate) client_left: bool,
}

impl Readable {
    /// Reads the file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let tape = parse(bytes).map_err(|broken| ReadError::NotJson(broken.to_string()))?;
        let root = tape.root();
        let version = number(root, "/version")?;
        if version > u64::from(VERSION) {
            return Err(ReadError::Newer { found: version });
        }
        let forwarded = root.at("/forward/sha256").is_some_and(|sum| !sum.is_null());
        let answered = root.at("/response").is_some_and(|response| !response.is_null());
        Ok(Self {
            sequence: number(root, "/sequence")?,
            case: words(root, "/case")?,
            dialect: words(root, "/dialect")?,
            method: text(root, "/request/method")?,
            target: text(root, "/request/target")?,
            request: hop(root, "/request/bytes", "/request/sha256")?,
            forward: forwarded.then(|| hop(root, "/forward/bytes", "/forward/sha256")).transpose()?,
            response: answered.then(|| response(root)).transpose()?,
            served: Served {
                status: status(root, "/served/status", 200)?,
                hop: hop(root, "/served/bytes", "/served/sha256")?,
                file: truth(root, "/served/file")?,
                pieces: pieces(root, "/served/pieces")?,
                client_left: truth(root, "/served/clientLeft")?,
            },
            complete: truth(root, "/complete")?,
        })
    }
}

fn response(root: Value<'_>) -> Result<Response, ReadError> {
    let wrong = || ReadError::Shape("/response/headers");
    let mut headers = Vec::new();
    for pair in root.at("/response/headers").ok_or_else(wrong)?.items() {
        let mut texts = pair.items().filter_map(Value::as_str);
        let (Some(name), Some(value)) = (texts.next(), texts.next()) else { return Err(wrong()) };
        headers.push((name.into_owned(), value.into_owned().into_bytes()));
    }
    Ok(Response {
        // One below 200 was not passed on.
        status: status(root, "/response/status", 100)?,
        headers,
        head_us: number(root, "/response/headUs")?,
        pieces: pieces(root, "/response/pieces")?,
        hop: hop(root, "/response/bytes", "/response/sha256")?,
    })
}

fn number(root: Value<'_>, pointer: &'static str) -> Result<u64, ReadError> {
    whole(root.at(pointer)).ok_or(ReadError::Shape(pointer))
}

fn whole(value: Option<Value<'_>>) -> Option<u64> {
    value?.as_number()?.parse().ok()
}

/// A status of at least `least`, which can be sent from 200 on.
fn status(root: Value<'_>, pointer: &'static str, least: u16) -> Result<u16, ReadError> {
    let status = number(root, pointer)?;
    let status = u16::try_from(status).ok().filter(|status| (least..=999).contains(status));
    status.ok_or(ReadError::Shape(pointer))
}

fn truth(root: Value<'_>, pointer: &'static str) -> Result<bool, ReadError> {
    root.at(pointer).and_then(Value::as_bool).ok_or(ReadError::Shape(pointer))
}

fn text(root: Value<'_>, pointer: &'static str) -> Result<String, ReadError> {
    words(root, pointer)?.ok_or(ReadError::Shape(pointer))
}

/// A text or `null`.
fn words(root: Value<'_>, pointer: &'static str) -> Result<Option<String>, ReadError> {
    let value = root.at(pointer).ok_or(ReadError::Shape(pointer))?;
    if value.is_null() {
        return Ok(None);
    }
    value.as_str().map(|text| Some(text.into_owned())).ok_or(ReadError::Shape(pointer))
}

fn hop(root: Value<'_>, bytes: &'static str, sha256: &'static str) -> Result<Hop, ReadError> {
    Ok(Hop { bytes: number(root, bytes)?, sha256: text(root, sha256)? })
}

fn pieces(root: Value<'_>, pointer: &'static str) -> Result<Vec<(u64, u64)>, ReadError> {
    let pair = |value: Value<'_>| {
        let mut numbers = value.items();
        Some((whole(numbers.next())?, whole(numbers.next())?))
    };
    let list = root.at(pointer).ok_or(ReadError::Shape(pointer))?;
    list.items().map(pair).collect::<Option<_>>().ok_or(ReadError::Shape(pointer))
}
