//! One run: what it does by its script, its questions, messages, edits and its end. No protocol is known here.

mod begin;
mod marker;
mod message;
mod question;
mod text;

pub use begin::Beginning;
pub use marker::of_prompt;
pub use message::{LiveInput, Taken};
pub use question::{AnswerRow, Open, Resolved};
pub use text::{final_text, output_beginning, output_bytes};

use rehearsal_journal::daemon::{Closed, Fact};
use rehearsal_script::runs::{Act, Call, Ending, Failure, RunScript, When};
use std::sync::Arc;

/// Most rows of a timeline. What comes beyond is refused, so that a run cannot grow without bound.
pub const MOST_ROWS: usize = 10_000;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits in a queue and has not begun.
    Queued,
    /// It is under way.
    Running,
    /// It ended well.
    Succeeded,
    /// It ended badly.
    Failed,
    /// It was ended.
    Cancelled,
    /// It was broken off.
    Interrupted,
}

impl State {
    /// The word of the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether nothing follows it.
    #[must_use]
    pub fn is_end(self) -> bool {
        match self {
            Self::Queued | Self::Running => false,
            Self::Succeeded | Self::Failed | Self::Cancelled | Self::Interrupted => true,
        }
    }
}

/// One row of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// When, milliseconds since 1970 by the daemon's clock.
    pub at_ms: u64,
    /// What happened.
    pub what: What,
}

/// What happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It was put into a queue.
    Queued,
    /// It began.
    Started,
    /// It asked something.
    Asked(String),
    /// A question is open no longer.
    Closed(String, Closed),
    /// A live message came to its outcome.
    Message {
        /// Its id.
        id: String,
        /// Outcome and reason.
        taken: Taken,
    },
    /// It wrote these files.
    Edited(Vec<String>),
    /// It said something.
    Note(String),
    /// It told its client something: JSON text of an update of ACP.
    Update(String),
    /// It asked its client for something, by this method.
    Called(String),
    /// Its client answered, well or not.
    CallAnswered(String, bool),
    /// Somebody wants it to end.
    Cancelling(Option<String>),
    /// It is over.
    Ended(State),
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its id: 16 hexadecimal digits.
    pub id: String,
    /// What it plays.
    pub script: Arc<RunScript>,
    /// The access that was asked for; empty where none was.
    pub access: String,
    /// The private workspace that was named.
    pub workspace: Option<String>,
    /// The live tree, which is never touched.
    pub live: Option<String>,
    /// How it stands.
    pub state: State,
    /// Reads of its detail while it ran.
    pub polls: u64,
    /// The open question.
    pub open: Option<Open>,
    /// What was answered, text by text.
    pub told: Vec<String>,
    /// Live messages that were scripted and came.
    scripted: usize,
    /// Why it was cancelled, where somebody said why.
    pub cancel_reason: Option<String>,
    /// What happened.
    pub timeline: Vec<Row>,
    /// Why it failed, and when it ended.
    pub failure: Option<(Failure, u64)>,
    /// The text that its script ends with.
    text: Option<(Option<String>, Option<u64>)>,
    /// Files that it wants to write before it goes on.
    pub wanted: Option<Vec<(String, String)>>,
    /// What it asks its client for before it goes on.
    pub calling: Option<Call>,
    /// Why its turn stopped, where its script says it.
    pub stop: Option<String>,
    /// Whether its client can be asked for something.
    calls: bool,
    /// What it waits for in its queue, where it was put into one.
    queued: Option<When>,
    /// Whether it may end as interrupted.
    interrupts: bool,
    /// Whether its telemetry was written.
    pub telemetry: bool,
    /// Whether it stands among those that are over, of which the oldest are let go.
    pub put_by: bool,
    /// Answers about it so far, by operation: for troubles.
    pub asked_for: [u64; 6],
    /// The step that comes next.
    at: usize,
    polls_here: u64,
    heard_here: bool,
    since_ms: u64,
    edits: Arc<[(String, String)]>,
    patience_ms: Option<u64>,
    /// What happened and is not yet taken down.
    facts: Vec<Fact>,
}

impl Run {
    /// Takes what happened since the last time.
    pub fn take_facts(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.facts)
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.is_end()
    }

    /// The last number of its timeline, 1 or more.
    #[must_use]
    pub fn last_row(&self) -> u64 {
        self.timeline.len() as u64
    }

    /// Reads the detail: counts, and goes on.
    pub fn poll(&mut self, now_ms: u64) {
        self.catch_up(now_ms);
        if self.is_over() {
            return;
        }
        self.polls += 1;
        if self.state == State::Queued {
            self.polls_here += 1;
            return self.leave_queue(now_ms);
        }
        if !self.is_held() {
            self.polls_here += 1;
        }
        self.advance(now_ms);
    }

    /// Somebody asks for it again who does not know its id yet: it may leave its queue.
    pub fn knock(&mut self, now_ms: u64) {
        self.catch_up(now_ms);
        if self.state == State::Queued {
            self.polls_here += 1;
            self.leave_queue(now_ms);
        }
    }

    /// Begins what waited long enough.
    fn leave_queue(&mut self, now_ms: u64) {
        let at_ms = match self.queued {
            _ if self.state != State::Queued => return,
            Some(When::Polls(polls)) if self.polls_here < polls => return,
            Some(When::After(time)) => self.since_ms.saturating_add(millis(time)),
            Some(When::Polls(_) | When::Now | When::Message) | None => now_ms,
        };
        if at_ms <= now_ms {
            self.state = State::Running;
            self.facts.push(self.queue_fact());
            self.note(at_ms, What::Started);
            self.go_on(at_ms);
            self.advance(now_ms);
        }
    }

    /// That it was put into its queue, or left it.
    fn queue_fact(&self) -> Fact {
        let (item, id, state) = ("run".to_owned(), self.id.clone(), self.state.word().to_owned());
        Fact::ItemChanged { item, id, state }
    }

    /// Goes on as far as it can without anybody reading it: steps that wait for reads are due at once.
    pub fn play(&mut self, now_ms: u64) {
        self.catch_up(now_ms);
        while !self.is_over() && !self.is_held() {
            let polled = match self.script.steps.get(self.at) {
                None => true,
                Some(step) => matches!(step.when, When::Polls(_)) && step.act != Act::Hang,
            };
            if !polled {
                return;
            }
            self.polls_here = u64::MAX;
            self.advance(now_ms);
        }
    }

    /// Whether somebody else must do something before it goes on.
    fn is_held(&self) -> bool {
        self.state == State::Queued || self.open.is_some() || self.wanted.is_some() || self.calling.is_some()
    }

    /// Its client answered what it asked for.
    pub fn called(&mut self, well: bool, now_ms: u64) {
        let Some(call) = self.calling.take() else { return };
        self.note(now_ms, What::CallAnswered(call.method, well));
        self.go_on(now_ms);
        self.advance(now_ms);
    }

    /// Lets what its clock brings happen: questions time out, steps come due.
    pub fn catch_up(&mut self, now_ms: u64) {
        if matches!(self.queued, Some(When::After(_))) {
            self.leave_queue(now_ms);
        }
        self.expire(now_ms);
        self.advance(now_ms);
        self.expire(now_ms);
    }

    /// When its clock brings something next, milliseconds since 1970.
    #[must_use]
    pub fn due_ms(&self) -> Option<u64> {
        if self.is_over() || self.wanted.is_some() || self.calling.is_some() {
            return None;
        }
        if self.state == State::Queued {
            let Some(When::After(time)) = self.queued else { return None };
            return Some(self.since_ms.saturating_add(millis(time)));
        }
        if let Some(open) = &self.open {
            return open.until_ms;
        }
        let step = self.script.steps.get(self.at)?;
        match step.when {
            // Nothing ever comes of it.
            _ if step.act == Act::Hang => None,
            When::After(time) => Some(self.since_ms.saturating_add(millis(time))),
            When::Now | When::Polls(_) | When::Message => None,
        }
    }

    /// Ends it from outside. A run that is over keeps its state. With `keep` an open question stays open.
    pub fn cancel(&mut self, reason: Option<String>, keep: bool, now_ms: u64) {
        let late = self.is_over();
        self.facts.push(Fact::CancelAsked { run: self.id.clone(), late });
        if keep || self.cancel_reason.is_none() {
            self.cancel_reason = reason.clone();
        }
        if late {
            return;
        }
        self.wanted = None;
        self.calling = None;
        self.note(now_ms, What::Cancelling(reason));
        if !keep {
            self.close(Closed::Released, now_ms);
        }
        self.finish(State::Cancelled, now_ms);
    }

    /// The files that it wanted were written.
    pub fn edited(&mut self, now_ms: u64) {
        let files = self.wanted.take().unwrap_or_default();
        self.note(now_ms, What::Edited(files.into_iter().map(|(path, _)| path).collect()));
        self.go_on(now_ms);
        self.advance(now_ms);
    }

    /// The files that it wanted could not be written: it fails.
    pub fn blocked(&mut self, why: &str, now_ms: u64) {
        self.wanted = None;
        self.facts.push(Fact::WriteRefused { run: self.id.clone(), why: why.to_owned() });
        let failure = Failure {
            code: "workspace_edit_refused".to_owned(),
            phase: "edit".to_owned(),
            category: "workspace".to_owned(),
            message: why.to_owned(),
            ..Failure::default()
        };
        self.end(&Ending { failed: true, failure: Some(failure), ..Ending::default() }, now_ms);
    }

    /// Does the steps that are due.
    fn advance(&mut self, now_ms: u64) {
        while !self.is_over() && !self.is_held() {
            let script = Arc::clone(&self.script);
            let Some(step) = script.steps.get(self.at) else {
                if self.polls_here > 0 {
                    self.end(&Ending::default(), now_ms);
                }
                return;
            };
            let mut at_ms = now_ms;
            let due = match step.when {
                _ if step.act == Act::Hang => false,
                // It belongs to the moment of the step before, whenever somebody looks.
                When::Now => {
                    at_ms = self.since_ms;
                    true
                }
                When::Polls(polls) => self.polls_here >= polls,
                When::Message => self.heard_here,
                When::After(time) => {
                    at_ms = self.since_ms.saturating_add(millis(time));
                    at_ms <= now_ms
                }
            };
            if !due {
                return;
            }
            self.at += 1;
            self.go_on(at_ms);
            match &step.act {
                Act::Ask(question) => self.ask(question, at_ms),
                Act::Edit(files) => self.wanted = Some(files.clone().unwrap_or_else(|| self.edits.to_vec())),
                Act::Note(text) => self.note(at_ms, What::Note(text.clone())),
                Act::Update(update) => self.note(at_ms, What::Update(update.clone())),
                Act::Call(call) if self.calls => {
                    self.note(at_ms, What::Called(call.method.clone()));
                    self.calling = Some(call.clone());
                }
                // Who speaks HTTP cannot be asked.
                Act::Call(_) => {}
                Act::End(ending) => self.end(ending, at_ms),
                Act::Hang => {}
            }
        }
    }

    /// The next step's waiting begins.
    fn go_on(&mut self, at_ms: u64) {
        self.polls_here = 0;
        self.heard_here = false;
        self.since_ms = at_ms;
    }

    fn end(&mut self, ending: &Ending, at_ms: u64) {
        self.text = Some((ending.text.clone(), ending.bytes));
        self.stop = ending.stop.clone();
        self.failure = ending.failure.clone().map(|failure| (failure, at_ms));
        let state = match (ending.failed, ending.interrupted && self.interrupts) {
            (_, true) => State::Interrupted,
            (true, false) => State::Failed,
            (false, false) => State::Succeeded,
        };
        self.finish(state, at_ms);
    }

    fn finish(&mut self, state: State, at_ms: u64) {
        self.state = state;
        self.note(at_ms, What::Ended(state));
        let failure = self.failure.as_ref().map(|(failure, _)| failure.code.clone());
        self.facts.push(Fact::RunEnded { run: self.id.clone(), state: state.word().to_owned(), failure });
    }

    /// Adds a row. The last ones always fit, so that an end is seen.
    fn note(&mut self, at_ms: u64, what: What) {
        self.timeline.push(Row { seq: self.last_row() + 1, at_ms, what });
    }
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
