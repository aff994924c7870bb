//! The journal of a data folder: every request, every end of an item, shared by all that work at once.

use crate::endpoint::attempts::Attempt;
use crate::endpoint::ear::{Ear, Writing};
use crate::wave::past::History;
use crate::wave::status::{Status, status};
use rehearsal_journal::drive::{Ended, Fact, Sent};
use rehearsal_journal::event::Event;
use rehearsal_world::clock::{Clock, unix_ms};
use rehearsal_world::record::{Durable, DurableError};
use rehearsal_world::vault::{Folder, VaultError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The open journal.
#[derive(Clone, Debug)]
pub struct Book(Arc<Mutex<Pages>>);

#[derive(Debug)]
struct Pages {
    journal: Durable,
    history: History,
    /// Runs since something was written.
    quiet: Clock,
}

impl Book {
    /// Opens the journal of a folder, or begins it.
    ///
    /// # Errors
    /// When it was changed, or its files cannot be used.
    pub fn open(folder: &Folder, program: &str) -> Result<Self, DurableError> {
        let (journal, events) = Durable::open(folder, program)?;
        let (history, quiet) = (History::of(&facts(events)), Clock::start());
        Ok(Self(Arc::new(Mutex::new(Pages { journal, history, quiet }))))
    }

    /// Writes a fact. The kernel has it when this returns.
    ///
    /// # Errors
    /// When it cannot be written: then it did not happen.
    pub fn note(&self, fact: Fact) -> Result<(), VaultError> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Event::Drive(fact);
        pages.journal.write(&event)?;
        if let Event::Drive(fact) = &event {
            pages.history.apply(fact);
        }
        pages.quiet = Clock::start();
        Ok(())
    }

    /// What it says, from its beginning.
    #[must_use]
    pub fn history(&self) -> History {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).history.clone()
    }

    /// How an item stands. `patience` is how long nothing may be written before it counts as stalled.
    #[must_use]
    pub fn status(&self, item: &str, patience: Duration) -> Status {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        status(&pages.history, item, true, pages.quiet.elapsed() > patience, unix_ms())
    }

    /// Writes down the requests of an item.
    #[must_use]
    pub fn of(&self, item: &str) -> Box<dyn Ear> {
        Box::new(Line { book: self.clone(), item: item.to_owned() })
    }
}

/// The facts among events.
#[must_use]
pub fn facts(events: Vec<Event>) -> Vec<Fact> {
    let fact = |event| match event {
        Event::Drive(fact) => Some(fact),
        _ => None,
    };
    events.into_iter().filter_map(fact).collect()
}

/// The requests of one item.
struct Line {
    book: Book,
    item: String,
}

impl Ear for Line {
    fn sending(&mut self, number: u32) -> Result<(), String> {
        let fact = Fact::Sending { item: self.item.clone(), number };
        self.book.note(fact).map_err(|error| format!("nothing is sent that cannot be written down: {error}"))
    }

    fn sent(&mut self, attempt: &Attempt) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let sent = Sent {
            item: self.item.clone(),
            number: attempt.number,
            class: attempt.class.map(|class| class.name().to_owned()),
            status: attempt.status,
            wait_ms: millis(attempt.wait),
            took_ms: millis(attempt.took),
            bytes_out: attempt.bytes_out,
            bytes_in: attempt.bytes_in,
            prompt_tokens: attempt.usage.prompt,
            completion_tokens: attempt.usage.completion,
            may_cost: attempt.may_cost,
        };
        // The next request does not leave where this is lost, and the journal shows one whose end nobody knows.
        drop(self.book.note(Fact::Sent(Box::new(sent))));
    }

    fn writing(&mut self, Writing { missing, suspect, files }: Writing) -> Result<(), String> {
        let ended = Ended {
            item: self.item.clone(),
            outcome: "applied".to_owned(),
            verified: missing.is_none(),
            reason: missing.map(str::to_owned),
            class: None,
            suspect,
            files: files.into_iter().map(|(path, sum)| (path, Some(sum))).collect(),
            unix_ms: unix_ms(),
        };
        let noted = self.book.note(Fact::Writing(Box::new(ended)));
        noted.map_err(|error| format!("nothing is written whose end could not be known: {error}"))
    }
}
