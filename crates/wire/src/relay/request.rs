//! The one change in a request on its way to the provider: the value of its `model`.

use crate::json::{Kind, Tape, Value, write_string};

/// Why a request is not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFault {
    /// The body is JSON and no object.
    NoObject,
    /// It has no `model`.
    NoModel,
    /// This key stands twice at the top: what was checked and what the provider reads could differ.
    Twice(&'static str),
}

impl std::fmt::Display for RequestFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoObject => f.write_str("the body is no JSON object"),
            Self::NoModel => f.write_str("the body has no `model`"),
            Self::Twice(key) => write!(f, "`{key}` stands twice in the body"),
        }
    }
}

impl std::error::Error for RequestFault {}

/// Checks that a body can be read in one way: an object in which `model` and `messages` (as decoded) stand once at most.
///
/// # Errors
/// [`RequestFault::NoObject`] and [`RequestFault::Twice`].
pub fn check(root: Value<'_>) -> Result<(), RequestFault> {
    if root.kind() != Kind::Object {
        return Err(RequestFault::NoObject);
    }
    for key in ["model", "messages"] {
        if root.entries().filter(|(name, _)| name.is_str(key)).count() > 1 {
            return Err(RequestFault::Twice(key));
        }
    }
    Ok(())
}

/// The body with another string as the value of its top-level `model`, whatever that was; every other byte is as it came.
///
/// # Errors
/// Those of [`check`], and [`RequestFault::NoModel`].
pub fn rename(tape: &Tape<'_>, to: &str) -> Result<Vec<u8>, RequestFault> {
    check(tape.root())?;
    let old = tape.root().get("model").ok_or(RequestFault::NoModel)?;
    let (start, end) = (old.offset(), old.offset() + old.text().len());
    let body = tape.source().as_bytes();
    let mut out = Vec::with_capacity(body.len() + to.len());
    out.extend_from_slice(&body[..start]);
    write_string(&mut out, to);
    out.extend_from_slice(&body[end..]);
    Ok(out)
}
