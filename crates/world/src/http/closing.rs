//! How a shutdown reaches every connection without costing them anything until it happens.

use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// How far the shutdown has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Finish what was begun, begin nothing, give up stalls.
    Finish = 1,
    /// Leave at once.
    Leave = 2,
}

/// Shared by the server and all its connections.
#[derive(Debug, Default)]
pub(super) struct Closing {
    stage: AtomicU8,
    bell: Notify,
}

impl Closing {
    /// Announces a stage.
    pub(super) fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::SeqCst);
        self.bell.notify_waiters();
    }

    /// Whether the shutdown has come so far.
    pub(super) fn at(&self, stage: Stage) -> bool {
        self.stage.load(Ordering::SeqCst) >= stage as u8
    }

    /// Ends once the shutdown has come so far.
    pub(super) async fn reached(&self, stage: Stage) {
        while !self.at(stage) {
            let rung = self.bell.notified();
            // The bell may have rung between the look and the listening.
            if self.at(stage) {
                return;
            }
            rung.await;
        }
    }
}
