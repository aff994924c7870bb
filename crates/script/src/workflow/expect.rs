//! What is expected of what steps observed: the closed set of operators of our form, and the reference's own.

use super::{Given, Part};
use crate::scenario::Place;
use serde_json::Value;

/// One expectation of our form: a field, and what must hold of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The way to the value in what the step observed, as `field`, `field.key` or `field[0]`; at least a field.
    pub path: Vec<Part>,
    /// As it stands in the file.
    pub field: String,
    /// What must hold.
    pub check: Check,
    /// Where it stands.
    pub place: Place,
}

/// An operator of our form with what it compares with. A field that is absent meets `absent` alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// Equal, types included: true is not 1, null is not absent. Numbers by their value: 1 is 1.0.
    Eq(Given),
    /// There, and not equal.
    Ne(Given),
    /// `absent: true`: no such field.
    Absent,
    /// `present: true`: there, whatever it is, null included.
    Present,
    /// A text that holds this text (which is not empty), or a list that holds an equal value.
    Contains(Given),
    /// A text that this regular expression meets from its first to its last letter.
    Matches(String),
    /// A text of so many characters, or a list or map of so many entries.
    Len(u64),
    /// A number above this one.
    Gt(Given),
    /// A number not below this one.
    Ge(Given),
    /// A number below this one.
    Lt(Given),
    /// A number not above this one.
    Le(Given),
    /// Equal to one of these, of which there is at least one.
    OneOf(Vec<Given>),
    /// A text that is the SHA-256 of this file of the workspace, 64 lowercase hexadecimal digits.
    Sha256Of(Given),
    /// A path of the workspace at which there is (or, with false, is not) a regular file.
    Exists(bool),
}

impl Check {
    /// What it compares with.
    #[must_use]
    pub fn operands(&self) -> &[Given] {
        match self {
            Self::Eq(given)
            | Self::Ne(given)
            | Self::Contains(given)
            | Self::Gt(given)
            | Self::Ge(given)
            | Self::Lt(given)
            | Self::Le(given)
            | Self::Sha256Of(given) => std::slice::from_ref(given),
            Self::OneOf(givens) => givens,
            Self::Absent | Self::Present | Self::Matches(_) | Self::Len(_) | Self::Exists(_) => &[],
        }
    }

    /// The operators, as files write them.
    pub const WORDS: [&'static str; 14] = [
        "eq",
        "ne",
        "absent",
        "present",
        "contains",
        "matches",
        "len",
        "ge",
        "gt",
        "le",
        "lt",
        "one_of",
        "sha256_of",
        "exists",
    ];
}

/// One expectation of the reference's form, over the merged observation. A field that is absent reads as null.
#[derive(Clone, Debug, PartialEq)]
pub struct Loose {
    /// The field.
    pub field: String,
    /// What must hold.
    pub check: LooseCheck,
    /// What it compares with.
    pub wanted: Value,
    /// Where it stands.
    pub place: Place,
}

/// An operator of the reference's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooseCheck {
    /// No suffix: equal as in the reference's language, where true is 1.
    Equal,
    /// `__contains`: a list or a text that holds it.
    Contains,
    /// `__len`: its length is equal to it.
    Len,
    /// `__truthy`: whether it counts as true is equal to it.
    Truthy,
}
