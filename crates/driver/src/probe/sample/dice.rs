//! Choices that follow from a fixture and a seed, the same on every machine.

use rehearsal_journal::digest;

/// Draws, one after the other.
pub(super) struct Dice {
    seed: String,
    drawn: u64,
}

impl Dice {
    pub(super) fn new(fixture: &str, seed: u64) -> Self {
        Self { seed: format!("{fixture}\n{seed}"), drawn: 0 }
    }

    /// A number from `least` on, below `end`.
    pub(super) fn number(&mut self, least: u64, end: u64) -> u64 {
        self.drawn += 1;
        let sum = digest::of(format!("{}\n{}", self.seed, self.drawn).as_bytes());
        let bits = sum.iter().take(8).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
        least + bits % end.saturating_sub(least).max(1)
    }

    /// One of these.
    pub(super) fn one<'o>(&mut self, of: &[&'o str]) -> &'o str {
        let at = self.number(0, of.len() as u64);
        of[usize::try_from(at).unwrap_or(0)]
    }
}
