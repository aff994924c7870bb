//! What a bridge does beside answering: it keeps the public state fresh, and makes files of the log of traffic when there is time.

use crate::serve::Bridge;
use rehearsal_world::clock::Clock;
use rehearsal_world::task;
use rehearsal_world::vault::VaultError;
use std::time::Duration;

/// How long the public state may lag behind.
const STATE_LAG: Duration = Duration::from_millis(100);
/// How long nothing must happen, so that it counts as quiet; the log is unpacked that often while something does.
const PAUSE: Duration = Duration::from_millis(20);
/// How many exchanges at once then, and how many where it is quiet.
const FEW: usize = 4;
const MANY: usize = 64;
/// So many requests within the pause are a storm: their files would come later and later in any case, and to make them takes a
/// multiple of what it takes to relay, so they wait in the log until it is over.
const STORM: u64 = 16;
/// Segments of the log that may wait for that; with more the log would only grow.
const WAITING: u64 = 16;

/// How much is asked of the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Nothing.
    Quiet,
    /// Something.
    Busy,
    /// More than files can be made of meanwhile.
    Storm,
}

impl Bridge {
    /// Keeps the public state fresh. Never ends.
    pub async fn keep_fresh(&self) {
        loop {
            self.0.stale.notified().await;
            task::after(STATE_LAG).await;
            self.0.flush();
            // The next change tries again; at the end its error is told.
            drop(self.show());
        }
    }

    /// Makes the files of what stands in the log of traffic: as fast as it goes while nothing is forwarded, slowly otherwise. Never
    /// ends.
    pub async fn keep_unpacked(&self) {
        let Some(traffic) = self.0.traffic.clone() else { return std::future::pending().await };
        loop {
            self.0.logged.notified().await;
            loop {
                let pace = self.pace().await;
                if pace == Pace::Storm && self.0.segments_behind(&traffic) < WAITING {
                    continue;
                }
                let Ok(until) = self.0.flush_both(&traffic).map_err(|error| self.0.lose(error)) else {
                    break;
                };
                match self.0.unpack(until, if pace == Pace::Quiet { MANY } else { FEW }).await {
                    Ok(false) => {}
                    Ok(true) => break,
                    Err(error) => {
                        self.0.lose(error);
                        break;
                    }
                }
            }
        }
    }

    /// Waits a moment; says what happened in it. Between two requests of a busy client there is none under way either.
    async fn pace(&self) -> Pace {
        let before = self.0.book().state.sequence;
        task::after(PAUSE).await;
        let book = self.0.book();
        match book.state.sequence - before {
            0 if book.under_way == 0 => Pace::Quiet,
            ..STORM => Pace::Busy,
            STORM.. => Pace::Storm,
        }
    }

    /// Makes the files of all that stands in the log, for `patience` at most. False where something is left for the next start.
    ///
    /// # Errors
    /// When something cannot be written.
    pub async fn unpack_all(&self, patience: Duration) -> Result<bool, VaultError> {
        let Some(traffic) = &self.0.traffic else { return Ok(true) };
        let clock = Clock::start();
        let until = self.0.flush_both(traffic)?;
        while !self.0.unpack(until, MANY).await? {
            if clock.elapsed() > patience {
                return Ok(false);
            }
        }
        let mut unpacker = self.0.unpacker();
        if let Some(unpacker) = unpacker.as_mut().filter(|unpacker| unpacker.is_clear()) {
            unpacker.clear(until.0)?;
        }
        Ok(true)
    }
}
