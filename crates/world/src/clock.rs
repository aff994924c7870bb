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

/// Time that this thread has been on a processor since it began; none where the system does not tell. What one thread did
/// between two readings is their difference, so long as nobody else's work was done on it meanwhile.
#[must_use]
pub fn thread_cpu() -> Option<Duration> {
    #[cfg(unix)]
    {
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(spent).ok()
    }
    #[cfg(not(unix))]
    {
        None
    }
}

/// The wall clock, microseconds since 1970; 0 where it stands before that.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place where time comes from")]
pub fn unix_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// A moment as RFC 3339 with milliseconds, in UTC, e.g. `2026-11-30T07:30:57.250Z`.
#[must_use]
pub fn rfc3339(unix_ms: u64) -> String {
    let (second, ms) = (unix_ms / 1000, unix_ms % 1000);
    let (year, month, day) = crate::ids::date(second / 86_400);
    let (hour, minute, second) = (second / 3600 % 24, second / 60 % 60, second % 60);
    let mut text = String::with_capacity(24);
    // By hand: each request of a bridge is told with two of them, and formatting takes ten times as long.
    for (number, digits, behind) in [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (hour, 2, ':'),
        (minute, 2, ':'),
        (second, 2, '.'),
        (ms, 3, 'Z'),
    ] {
        let mut place = 10_u64.pow(digits - 1);
        while place > 0 {
            text.extend(
                u32::try_from(number / place % 10).ok().and_then(|digit| char::from_digit(digit, 10)),
            );
            place /= 10;
        }
        text.push(behind);
    }
    text
}

/// The wall clock, milliseconds since 1970.
#[must_use]
pub fn unix_ms() -> u64 {
    unix_us() / 1000
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    #[test]
    fn a_moment_has_all_its_digits() {
        for (unix_ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_007, "2000-02-28T23:59:59.007Z"),
            (1_796_023_857_250, "2026-11-30T07:30:57.250Z"),
        ] {
            assert_eq!(rfc3339(unix_ms), text);
        }
    }
}
