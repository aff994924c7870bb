//! What one request may take, spent as it goes.

use super::{DialError, Limits};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The limits of one request and the moment at which all of it must be over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) limits: Limits,
    end: Instant,
}

impl Budget {
    /// Begins now.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, end: after(limits.total) }
    }

    /// Waits for a connection.
    pub(super) async fn connect<T>(
        self,
        connecting: impl Future<Output = Result<T, DialError>>,
    ) -> Result<T, DialError> {
        let until = after(self.limits.connect).min(self.end);
        timeout_at(until, connecting)
            .await
            .unwrap_or(Err(DialError::ConnectTimeout(self.limits.connect.min(self.limits.total))))
    }

    /// Waits for what comes next on a connection.
    pub(super) async fn next<T>(self, event: impl Future<Output = T>) -> Result<T, DialError> {
        // What is ready at once would win against an end that has passed: a peer that never pauses would have no end at all.
        if Instant::now() >= self.end {
            return Err(DialError::Total(self.limits.total));
        }
        let idle = after(self.limits.idle);
        timeout_at(idle.min(self.end), event).await.map_err(|_| {
            if idle < self.end {
                DialError::Idle(self.limits.idle)
            } else {
                DialError::Total(self.limits.total)
            }
        })
    }
}

/// A moment from now; one too far to name is a century away.
pub(super) fn after(wait: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    Instant::now() + wait.min(CENTURY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_always_ready_ends_with_the_whole_time_too() {
        let long = Duration::from_secs(1000);
        let limits = |total| Limits { connect: long, idle: long, total, body: 1 };
        assert!(Budget::new(limits(long)).next(async {}).await.is_ok());
        let over = Budget::new(limits(Duration::ZERO)).next(async {}).await;
        assert!(matches!(over, Err(DialError::Total(_))));
    }
}
