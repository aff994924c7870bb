//! Time: a monotonic clock that starts with the program's work, and the wall clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Counts from the moment it was started. Copies count from the same moment.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts counting.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place where time comes from")]
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// Time since the start. Never goes back.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The same in whole microseconds.
    #[must_use]
    pub fn elapsed_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// The wall clock, microseconds since 1970; 0 where it stands before that.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place where time comes from")]
pub fn unix_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// The wall clock, milliseconds since 1970.
#[must_use]
pub fn unix_ms() -> u64 {
    unix_us() / 1000
}
