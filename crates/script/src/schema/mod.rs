//! The form of a scenario file as data: one table of fields for the reader's checks and for the JSON Schema.

mod agent;
mod cassette;
mod check;
mod daemon;
mod fields;
mod kind;
mod print;
mod run;
mod wave;
mod workflow;

pub(crate) use check::{check, lower_first};
pub(crate) use fields::FILE;
pub use print::{FileKind, json_schema};
pub(crate) use run::{ACTS, RUNS, WAITS};
pub(crate) use wave::{ROLES, WAVE};
pub(crate) use workflow::{REFERENCE, WORKFLOW};

/// A kind of map with known fields.
pub(crate) struct Shape {
    /// Its name in the schema's `$defs`.
    pub(crate) name: &'static str,
    /// What messages call it.
    pub(crate) called: &'static str,
    /// One sentence.
    pub(crate) doc: &'static str,
    pub(crate) fields: &'static [Field],
    /// What else may stand in it; `None` refuses unknown fields.
    pub(crate) others: Option<&'static Kind>,
}

/// One field of a shape.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static Kind,
    pub(crate) need: Need,
    /// Whether files without `version` know it too.
    pub(crate) older: bool,
    /// One sentence.
    pub(crate) doc: &'static str,
}

/// Whether a field must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It may be left out.
    Optional,
    /// It must be there.
    Required,
    /// It must be there and hold something: null and an empty text, list or map count as missing.
    Filled,
    /// It must be there in files without `version`.
    OlderRequired,
}

/// What a value may be.
pub(crate) enum Kind {
    /// Any value.
    Anything,
    /// A text.
    Text,
    /// A text that is not empty or blank.
    Name,
    /// true or false.
    Flag,
    /// A text, a number, true or false.
    Scalar,
    /// A whole number in a range, both ends included.
    Whole(i64, i64),
    /// A number, 0 or more.
    Factor,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A duration as text: `200ms`, `1.5s`, `2m`.
    Span,
    /// A map with known fields.
    Object(&'static Shape),
    /// A list.
    List(&'static Kind),
    /// A map with free keys.
    Map(&'static Kind),
    /// A map from workspace paths.
    Paths(&'static Kind),
    /// null, or this.
    OrNull(&'static Kind),
    /// The first of these that fits the value's type.
    Either(&'static [&'static Kind]),
}

impl Shape {
    /// The fields that a file of this form knows.
    pub(crate) fn known(&self, older: bool) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(move |field| field.older || !older)
    }
}
