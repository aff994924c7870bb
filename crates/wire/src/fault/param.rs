//! What a file may set at a fault: names, kinds, defaults.

use super::answer::{Flow, Piece};
use crate::json::{self, Kind, Value};
use std::time::Duration;

/// Something that a file may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its key in the step.
    pub name: &'static str,
    /// What it holds.
    pub kind: ParamKind,
    /// Its value where the file says nothing, as JSON text.
    pub default: &'static str,
    /// One line for tables.
    pub doc: &'static str,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// true or false.
    Flag,
    /// A whole number, 0 or more.
    Count,
    /// Milliseconds, a whole number, 0 or more.
    Millis,
    /// A number from 0 to 1.
    Fraction,
    /// A place in what is sent: a number from 0 to 1, `chunk N` or `byte N` (both from 0).
    Place,
    /// Text.
    Text,
}

impl ParamKind {
    /// What it holds, as a message says it.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Count => "a whole number, 0 or more",
            Self::Millis => "milliseconds as a whole number, 0 or more",
            Self::Fraction => "a number from 0 to 1",
            Self::Place => "a number from 0 to 1, `chunk N` or `byte N`",
            Self::Text => "a text",
        }
    }

    /// Whether a value is of this kind.
    #[must_use]
    pub fn accepts(self, value: Value<'_>) -> bool {
        match self {
            Self::Flag => value.kind() == Kind::Bool,
            Self::Count | Self::Millis => value.as_i64().is_some_and(|number| number >= 0),
            Self::Fraction => fraction(value).is_some(),
            Self::Place => place(value).is_some(),
            Self::Text => value.kind() == Kind::String,
        }
    }
}

/// A place in what is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Behind so much of it, 0 to 1.
    Fraction(f64),
    /// Before the document with this number, from 0.
    Chunk(usize),
    /// Before the byte with this number, from 0.
    Byte(usize),
}

fn place(value: Value<'_>) -> Option<Place> {
    let Some(text) = value.as_str() else { return fraction(value).map(Place::Fraction) };
    let (word, number) = text.split_once(' ')?;
    let number = number.trim().parse().ok()?;
    match word {
        "chunk" => Some(Place::Chunk(number)),
        "byte" => Some(Place::Byte(number)),
        _ => None,
    }
}

/// What a file sets: name, value as JSON text. What it does not set has the default of its row.
#[derive(Clone, Copy, Debug)]
pub struct Params<'p>(pub &'p [(String, String)]);

impl Params<'_> {
    fn of<T>(&self, param: &Param, read: impl Fn(Value<'_>) -> Option<T>) -> Option<T> {
        let given = self.0.iter().find(|(name, _)| name == param.name).map(|(_, text)| text.as_str());
        let of = |text: &str| json::parse(text.as_bytes()).ok().and_then(|tape| read(tape.root()));
        given.and_then(of).or_else(|| of(param.default))
    }

    /// A parameter of kind [`ParamKind::Flag`].
    #[must_use]
    pub fn flag(&self, param: &Param) -> bool {
        self.of(param, |value| value.as_bool()).unwrap_or_default()
    }

    /// A parameter of kind [`ParamKind::Count`].
    #[must_use]
    pub fn count(&self, param: &Param) -> usize {
        self.of(param, |value| usize::try_from(value.as_i64()?).ok()).unwrap_or_default()
    }

    /// A parameter of kind [`ParamKind::Millis`].
    #[must_use]
    pub fn wait(&self, param: &Param) -> Duration {
        let millis = self.of(param, |value| u64::try_from(value.as_i64()?).ok());
        millis.map(Duration::from_millis).unwrap_or_default()
    }

    /// A parameter of kind [`ParamKind::Fraction`].
    #[must_use]
    pub fn fraction(&self, param: &Param) -> f64 {
        self.of(param, fraction).unwrap_or_default()
    }

    /// A parameter of kind [`ParamKind::Text`].
    #[must_use]
    pub fn text(&self, param: &Param) -> String {
        self.of(param, |value| value.as_str().map(|text| text.into_owned())).unwrap_or_default()
    }

    /// A parameter of kind [`ParamKind::Place`], as a number of bytes of this flow; never all of them.
    #[must_use]
    pub fn place(&self, param: &Param, flow: &Flow) -> usize {
        let length = |pieces: &[Piece]| pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>();
        let whole = length(&flow.pieces);
        let at = match self.of(param, place) {
            Some(Place::Byte(at)) => at,
            Some(Place::Chunk(number)) => length(&flow.pieces[..number.min(flow.pieces.len())]),
            Some(Place::Fraction(share)) => part(whole, share),
            None => 0,
        };
        at.min(whole.saturating_sub(1))
    }
}

/// So much of a number of bytes: never all of them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "bounded by `whole`"
)]
pub(super) fn part(whole: usize, share: f64) -> usize {
    ((whole as f64 * share) as usize).min(whole.saturating_sub(1))
}

fn fraction(value: Value<'_>) -> Option<f64> {
    let number: f64 = value.as_number()?.parse().ok()?;
    (0.0..=1.0).contains(&number).then_some(number)
}

/// Why a file's parameters do not fit a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamFault {
    /// The fault has no parameter of this name.
    Unknown {
        /// The name in the file.
        name: String,
        /// Names that it has.
        known: Vec<&'static str>,
    },
    /// The value is of another kind.
    Kind {
        /// The parameter.
        name: &'static str,
        /// What it holds.
        wanted: &'static str,
    },
}

impl std::fmt::Display for ParamFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { name, known } if known.is_empty() => {
                write!(f, "unknown parameter `{name}`: this fault has none")
            }
            Self::Unknown { name, known } => {
                write!(f, "unknown parameter `{name}`: this fault has `{}`", known.join("`, `"))
            }
            Self::Kind { name, wanted } => write!(f, "parameter `{name}` must be {wanted}"),
        }
    }
}

impl std::error::Error for ParamFault {}

/// Checks parameters (name, value as JSON text) against a fault's table. For whoever loads files.
///
/// # Errors
/// The first [`ParamFault`].
pub fn check_params(table: &[Param], given: &[(String, String)]) -> Result<(), ParamFault> {
    for (name, text) in given {
        let Some(param) = table.iter().find(|param| param.name == name) else {
            let known = table.iter().map(|param| param.name).collect();
            return Err(ParamFault::Unknown { name: name.clone(), known });
        };
        if !json::parse(text.as_bytes()).is_ok_and(|tape| param.kind.accepts(tape.root())) {
            return Err(ParamFault::Kind { name: param.name, wanted: param.kind.phrase() });
        }
    }
    Ok(())
}
