//! Several items of work at once: which may start, in which order, and what stops them all.
//!
//! Must not know: how an item is worked on. Whether two own the same file is told by a function that knows names.

pub mod past;
pub mod report;
pub mod run;
pub mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
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
    /// Checks the items and begins. `as_one` gives the parts of a name, from the tree down: names may stand for one file where theirs are
    /// equal, and one for a folder above the other where its own are the other's first.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn begin(items: Vec<Item>, as_one: impl Fn(&str) -> Vec<String>) -> Result<Self, WaveError> {
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
        disjoint(&items, as_one)?;
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
        if verified {
            return;
        }
        let behind = behind(&self.items);
        let mut dead = vec![slug];
        while let Some(slug) = dead.pop() {
            for next in behind.get(slug).into_iter().flatten() {
                if let Some(place @ Stand::Waiting) = self.stands.get_mut(*next) {
                    *place = Stand::Blocked;
                    dead.push(next);
                }
            }
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

/// A file of an item.
type Owned<'i> = (&'i Item, &'i String);

fn disjoint(items: &[Item], as_one: impl Fn(&str) -> Vec<String>) -> Result<(), WaveError> {
    let mut known: BTreeMap<Vec<String>, Owned<'_>> = BTreeMap::new();
    for item in items {
        let own: Vec<_> = item.owns.iter().map(|file| (as_one(file), (item, file))).collect();
        for (parts, one) in &own {
            if let Some(other) = in_the_way(&known, parts) {
                return Err(overlap(other, *one));
            }
        }
        known.extend(own);
    }
    Ok(())
}

/// Who of the known owns a file of these parts, one above it, or one below it.
fn in_the_way<'i>(known: &BTreeMap<Vec<String>, Owned<'i>>, parts: &[String]) -> Option<Owned<'i>> {
    let above = (1..=parts.len()).find_map(|length| known.get(&parts[..length]));
    // Whatever is below it stands right behind it.
    let below = || {
        known
            .range::<[String], _>((Bound::Included(parts), Bound::Unbounded))
            .next()
            .filter(|(other, _)| other.starts_with(parts))
    };
    above.or_else(|| below().map(|(_, other)| other)).copied()
}

fn overlap((one, file): Owned<'_>, (other, other_file): Owned<'_>) -> WaveError {
    WaveError::Overlap {
        one: one.slug.clone(),
        file: file.clone(),
        other: other.slug.clone(),
        other_file: other_file.clone(),
    }
}

/// Takes away whoever waits for nobody that is left, again and again; who remains waits in a circle.
fn no_circle(items: &[Item]) -> Result<(), WaveError> {
    let mut waits: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for item in items {
        waits.insert(&item.slug, item.after.iter().map(String::as_str).collect());
    }
    let behind = behind(items);
    let mut free: Vec<&str> =
        waits.iter().filter(|(_, after)| after.is_empty()).map(|(slug, _)| *slug).collect();
    while let Some(slug) = free.pop() {
        waits.remove(slug);
        for next in behind.get(slug).into_iter().flatten() {
            if waits.get_mut(next).is_some_and(|after| after.remove(slug) && after.is_empty()) {
                free.push(next);
            }
        }
    }
    if waits.is_empty() {
        return Ok(());
    }
    Err(WaveError::Circle(waits.into_keys().map(str::to_owned).collect()))
}

/// Who waits for whom, by whom they wait for.
fn behind(items: &[Item]) -> BTreeMap<&str, Vec<&str>> {
    let mut behind: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in items {
        for after in &item.after {
            behind.entry(after).or_default().push(&item.slug);
        }
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(slug: &str, owns: &[&str], after: &[&str]) -> Item {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Item { slug: slug.to_owned(), owns: texts(owns), after: texts(after) }
    }

    fn begin(items: &[Item]) -> Result<Wave, WaveError> {
        Wave::begin(items.to_vec(), |name| name.split('/').map(str::to_ascii_lowercase).collect())
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
    fn a_file_above_or_below_anothers_is_in_its_way_and_no_name_that_only_begins_alike() {
        for (one, other, meet) in [
            ("a/b", "a", true),
            ("a", "A/b/c", true),
            ("a/b", "a/b", true),
            ("a", "ab/c", false),
            ("a/b", "a/b.py", false),
            ("a/b", "a-/b", false),
        ] {
            let items = [item("x", &["z", one], &[]), item("y", &[other, "w"], &[])];
            assert_eq!(begin(&items).is_err(), meet, "{one} {other}");
        }
    }

    #[test]
    fn a_wave_of_many_items_begins_and_ends_at_once() {
        let slugs: Vec<String> = (0..20_000).map(|number| format!("i{number}")).collect();
        // Each waits for the one behind it, so that the last is the first.
        let items: Vec<Item> = slugs
            .iter()
            .enumerate()
            .map(|(at, slug)| Item {
                slug: slug.clone(),
                owns: vec![format!("{slug}.py")],
                after: slugs.get(at + 1).cloned().into_iter().collect(),
            })
            .collect();
        let mut wave = begin(&items).unwrap();
        assert_eq!(wave.start(4), ["i19999"]);
        wave.over("i19999", false);
        assert!(wave.is_over());
        assert_eq!(wave.stand("i0"), Some(Stand::Blocked));
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
