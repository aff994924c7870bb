//! Random moments that can be repeated: how often a test kills, and by which seed.
//!
//! REHEARSAL_TEST_KILLS sets how often, REHEARSAL_TEST_SEED repeats the moments of a run that failed.
#![expect(clippy::disallowed_methods, reason = "a test is told how often it kills by its environment")]

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Numbers that follow from a seed (xorshift64).
#[derive(Clone, Debug)]
pub struct Dice {
    seed: u64,
    state: u64,
}

impl Dice {
    /// By the seed of REHEARSAL_TEST_SEED, or one of its own.
    ///
    /// # Panics
    /// Where the variable is no number.
    #[must_use]
    pub fn thrown() -> Self {
        let seed =
            setting("REHEARSAL_TEST_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
        // Nothing follows from 0.
        Self { seed: seed | 1, state: seed | 1 }
    }

    /// What REHEARSAL_TEST_SEED must be for the same numbers.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The next number, below the end; 0 where that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % end.max(1)
    }

    /// A moment within a time, in whole microseconds.
    pub fn within(&mut self, time: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(time.as_micros()).unwrap_or(u64::MAX)))
    }
}

/// How often a test kills: REHEARSAL_TEST_KILLS, or so often.
///
/// # Panics
/// Where the variable is no number.
#[must_use]
pub fn kills(usual: u64) -> u64 {
    setting("REHEARSAL_TEST_KILLS").unwrap_or(usual)
}

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}
