//! One moment by which a whole piece of work must be over, and waiting that respects it.

use super::budget::after;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A moment by which work must be over.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// This long from now.
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self(after(limit))
    }

    /// Does the work; `None` where the deadline came first. The work is dropped then.
    pub async fn within<T>(self, work: impl Future<Output = T>) -> Option<T> {
        // A future that is ready at once would win against a deadline that has passed.
        if Instant::now() >= self.0 {
            return None;
        }
        timeout_at(self.0, work).await.ok()
    }

    /// Waits this long; `false` where the deadline would come first, and then it does not wait.
    pub async fn wait(self, wait: Duration) -> bool {
        let end = after(wait);
        if end >= self.0 {
            return false;
        }
        sleep_until(end).await;
        true
    }
}
