//! What a file may set at a fault: names, kinds, defaults.

use crate::json::{self, Kind, Value};

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
            Self::Text => value.kind() == Kind::String,
        }
    }
}

pub(super) fn fraction(value: Value<'_>) -> Option<f64> {
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
