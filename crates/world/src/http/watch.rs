//! Deadlines of a connection, for the price of one timer that is seldom set anew.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::ledger::{Ledger, Line, Phase};
use super::{App, Limits};

/// What a connection is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// The first byte at all.
    Fresh,
    /// The next request.
    Idle,
    /// The rest of a head.
    Head,
    /// The rest of a body.
    Body,
    /// The app.
    Answer,
    /// The client, to take more of an answer.
    Write,
}

impl Pace {
    /// The pace and a number that changes whenever the waiting begins anew.
    fn of(ledger: &Ledger) -> (Self, u64) {
        let pace = match ledger.phase {
            _ if ledger.leaving.is_some() => return (Self::Write, ledger.sent),
            Phase::Body => Self::Body,
            Phase::Answer => Self::Answer,
            Phase::Between if !ledger.follower.partial().is_empty() => Self::Head,
            Phase::Between if ledger.requests == 0 => Self::Fresh,
            Phase::Between => Self::Idle,
        };
        (pace, ledger.requests)
    }

    fn time(self, limits: &Limits) -> Option<Duration> {
        match self {
            Self::Fresh | Self::Head => Some(limits.head_time),
            Self::Idle => Some(limits.idle_time),
            Self::Body => Some(limits.body_time),
            Self::Answer => None,
            Self::Write => Some(limits.write_time),
        }
    }
}

/// Watches one connection.
pub(super) struct Watch {
    timer: Pin<Box<Sleep>>,
    armed: bool,
    mark: (Pace, u64),
    since: Instant,
}

impl Watch {
    pub(super) fn new(limits: &Limits) -> Self {
        let since = Instant::now();
        let timer = Box::pin(sleep_until(since + limits.head_time));
        Self { timer, armed: false, mark: (Pace::Fresh, 0), since }
    }

    /// To be asked after each step of the connection: whether it now waits for too long.
    ///
    /// The timer may go off early, never late: moving it with each request would cost more than the request's head.
    pub(super) fn late<A: App>(&mut self, line: &Line<A>, cx: &mut Context<'_>) -> Poll<Pace> {
        let mark = Pace::of(&line.ledger());
        if mark != self.mark {
            self.mark = mark;
            self.since = Instant::now();
        }
        let Some(time) = mark.0.time(&line.limits) else { return Poll::Pending };
        let deadline = self.since + time;
        if self.timer.deadline() > deadline {
            self.timer.as_mut().reset(deadline);
            self.armed = false;
        }
        // An armed timer wakes this task by itself.
        while !self.armed || self.timer.is_elapsed() {
            self.armed = true;
            if self.timer.as_mut().poll(cx).is_pending() {
                break;
            }
            if Instant::now() >= deadline {
                return Poll::Ready(mark.0);
            }
            self.timer.as_mut().reset(deadline);
            self.armed = false;
        }
        Poll::Pending
    }
}
