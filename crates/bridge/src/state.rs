//! What a bridge may still do: a fold over the facts of its journal.
//!
//! Must not know: files, clocks, requests. A budget that a fact has spent is spent; no fact gives one back.

use rehearsal_journal::bridge::{Action, Done, Fact, Kind, Reached};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Most rows where no list says which cases there are: clients name them.
const MOST_ROWS: usize = 4096;

/// One case's row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Requests that came for it while it was armed, or that held its prompt.
    pub generation_attempts: u64,
    /// 0 or 1.
    pub backend_forwards: u64,
    /// Whether its budget is spent.
    pub forward_reserved: bool,
    /// Whether its forward came to an end, good or bad.
    pub completed: bool,
}

/// All counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// Requests of any kind.
    pub requests: u64,
    /// Of these, for metadata.
    pub metadata_requests: u64,
    /// Of these, forwarded.
    pub metadata_backend_forwards: u64,
    /// Requests for control.
    pub control_requests: u64,
    /// Preflights.
    pub preflight_requests: u64,
    /// Requests to generate.
    pub generation_attempts: u64,
    /// Of these, forwarded: counted when the budget is spent, or at the end where none pays for it.
    pub generation_backend_forwards: u64,
    /// Of these, refused.
    pub generation_denied: u64,
    /// Tokens that answers said they cost.
    pub tokens: u64,
}

/// A forward that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its case, where the budget is a case's.
    pub case: Option<String>,
    /// How far it came.
    pub reached: Reached,
}

/// The state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Rows by case id.
    pub cases: BTreeMap<String, Row>,
    /// The armed case.
    pub armed: Option<String>,
    /// Number of the last request, 0 before the first.
    pub sequence: u64,
    /// The counters.
    pub counters: Counters,
    /// Forwards that have begun and not ended, by sequence.
    pub begun: BTreeMap<u64, Begun>,
    /// The sequence of each forward that a budget paid for.
    pub reserved: BTreeSet<u64>,
    /// Whether any process took the folder over before.
    pub began: bool,
    /// Whether rows are made as names come up: no list of cases says which there are.
    free: bool,
}

/// A fact that cannot follow those before it: the journal is another bridge's, or was made up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// It names a case that is not configured.
    #[error(
        "the journal speaks of case {0:?}, which the list of cases does not have; a record folder belongs to one list"
    )]
    UnknownCase(String),
    /// A second forward of a case.
    #[error("the journal reserves case {0:?} twice")]
    Twice(String),
}

impl State {
    /// Before anything happened.
    #[must_use]
    pub fn new<'c>(ids: impl IntoIterator<Item = &'c str>) -> Self {
        let cases = ids.into_iter().map(|id| (id.to_owned(), Row::default())).collect();
        Self { cases, ..Self::default() }
    }

    /// Before anything happened, where no list says which cases there are.
    #[must_use]
    pub fn free() -> Self {
        Self { free: true, ..Self::default() }
    }

    /// Whether no list says which cases there are.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.free
    }

    /// Takes a fact in.
    ///
    /// # Errors
    /// When it cannot be; then nothing has changed.
    pub fn apply(&mut self, fact: &Fact) -> Result<(), StateError> {
        match fact {
            Fact::Began { .. } => self.began = true,
            Fact::Armed { case, sequence } => {
                self.row(case)?;
                self.armed = Some(case.clone());
                self.reach(*sequence);
            }
            Fact::Disarmed { sequence, .. } => {
                self.armed = None;
                self.reach(*sequence);
            }
            Fact::Reserved { sequence, case } => self.reserve(*sequence, case.as_deref())?,
            Fact::Sent { sequence } => self.reached(*sequence, Reached::Sent),
            Fact::Headed { sequence, .. } => self.reached(*sequence, Reached::Headed),
            Fact::Interrupted { sequence, tokens, .. } => {
                self.begun.remove(sequence);
                self.counters.tokens += tokens.unwrap_or(0);
                self.reach(*sequence);
            }
            Fact::Done(done) => self.done(done)?,
        }
        Ok(())
    }

    /// Whether anything can still be forwarded for a case.
    #[must_use]
    pub fn is_spent(&self, case: &str) -> bool {
        self.cases
            .get(case)
            .is_some_and(|row| row.forward_reserved || row.backend_forwards > 0 || row.completed)
    }

    /// Whether a name comes up too late to get a row of its own.
    fn is_beyond(&self, case: &str) -> bool {
        self.free && self.cases.len() >= MOST_ROWS && !self.cases.contains_key(case)
    }

    fn row(&mut self, case: &str) -> Result<&mut Row, StateError> {
        if self.free {
            return Ok(self.cases.entry(case.to_owned()).or_default());
        }
        self.cases.get_mut(case).ok_or_else(|| StateError::UnknownCase(case.to_owned()))
    }

    fn reach(&mut self, sequence: u64) {
        self.sequence = self.sequence.max(sequence);
    }

    fn reserve(&mut self, sequence: u64, case: Option<&str>) -> Result<(), StateError> {
        let free = self.free;
        if let Some(case) = case {
            let row = self.row(case)?;
            if row.forward_reserved && !free {
                return Err(StateError::Twice(case.to_owned()));
            }
            row.forward_reserved = true;
            row.backend_forwards += 1;
            self.armed = None;
        }
        self.counters.generation_backend_forwards += 1;
        self.reserved.insert(sequence);
        self.begun.insert(sequence, Begun { case: case.map(str::to_owned), reached: Reached::Reserved });
        self.reach(sequence);
        Ok(())
    }

    fn reached(&mut self, sequence: u64, reached: Reached) {
        if let Some(begun) = self.begun.get_mut(&sequence) {
            begun.reached = begun.reached.max(reached);
        }
    }

    fn done(&mut self, done: &Done) -> Result<(), StateError> {
        if let Some(case) = done.case.as_ref().filter(|case| !self.is_beyond(case)) {
            let row = self.row(case)?;
            row.generation_attempts += u64::from(done.attempt);
            row.completed |= done.forwarded && done.kind == Kind::Generation;
        }
        let counters = &mut self.counters;
        counters.requests += 1;
        counters.tokens += done.tokens.unwrap_or(0);
        match done.kind {
            Kind::Control => counters.control_requests += 1,
            Kind::Metadata => {
                counters.metadata_requests += 1;
                counters.metadata_backend_forwards += u64::from(done.forwarded);
            }
            Kind::Generation => {
                counters.generation_attempts += 1;
                let uncounted = done.forwarded && !self.reserved.contains(&done.sequence);
                counters.generation_backend_forwards += u64::from(uncounted);
                counters.generation_denied += u64::from(!done.forwarded && done.action != Action::Replayed);
            }
            Kind::Preflight => counters.preflight_requests += 1,
            Kind::Invalid => {}
        }
        self.begun.remove(&done.sequence);
        self.reach(done.sequence);
        Ok(())
    }
}
