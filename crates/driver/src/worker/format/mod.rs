//! Answer formats: how a model is asked to say which files it changes, and what its words are read as. Pure.
//!
//! Must not know: which paths may be written (a stranger's path is read like any other), how files are written, sockets.

pub mod answer;
pub mod diff;
pub mod fenced;
pub mod guard;
pub mod json_patch;
pub mod ladder;

mod apply;
mod fence;
mod hunk;
mod lines;
mod outside;
mod patch;
mod peel;
mod placeholder;
mod refusal;
mod search;
mod sides;

pub use answer::{Answer, At, Change, Eol, FormatError, Leniency, Mode, Owned};

/// How far a format's contents speak of line ends and of the end of the file. What they cannot say stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// Of whether the last line ends, but of line ends only by chance: contents in a JSON string.
    FinalNewline,
    /// Of neither: lines between fences.
    Lines,
    /// Of both: the contents were made from the file itself and are exact.
    Everything,
}

/// A JSON schema that the answer is asked to follow.
#[derive(Debug)]
pub struct Schema {
    /// Its name in `response_format`.
    pub name: &'static str,
    /// The schema as JSON text. It uses only `type`, `properties`, `required`, `items` and `additionalProperties`, which
    /// every server that takes schemas can compile.
    pub text: &'static str,
}

/// One format.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line and in reports.
    pub name: &'static str,
    /// What it is and when it is the right one.
    pub summary: &'static str,
    /// What the system message says of it. It is complete without `schema`: servers ignore schemas.
    pub system: &'static str,
    /// What may go along as `response_format`, if the format is JSON.
    pub schema: Option<&'static Schema>,
    /// What its contents can say of line ends.
    pub speaks: Speaks,
    /// Reads an answer. The owned files are what the model was shown; only a format that changes text in place needs them.
    ///
    /// # Errors
    /// [`FormatError`] where the text is not exactly one answer of this format. Nothing is guessed.
    pub parse: fn(&str, &[Owned]) -> Result<Answer, FormatError>,
}

/// All formats, the usual one first.
pub const FORMATS: &[&Format] = &[&json_patch::ROW, &fenced::ROW, &diff::ROW];

/// The format of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|row| row.name == name).copied()
}
