//! Requests that are asked for together and answered later: what a dialect says of them.
//!
//! Must not know: who answers them.

use crate::json::{Tape, Value};
use crate::reject::Reject;
use std::borrow::Cow;

/// What a dialect says of batches.
#[derive(Debug)]
pub struct Batches {
    /// The requests in the body that begins a batch.
    pub requests: for<'t> fn(&'t Tape<'t>) -> Result<Vec<Entry<'t>>, Box<Reject>>,
    /// The id of a batch, of 64 bits that differ between batches.
    pub id: fn(u64) -> String,
    /// How far a batch is, as the body of a response.
    pub told: fn(&Batch<'_>) -> Vec<u8>,
    /// All batches as the body of a response, the newest first.
    pub list: fn(&[Batch<'_>]) -> Vec<u8>,
    /// What became of one request, as a line: of its name.
    pub line: fn(&str, &Outcome) -> Vec<u8>,
    /// `Content-Type` of such lines.
    pub lines_type: &'static str,
    /// The body after the batch with this id was deleted.
    pub deleted: fn(&str) -> Vec<u8>,
    /// What is said of an id that is not known.
    pub missing: fn(&str) -> Reject,
    /// What is said to those who want results, or a deletion, before the batch ended.
    pub unfinished: fn(&str) -> Reject,
}

/// One request of a batch.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// What its client calls it.
    pub name: Cow<'t, str>,
    /// Its own body.
    pub body: Value<'t>,
}

/// A batch as it is told.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    /// Its id.
    pub id: &'b str,
    /// Seconds since 1970.
    pub created: u64,
    /// How far it is.
    pub stage: Stage,
    /// What became of its requests, each with its name.
    pub outcomes: &'b [(String, Outcome)],
    /// Where its results are to be had, once it ended.
    pub results: &'b str,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is being worked on.
    Running,
    /// Nobody wants it any more, but it has not ended.
    Cancelling,
    /// It ended.
    Ended,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was answered: the body.
    Succeeded(Vec<u8>),
    /// It was refused: the body of the error.
    Errored(Vec<u8>),
    /// The batch was cancelled before it ended.
    Cancelled,
}

/// What is asked of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// One begins.
    Begin,
    /// They are listed.
    List,
    /// How far one is.
    Read,
    /// What became of its requests, a line each.
    Results,
    /// It is not wanted any more.
    Cancel,
    /// It is forgotten.
    Delete,
}
