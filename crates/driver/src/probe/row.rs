//! One thing that can be found out: what is asked for it, and how the answer is judged.

use super::draft::Draft;
use super::quirk::Observed;
use crate::endpoint::ask::Exchange;
use crate::endpoint::config::Dialect;

/// A row of [`super::PROBES`].
#[derive(Debug)]
pub struct Probe {
    /// Its name in tables and files.
    pub name: &'static str,
    /// What it finds out, as a question.
    pub finds: &'static str,
    /// Rows whose answer must be yes, or nothing is asked.
    pub needs: &'static [&'static str],
    /// Where its answer comes from.
    pub asks: Asks,
    /// What the answer shows.
    pub judge: fn(&Seen<'_>) -> Judged,
}

/// Where an answer comes from.
#[derive(Debug)]
pub enum Asks {
    /// A request of its own; none where an API has no such thing.
    Turn(fn(Dialect) -> Option<Draft>),
    /// The list of models.
    Models,
    /// The request of another row, which stands before.
    Of(&'static str),
}

/// What there is to judge.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    /// The API that is spoken.
    pub dialect: Dialect,
    /// The model that was asked.
    pub model: &'s str,
    /// What was asked; none for the list of models.
    pub draft: Option<&'s Draft>,
    /// What came of it.
    pub exchange: &'s Exchange,
}

/// Whether an endpoint does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// Nobody can tell.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Yes, Self::No, Self::Unknown];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// What an answer shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether the endpoint does it.
    pub verdict: Verdict,
    /// What was seen; may be empty.
    pub note: String,
    /// Quirks that the answer shows of this row; what any answer can show is looked for elsewhere.
    pub quirks: Vec<(&'static str, String)>,
}

impl Judged {
    /// A judgement without a quirk.
    pub fn new(verdict: Verdict, note: impl Into<String>) -> Self {
        Self { verdict, note: note.into(), quirks: Vec::new() }
    }

    /// The same with a quirk.
    #[must_use]
    pub fn and(mut self, quirk: &'static str, note: impl Into<String>) -> Self {
        self.quirks.push((quirk, note.into()));
        self
    }
}

/// What was found out of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The row.
    pub name: String,
    /// Whether the endpoint does it.
    pub verdict: Verdict,
    /// What was seen, or why nothing was asked.
    pub note: String,
}

/// All that was found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// A finding for each row, in their order.
    pub rows: Vec<Finding>,
    /// Quirks, each once, in the order in which they were met.
    pub quirks: Vec<Observed>,
}
