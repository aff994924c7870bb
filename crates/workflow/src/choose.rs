//! Which cases of a suite run, and how often.

use crate::suite::Suite;
use rehearsal_journal::digest;
use rehearsal_journal::run::label;
use rehearsal_script::paths::text_matches;
use std::collections::BTreeSet;

/// A part of a suite for one of several machines: part `k` of `n`, from 1.
pub type Shard = (u32, u32);

/// A case of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    /// A phrasing, by its place among the scenarios'.
    Phrasing(usize),
    /// A case of a workflow: places of the workflow in the suite and of the case in it.
    Workflow(usize, usize),
}

impl Case {
    /// Its name.
    #[must_use]
    pub fn name(self, suite: &Suite) -> &str {
        match self {
            Self::Phrasing(at) => &suite.scenarios.phrasings[at].id,
            Self::Workflow(file, at) => &suite.workflows[file].cases[at].name,
        }
    }

    /// The phrasing, where it is one.
    #[must_use]
    pub fn phrasing(self) -> Option<usize> {
        match self {
            Self::Phrasing(at) => Some(at),
            Self::Workflow(..) => None,
        }
    }

    fn is_named(self, suite: &Suite, pattern: &str) -> bool {
        let name = self.name(suite);
        let behind_class = |at: usize| format!("{}/{name}", suite.scenarios.phrasings[at].class);
        // A name that holds a star is still named by itself.
        name == pattern
            || text_matches(pattern, name)
            || (pattern.contains('/')
                && self.phrasing().is_some_and(|at| text_matches(pattern, &behind_class(at))))
    }
}

/// All cases of a suite that can be named: its phrasings, then the cases of its workflows.
fn all(suite: &Suite) -> Vec<Case> {
    let phrasings = &suite.scenarios.phrasings;
    let conversations =
        (0..phrasings.len()).filter(|at| phrasings[*at].part_of.is_none()).map(Case::Phrasing);
    let workflows = suite.workflows.iter().enumerate();
    let of_workflows = workflows
        .flat_map(|(file, workflow)| (0..workflow.cases.len()).map(move |at| Case::Workflow(file, at)));
    conversations.chain(of_workflows).collect()
}

/// The cases that the patterns name, in the order of the suite; all where there is no pattern, but the phrasings that an `agent`
/// step of a workflow plays.
///
/// A pattern is a case's name, alone or behind its class (`class/name`); `*` stands for any letters, `?` for one.
///
/// # Errors
/// The first pattern that no case meets.
pub fn cases<'p>(suite: &Suite, patterns: &'p [String]) -> Result<Vec<Case>, &'p str> {
    let all = all(suite);
    if let Some(pattern) =
        patterns.iter().find(|pattern| !all.iter().any(|case| case.is_named(suite, pattern)))
    {
        return Err(pattern);
    }
    let played = suite.played_by_steps();
    let wanted = |case: &Case| match patterns {
        [] => case.phrasing().is_none() || !played.contains(case.name(suite)),
        some => some.iter().any(|pattern| case.is_named(suite, pattern)),
    };
    Ok(all.into_iter().filter(wanted).collect())
}

/// One part of some cases: dealt out like cards, so that neighbours, which often cost the same, go to different machines.
#[must_use]
pub fn part<C: Copy>(cases: &[C], (k, n): Shard) -> Vec<C> {
    cases.iter().copied().skip(k.saturating_sub(1) as usize).step_by(n.max(1) as usize).collect()
}

/// A case that has the name of another one's round, if there is one: their journals would be the same file.
#[must_use]
pub fn clash(suite: &Suite, cases: &[Case], repeat: u32) -> Option<(String, u32)> {
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name(suite)).collect();
    names.iter().find_map(|name| {
        let (other, round) = name.rsplit_once('~')?;
        let round: u32 = round.parse().ok()?;
        let is_round = (2..=repeat).contains(&round) && names.contains(other);
        (is_round && label(other, None, round) == **name).then(|| (other.to_owned(), round))
    })
}

/// The places of some cases in the order in which they begin, shuffled by a seed; results keep the order of the suite.
#[must_use]
pub fn shuffled(many: usize, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..many).collect();
    let key = |place: &usize| digest::of(format!("shuffle {seed} {place}").as_bytes());
    places.sort_by_cached_key(key);
    places
}

#[cfg(test)]
mod tests {
    use super::{part, shuffled};

    #[test]
    fn the_parts_of_a_suite_are_disjoint_and_hold_all_of_it() {
        for cases in [0, 1, 5, 12] {
            let all: Vec<usize> = (0..cases).collect();
            for n in 1..8 {
                let parts: Vec<_> = (1..=n).map(|k| part(&all, (k, n))).collect();
                let mut together: Vec<_> = parts.concat();
                together.sort_unstable();
                assert_eq!(together, all, "{cases} cases in {n} parts");
                let sizes: Vec<_> = parts.iter().map(Vec::len).collect();
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
            }
        }
        assert_eq!(part(&[7, 8, 9], (2, 2)), [8]);
    }

    #[test]
    fn a_shuffle_is_an_order_of_all_that_its_seed_decides() {
        let one = shuffled(50, 7);
        assert_eq!(one, shuffled(50, 7));
        assert_ne!(one, shuffled(50, 8));
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_ne!(one, sorted);
    }
}
