//! Interrupts a program as a person at a terminal would, and goes on to harder words where it does not heed them.

use super::{Ran, Running};
use crate::task::after;
use std::pin::pin;
use std::time::Duration;

/// Whether this system can interrupt a program at all.
pub const CAN_INTERRUPT: bool = cfg!(unix);

/// The number of SIGINT, by POSIX.
const SIGINT: i32 = 2;

/// The last that was sent to the group of a program that is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// SIGINT.
    Interrupt,
    /// SIGINT a second time: many programs end in order at the first and at once at the second.
    InterruptAgain,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}

impl Stage {
    /// Its name in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::InterruptAgain => "SIGINT again",
            Self::Terminate => "SIGTERM",
            Self::Kill => "SIGKILL",
        }
    }

    /// What comes after it.
    fn next(reached: Option<Self>) -> Self {
        match reached {
            None => Self::Interrupt,
            Some(Self::Interrupt) => Self::InterruptAgain,
            Some(Self::InterruptAgain) => Self::Terminate,
            Some(Self::Terminate | Self::Kill) => Self::Kill,
        }
    }
}

impl Ran {
    /// Whether it was interrupted, and then ended by itself: with an exit status or by SIGINT, in time, and before it was
    /// told anything harder.
    #[must_use]
    pub fn acknowledged(&self) -> bool {
        let by_itself = self.status.is_some() || self.signal == Some(SIGINT);
        let at = self.interrupted;
        matches!(at, Some(Stage::Interrupt | Stage::InterruptAgain)) && by_itself && !self.timed_out
    }
}

impl Running {
    /// Waits until it ends by itself or its time is up, but interrupts its group after a while. The grace passes between a
    /// stage and the next.
    pub async fn finish_interrupted(mut self, wait: Duration) -> Ran {
        let mut limit = pin!(after(self.time_limit));
        let mut next = pin!(after(wait));
        let mut reached = None;
        let (status, timed_out) = loop {
            tokio::select! {
                biased;
                status = self.reap() => break (status, false),
                () = &mut limit => break self.end().await,
                () = &mut next => next.set(after(self.grace)),
            }
            // It may have ended before anybody here was told.
            if self.group.is_over() {
                continue;
            }
            let stage = Stage::next(reached);
            reached = Some(stage);
            match stage {
                Stage::Interrupt | Stage::InterruptAgain => self.group.interrupt(),
                Stage::Terminate => self.group.ask_to_end(),
                Stage::Kill => break (self.kill().await, false),
            }
        };
        Ran { timed_out, interrupted: reached, ..self.close(status).await }
    }
}

/// A process that ignores SIGINT, as one that a script starts with `&`, hands that down to all that it starts. A handler that
/// does nothing is as good to us, and is not handed down.
#[cfg(target_os = "linux")]
pub(super) fn let_programs_hear() {
    use tokio::signal::unix::{SignalKind, signal};
    let ignored = super::used::own("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    // Signal 1 is the lowest bit.
    if ignored.is_some_and(|mask| mask >> (SIGINT - 1) & 1 == 1) {
        // Without a handler the program ignores SIGINT, and the next stages end it.
        let _handled = signal(SignalKind::interrupt());
    }
}

/// Elsewhere nothing tells what is ignored.
#[cfg(not(target_os = "linux"))]
pub(super) fn let_programs_hear() {}
