//! A recording on its way to a client: the head, then each piece where it was split, at the recorded times or without waiting.

use crate::cassette::{Ending, Recording};
use crate::passing::{self, Way};
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::clock::Clock;
use rehearsal_world::http::{LiveBody, LiveSender, live};
use rehearsal_world::task;
use rehearsal_world::vault::VaultError;
use std::sync::Arc;
use std::time::Duration;

/// Bytes that are handed over at once, at most.
const MOST: u64 = 1 << 20;

/// How fast recordings are served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(f64);

impl Speed {
    /// Nothing waits.
    pub const AT_ONCE: Self = Self(0.0);

    /// So many times as fast as it was recorded; 0 does not wait. None where that is no such number.
    #[must_use]
    pub fn times(factor: f64) -> Option<Self> {
        (factor.is_finite() && factor >= 0.0).then_some(Self(factor))
    }

    /// How long to wait for something that was recorded at `us` and is played since `elapsed`, both from the request on.
    #[must_use]
    pub fn wait(self, us: u64, elapsed: Duration) -> Option<Duration> {
        if self.0 == 0.0 {
            return None;
        }
        let due = Duration::from_micros(us).as_secs_f64() / self.0;
        let wait = Duration::try_from_secs_f64(due).unwrap_or(Duration::MAX).checked_sub(elapsed)?;
        (!wait.is_zero()).then_some(wait)
    }

    /// Waits for it.
    async fn until(self, us: u64, clock: Clock) {
        if let Some(wait) = self.wait(us, clock.elapsed()) {
            task::after(wait).await;
        }
    }
}

/// The head of a recording, as it leaves again.
#[must_use]
pub fn head(recording: &Recording) -> ResponseHead {
    let way = Way { strict: false, decoded: recording.decoded };
    passing::to_client(recording.status, &recording.headers, way)
}

/// The two ends of its body.
#[must_use]
pub fn ends(recording: &Recording) -> (LiveSender, LiveBody) {
    live(recording.length)
}

/// Waits until its head is due.
pub async fn await_head(recording: &Recording, speed: Speed, clock: Clock) {
    speed.until(recording.head_us, clock).await;
}

/// Sends the body. What was cut is cut again; a client that leaves ends it.
///
/// # Errors
/// When the recording cannot be read any more; the answer is broken off then.
pub async fn body(
    recording: Arc<Recording>,
    mut sender: LiveSender,
    speed: Speed,
    clock: Clock,
) -> Result<(), VaultError> {
    let mut reader = recording.body.reader()?;
    for (us, bytes) in &recording.pieces {
        speed.until(*us, clock).await;
        let mut left = *bytes;
        while left > 0 {
            let part = left.min(MOST);
            left -= part;
            let piece = reader.piece(part)?;
            if !piece.is_empty() && sender.send(piece.into()).await.is_err() {
                return Ok(());
            }
        }
    }
    let rest = reader.rest();
    if !rest.is_empty() && sender.send(rest.into()).await.is_err() {
        return Ok(());
    }
    match recording.ending {
        Ending::Whole | Ending::ClientLeft => sender.finish(),
        Ending::Cut => sender.abort(),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_waits_for_its_time_divided_by_the_speed() {
        let ms = Duration::from_millis;
        let speed = |factor| Speed::times(factor).unwrap();
        assert_eq!(speed(1.0).wait(500_000, ms(100)), Some(ms(400)));
        assert_eq!(speed(2.0).wait(500_000, ms(100)), Some(ms(150)));
        assert_eq!(speed(0.5).wait(500_000, ms(100)), Some(ms(900)));
        assert_eq!(speed(1.0).wait(500_000, ms(500)), None);
        assert_eq!(speed(1.0).wait(500_000, ms(700)), None);
        assert_eq!(Speed::AT_ONCE.wait(u64::MAX, ms(0)), None);
        assert!(speed(1e-300).wait(u64::MAX, ms(0)).is_some());
        assert_eq!([-1.0, f64::NAN, f64::INFINITY].map(Speed::times), [None; 3]);
    }
}
