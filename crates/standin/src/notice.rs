//! Says once for each reason that a request was answered beside the script: with a plain client that answer is a riddle.

use rehearsal_journal::event::{Asked, SideCall};
use std::sync::atomic::{AtomicU8, Ordering};

/// What was said already, and to whom it is said.
#[derive(Debug)]
pub(crate) struct Notices {
    say: fn(&str),
    /// A bit for each reason.
    said: AtomicU8,
}

/// What is to be said of a request once its number is known.
pub(crate) struct Notice {
    say: fn(&str),
    case: String,
    reason: &'static str,
}

impl Notices {
    pub(crate) fn new(say: fn(&str)) -> Self {
        Self { say, said: AtomicU8::new(0) }
    }

    /// The notice of a request that holds a prompt, was answered, and is the first of its reason.
    pub(crate) fn of(&self, asked: &Asked) -> Option<Notice> {
        let (bit, reason) = match asked.side_call? {
            SideCall::NoTools => (1, "offers no tools"),
            SideCall::Probe => (2, "leaves no room for an answer"),
            SideCall::AfterTheEnd => (4, "comes after the end of its script"),
        };
        let case = asked.phrasing.as_ref().filter(|_| asked.reject.is_none())?;
        let first = self.said.fetch_or(bit, Ordering::Relaxed) & bit == 0;
        first.then(|| Notice { say: self.say, case: case.clone(), reason })
    }
}

impl Notice {
    pub(crate) fn say(&self, exchange: u64) {
        (self.say)(&format!(
            "request {exchange} holds the prompt of {} but {}, so it was answered beside the script",
            self.case, self.reason
        ));
    }
}
