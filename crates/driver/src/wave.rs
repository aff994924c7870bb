//! Several items of work at once: which may start, in which order, and what stops them all.
//!
//! Must not know: how an item is worked on. Whether two own the same file is told by a function that knows names.

pub mod past;
pub mod report;
pub mod run;
pub mod status;

use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name, unique in the wave.
    pub slug: String,
    /// The files that it owns, by their canonical names.
    pub owns: Vec<String>,
    /// Names of the items that must be verified before it starts.
    pub after: Vec<String>,
}

/// Why a wave does not begin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WaveError {
    /// Nothing to do.
    #[error("the wave holds no item")]
    Empty,
    /// A name stands twice.
    #[error("two items are called {0:?}")]
    Twice(String),
    /// An item without files.
    #[error("{0:?} owns no file, so nothing could come of it")]
    OwnsNothing(String),
    /// Two items own one file.
    #[error("{one:?} owns {file:?} and {other:?} owns {other_file:?}: that may be the same file")]
    Overlap {
        /// An item.
        one: String,
        /// Its file.
        file: String,
        /// The other item.
        other: String,
        /// Its file.
        other_file: String,
    },
    /// It waits for nobody.
    #[error("{slug:?} waits for {after:?}, which is no item of the wave")]
    Unknown {
        /// The item.
        slug: String,
        /// For whom it waits.
        after: String,
    },
    /// They wait for each other.
    #[error("these wait for each other: {}", .0.join(", "))]
    Circle(Vec<String>),
}

/// How an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// It has not begun.
    Waiting,
    /// Somebody works on it.
    Running,
    /// It is done and proved.
    Verified,
    /// It came to nothing.
    Failed,
    /// One that it waits for came to nothing.
    Blocked,
}

impl Stand {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Verified => "verified",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

/// A wave under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    items: Vec<Item>,
    stands: BTreeMap<String, Stand>,
}

impl Wave {
    /// Checks the items and begins. `may_be_one` says whether two names may stand for one file.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn begin(items: Vec<Item>, may_be_one: impl Fn(&str, &str) -> bool) -> Result<Self, WaveError> {
        if items.is_empty() {
            return Err(WaveError::Empty);
        }
        let mut stands = BTreeMap::new();
        for item in &items {
            if item.owns.is_empty() {
                return Err(WaveError::OwnsNothing(item.slug.clone()));
            }
            if stands.insert(item.slug.clone(), Stand::Waiting).is_some() {
                return Err(WaveError::Twice(item.slug.clone()));
            }
        }
        disjoint(&items, may_be_one)?;
        for item in &items {
            if let Some(after) = item.after.iter().find(|after| !stands.contains_key(*after)) {
                return Err(WaveError::Unknown { slug: item.slug.clone(), after: after.clone() });
            }
        }
        no_circle(&items)?;
        Ok(Self { items, stands })
    }

    /// The items that may start now, at most so many that no more than `most` run at once; they count as running.
    pub fn start(&mut self, most: usize) -> Vec<String> {
        let running = self.stands.values().filter(|stand| **stand == Stand::Running).count();
        let ready: Vec<String> = self
            .items
            .iter()
            .filter(|item| self.stands.get(&item.slug) == Some(&Stand::Waiting))
            .filter(|item| item.after.iter().all(|after| self.stands.get(after) == Some(&Stand::Verified)))
            .take(most.saturating_sub(running))
            .map(|item| item.slug.clone())
            .collect();
        for slug in &ready {
            self.stands.insert(slug.clone(), Stand::Running);
        }
        ready
    }

    /// An item is done already.
    pub fn keep(&mut self, slug: &str) {
        if let Some(place) = self.stands.get_mut(slug) {
            *place = Stand::Verified;
        }
    }

    /// An item is over. Whatever waits for one that came to nothing is blocked.
    pub fn over(&mut self, slug: &str, verified: bool) {
        let stand = if verified { Stand::Verified } else { Stand::Failed };
        if let Some(place) = self.stands.get_mut(slug) {
            *place = stand;
        }
        loop {
            let dead =
                |after: &String| matches!(self.stands.get(after), Some(Stand::Failed | Stand::Blocked));
            let blocked = self.items.iter().find(|item| {
                self.stands.get(&item.slug) == Some(&Stand::Waiting) && item.after.iter().any(dead)
            });
            let Some(slug) = blocked.map(|item| item.slug.clone()) else { return };
            self.stands.insert(slug, Stand::Blocked);
        }
    }

    /// Nothing more starts: what waits is blocked.
    pub fn stop(&mut self) {
        for stand in self.stands.values_mut().filter(|stand| **stand == Stand::Waiting) {
            *stand = Stand::Blocked;
        }
    }

    /// How an item stands; none where there is no such item.
    #[must_use]
    pub fn stand(&self, slug: &str) -> Option<Stand> {
        self.stands.get(slug).copied()
    }

    /// Whether nothing runs and nothing can start any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !self.stands.values().any(|stand| matches!(stand, Stand::Waiting | Stand::Running))
    }
}

fn disjoint(items: &[Item], may_be_one: impl Fn(&str, &str) -> bool) -> Result<(), WaveError> {
    for (at, item) in items.iter().enumerate() {
        for other in &items[..at] {
            for file in &item.owns {
                if let Some(other_file) = other.owns.iter().find(|other_file| may_be_one(file, other_file)) {
                    return Err(WaveError::Overlap {
                        one: other.slug.clone(),
                        file: other_file.clone(),
                        other: item.slug.clone(),
                        other_file: file.clone(),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Takes away whoever waits for nobody that is left, again and again; who remains waits in a circle.
fn no_circle(items: &[Item]) -> Result<(), WaveError> {
    let mut left: BTreeSet<&str> = items.iter().map(|item| item.slug.as_str()).collect();
    loop {
        let free = items.iter().find(|item| {
            left.contains(item.slug.as_str()) && !item.after.iter().any(|after| left.contains(after.as_str()))
        });
        match free {
            Some(item) => left.remove(item.slug.as_str()),
            None if left.is_empty() => return Ok(()),
            None => return Err(WaveError::Circle(left.into_iter().map(str::to_owned).collect())),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(slug: &str, owns: &[&str], after: &[&str]) -> Item {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Item { slug: slug.to_owned(), owns: texts(owns), after: texts(after) }
    }

    fn begin(items: &[Item]) -> Result<Wave, WaveError> {
        Wave::begin(items.to_vec(), str::eq_ignore_ascii_case)
    }

    #[test]
    fn what_cannot_be_a_wave_is_named() {
        for (items, error) in [
            (vec![], "the wave holds no item"),
            (vec![item("a", &["x"], &[]), item("a", &["y"], &[])], "two items are called \"a\""),
            (vec![item("a", &[], &[])], "\"a\" owns no file, so nothing could come of it"),
            (
                vec![item("a", &["x.py"], &[]), item("b", &["y", "X.py"], &[])],
                "\"a\" owns \"x.py\" and \"b\" owns \"X.py\": that may be the same file",
            ),
            (vec![item("a", &["x"], &["z"])], "\"a\" waits for \"z\", which is no item of the wave"),
            (
                vec![item("a", &["x"], &["b"]), item("b", &["y"], &["a"]), item("c", &["z"], &[])],
                "these wait for each other: a, b",
            ),
        ] {
            assert_eq!(begin(&items).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn items_start_when_those_before_them_are_verified_and_never_too_many() {
        let mut wave = begin(&[
            item("a", &["1"], &[]),
            item("b", &["2"], &["a"]),
            item("c", &["3"], &[]),
            item("d", &["4"], &[]),
        ])
        .unwrap();
        assert_eq!(wave.start(2), ["a", "c"]);
        assert_eq!(wave.start(2), [""; 0]);
        wave.over("a", true);
        assert_eq!(wave.start(2), ["b"]);
        wave.over("b", true);
        wave.over("c", true);
        assert_eq!(wave.start(9), ["d"]);
        assert!(!wave.is_over());
        wave.over("d", true);
        assert!(wave.is_over());
    }

    #[test]
    fn whatever_waits_for_a_failure_is_blocked() {
        let mut wave =
            begin(&[item("a", &["1"], &[]), item("b", &["2"], &["a"]), item("c", &["3"], &["b"])]).unwrap();
        wave.start(8);
        wave.over("a", false);
        let stands = ["a", "b", "c"].map(|slug| wave.stand(slug).unwrap());
        assert_eq!(stands, [Stand::Failed, Stand::Blocked, Stand::Blocked]);
        assert!(wave.is_over());
        let mut stopped = begin(&[item("a", &["1"], &[])]).unwrap();
        stopped.stop();
        assert_eq!(stopped.stand("a"), Some(Stand::Blocked));
    }
}
