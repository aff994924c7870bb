//! Which cases of a suite run, and how often.

use rehearsal_journal::run::label;
use rehearsal_script::paths::text_matches;
use rehearsal_script::scenario::{Phrasing, Scenarios};
use std::collections::BTreeSet;

/// A part of a suite for one of several machines: part `k` of `n`, from 1.
pub type Shard = (u32, u32);

/// The cases that the patterns name, in the order of the suite; all where there is no pattern.
///
/// A pattern is a case's name, alone or behind its class (`class/name`); `*` stands for any letters, `?` for one.
///
/// # Errors
/// The first pattern that no case meets.
pub fn cases<'p>(scenarios: &Scenarios, patterns: &'p [String]) -> Result<Vec<usize>, &'p str> {
    let all: Vec<usize> = (0..scenarios.phrasings.len())
        .filter(|index| scenarios.phrasings[*index].part_of.is_none())
        .collect();
    let meets = |pattern: &str, index: usize| is_named(&scenarios.phrasings[index], pattern);
    if let Some(pattern) =
        patterns.iter().find(|pattern| !all.iter().any(|index| meets(pattern.as_str(), *index)))
    {
        return Err(pattern);
    }
    let wanted = |index: &usize| patterns.is_empty() || patterns.iter().any(|pattern| meets(pattern, *index));
    Ok(all.into_iter().filter(wanted).collect())
}

fn is_named(case: &Phrasing, pattern: &str) -> bool {
    let Phrasing { class, id, .. } = case;
    // A name that holds a star is still named by itself.
    id == pattern
        || text_matches(pattern, id)
        || (pattern.contains('/') && text_matches(pattern, &format!("{class}/{id}")))
}

/// One part of some cases: dealt out like cards, so that neighbours, which often cost the same, go to different machines.
#[must_use]
pub fn part(cases: &[usize], (k, n): Shard) -> Vec<usize> {
    cases.iter().copied().skip(k.saturating_sub(1) as usize).step_by(n.max(1) as usize).collect()
}

/// A case that has the name of another one's round, if there is one: their journals would be the same file.
#[must_use]
pub fn clash(scenarios: &Scenarios, cases: &[usize], repeat: u32) -> Option<(String, u32)> {
    let names: BTreeSet<&str> = cases.iter().map(|index| scenarios.phrasings[*index].id.as_str()).collect();
    names.iter().find_map(|name| {
        let (other, round) = name.rsplit_once('~')?;
        let round: u32 = round.parse().ok()?;
        let is_round = (2..=repeat).contains(&round) && names.contains(other);
        (is_round && label(other, None, round) == **name).then(|| (other.to_owned(), round))
    })
}

#[cfg(test)]
mod tests {
    use super::part;

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
}
