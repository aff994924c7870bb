//! How closely a worker's answers are looked at: a tier, its policy, and who is checked twice.
//!
//! A tier follows from measured accuracy with its sample size, never from a word of the endpoint. Must not know: how a check is made.

use rehearsal_journal::digest;

/// How closely: 1 trusts most, 4 least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tier(u8);

/// What a tier asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether files named `.json` must hold JSON. The form of an answer is looked at in any case, whoever promised it.
    pub validate_all_json: bool,
    /// Which part of the verified items is checked a second time, in percent, 0 to 100; one at least.
    pub spot_check_percent: u32,
    /// How many repair rounds an item gets.
    pub repair_cap: u32,
    /// Whether nothing counts as verified without a review that refutes nothing.
    pub review: bool,
}

/// Policies by tier, from the first on.
const POLICIES: [Policy; 4] = [
    Policy { validate_all_json: false, spot_check_percent: 10, repair_cap: 1, review: false },
    Policy { validate_all_json: true, spot_check_percent: 50, repair_cap: 2, review: true },
    Policy { validate_all_json: true, spot_check_percent: 100, repair_cap: 2, review: true },
    Policy { validate_all_json: true, spot_check_percent: 100, repair_cap: 3, review: true },
];

/// Lowest accuracy of each tier but the last.
const BOUNDS: [f64; 3] = [0.98, 0.90, 0.80];

/// The normal quantile of a 95 % interval.
const Z: f64 = 1.959_963_985;

impl Tier {
    /// The tier of nobody who was measured.
    pub const UNMEASURED: Self = Self(4);

    /// A tier by its number, 1 to 4.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        (1..=4).contains(&number).then_some(Self(number))
    }

    /// The tier of so many good answers of so many: by the lower bound of their share.
    #[must_use]
    pub fn measured(good: u64, all: u64) -> Self {
        let Some(bound) = lower_bound(good, all) else { return Self::UNMEASURED };
        let above = BOUNDS.iter().position(|least| bound >= *least);
        above.and_then(|at| u8::try_from(at + 1).ok()).map_or(Self::UNMEASURED, Self)
    }

    /// Its number, 1 to 4.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// What it asks for.
    #[must_use]
    pub fn policy(self) -> Policy {
        POLICIES[usize::from(self.0 - 1)]
    }
}

/// The lower end of the Wilson interval (95 %) of a share; none where nothing was measured.
#[must_use]
pub fn lower_bound(good: u64, all: u64) -> Option<f64> {
    if all == 0 || good > all {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "nobody measures 2^53 answers")]
    let (share, n) = (good as f64 / all as f64, all as f64);
    let spread = Z * ((share * (1.0 - share) + Z * Z / (4.0 * n)) / n).sqrt();
    Some(((share + Z * Z / (2.0 * n) - spread) / (1.0 + Z * Z / n)).max(0.0))
}

/// Something that can be checked a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<'c> {
    /// Its name.
    pub slug: &'c str,
    /// Whether anything about it was not quite as it should be: repairs, leniencies, unmetered usage, an overridden guard. Such a
    /// one is always checked.
    pub suspect: bool,
}

/// Who is checked a second time: all that are suspect, and of all candidates those with the smallest digests of seed and name, so that
/// nobody can tell beforehand who it will be, and everybody afterwards why. In the order of the candidates.
#[must_use]
pub fn sample<'c>(seed: u64, candidates: &[Candidate<'c>], percent: u32) -> Vec<&'c str> {
    if candidates.is_empty() {
        return Vec::new();
    }
    let wanted = (candidates.len() * percent.min(100) as usize).div_ceil(100).max(1);
    let mut drawn: Vec<([u8; 32], &str)> = candidates
        .iter()
        .map(|candidate| (digest::of(format!("{seed}\n{}", candidate.slug).as_bytes()), candidate.slug))
        .collect();
    drawn.sort_unstable();
    drawn.truncate(wanted);
    let is_drawn = |slug: &str| drawn.iter().any(|(_, drawn)| *drawn == slug);
    let chosen = candidates.iter().filter(|candidate| candidate.suspect || is_drawn(candidate.slug));
    chosen.map(|candidate| candidate.slug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policies_are_those_of_the_table() {
        let rows: Vec<_> = (1..=4)
            .map(|number| {
                let policy = Tier::of(number).unwrap().policy();
                (policy.validate_all_json, policy.spot_check_percent, policy.repair_cap, policy.review)
            })
            .collect();
        assert_eq!(
            rows,
            [(false, 10, 1, false), (true, 50, 2, true), (true, 100, 2, true), (true, 100, 3, true)]
        );
        assert_eq!([0, 5, 255].map(Tier::of), [None; 3]);
    }

    #[test]
    fn a_tier_follows_from_accuracy_and_how_often_it_was_measured() {
        for (good, all, tier) in [
            (0, 0, 4),
            (5, 5, 4),
            (20, 20, 3),
            (40, 40, 2),
            (200, 200, 1),
            (190, 200, 2),
            (180, 200, 3),
            (150, 200, 4),
            (1000, 1000, 1),
            (9, 8, 4),
        ] {
            assert_eq!(Tier::measured(good, all).number(), tier, "{good} of {all}");
        }
    }

    #[test]
    fn the_sample_follows_from_the_seed_and_holds_whoever_is_suspect() {
        let names: Vec<String> = (0..20).map(|number| format!("item-{number}")).collect();
        let candidates: Vec<Candidate<'_>> =
            names.iter().map(|slug| Candidate { slug, suspect: slug == "item-7" }).collect();
        let one = sample(1, &candidates, 10);
        assert_eq!(one, sample(1, &candidates, 10));
        assert!(one.contains(&"item-7") && (2..=3).contains(&one.len()), "{one:?}");
        assert!((2..20).any(|seed| sample(seed, &candidates, 10) != one));
        assert_eq!(sample(1, &candidates, 100).len(), 20);
        assert_eq!(sample(1, &candidates[..1], 0).len(), 1, "one at least");
        assert_eq!(sample(1, &[], 100), [""; 0]);
    }
}
