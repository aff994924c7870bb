//! Which recording answers a request: the next one of its call that was not served yet.
//!
//! Must not know: where recordings lie, how they are served.

use super::miss::Miss;
use crate::cassette::Recording;
use crate::key::Key;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How recordings are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Parts of a key that make no difference: of [`crate::key::PARTS`].
    pub ignored: Vec<String>,
    /// Whether the last recording of a call is served again once all were.
    pub repeat: bool,
}

/// All recordings, and which of them were served.
#[derive(Debug)]
pub struct Shelf {
    rows: Vec<Row>,
    /// Rows by what they are found by, without what is ignored: those of a case under its name, and all without one.
    calls: BTreeMap<Option<String>, BTreeMap<Key, Places>>,
    manner: Manner,
    served: u64,
    misses: u64,
}

#[derive(Debug)]
struct Row {
    recording: Arc<Recording>,
    served: u64,
}

/// The rows of one call, in their order.
#[derive(Debug, Default)]
struct Places {
    rows: Vec<usize>,
    /// How many of them are known to have been served, from the first on.
    served: usize,
}

impl Shelf {
    /// A shelf of these recordings, in this order.
    #[must_use]
    pub fn new(recordings: Vec<Recording>, manner: Manner) -> Self {
        Self::of(recordings.into_iter().map(Arc::new), manner)
    }

    /// The same with recordings that other shelves may hold, too.
    #[must_use]
    pub fn of(recordings: impl IntoIterator<Item = Arc<Recording>>, manner: Manner) -> Self {
        let row = |recording| Row { recording, served: 0 };
        let rows: Vec<Row> = recordings.into_iter().map(row).collect();
        let mut calls: BTreeMap<Option<String>, BTreeMap<Key, Places>> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            let key = row.recording.key.without(&manner.ignored);
            if row.recording.case.is_some() {
                let of_case = calls.entry(row.recording.case.clone()).or_default();
                of_case.entry(key.clone()).or_default().rows.push(at);
            }
            calls.entry(None).or_default().entry(key).or_default().rows.push(at);
        }
        Self { rows, calls, manner, served: 0, misses: 0 }
    }

    /// The recording that answers a call on a lane. It counts as served. Where the shelf holds recordings of the lane's name, those
    /// are all that it sees.
    ///
    /// # Errors
    /// [`Miss`] where none is left; it is counted.
    pub fn take(&mut self, lane: Option<&str>, key: &Key) -> Result<Arc<Recording>, Miss> {
        let wanted = key.without(&self.manner.ignored);
        let seen = self.seen(lane);
        let mut of_call = self.calls.get_mut(&seen.0).and_then(|calls| calls.get_mut(&wanted));
        let found = of_call.as_mut().and_then(|places| {
            let left = &places.rows[places.served..];
            places.served += left.iter().take_while(|at| self.rows[**at].served > 0).count();
            if let Some(next) = places.rows.get(places.served) {
                return Some(*next);
            }
            // The last one: what a client sees at the end of a list of models stays so.
            let last = *places.rows.last()?;
            let is_read = matches!(self.rows[last].recording.method.as_str(), "GET" | "HEAD");
            (self.manner.repeat || is_read).then_some(last)
        });
        if let Some(row) = found.and_then(|at| self.rows.get_mut(at)) {
            row.served += 1;
            self.served += 1;
            return Ok(Arc::clone(&row.recording));
        }
        let places = of_call.map_or(&[][..], |places| &places.rows);
        let used: Vec<&Recording> = places.iter().map(|at| &*self.rows[*at].recording).collect();
        let miss = if used.is_empty() {
            let nearest = self.nearest(&seen, key);
            Miss::unknown(key, nearest, &self.manner.ignored, lane)
        } else {
            Miss::used_up(key, &used)
        };
        self.misses += 1;
        Err(miss)
    }

    /// The recording with the fewest differences; of several the one that is as far in its conversation.
    fn nearest(&self, seen: &Seen, key: &Key) -> Option<&Recording> {
        let recordings = self.rows.iter().filter(|row| seen.sees(row)).map(|row| &*row.recording);
        recordings.min_by_key(|recording| {
            let differences = key.differences(&recording.key, &self.manner.ignored).len();
            (differences, key.turn.abs_diff(recording.key.turn))
        })
    }

    fn seen(&self, lane: Option<&str>) -> Seen {
        let lane = lane.map(str::to_owned);
        Seen(if self.calls.contains_key(&lane) { lane } else { None })
    }

    /// How many requests were answered with a recording.
    #[must_use]
    pub fn served(&self) -> u64 {
        self.served
    }

    /// How many were not.
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// How many recordings there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The recordings that never were served.
    pub fn unused(&self) -> impl Iterator<Item = &Recording> {
        self.rows.iter().filter(|row| row.served == 0).map(|row| &*row.recording)
    }
}

/// What a lane sees: the recordings of its case, or all.
struct Seen(Option<String>);

impl Seen {
    fn sees(&self, row: &Row) -> bool {
        self.0.is_none() || row.recording.case == self.0
    }
}
