//! Live messages into a run, and what becomes of them.

use super::{MOST_ROWS, Run, State, What};
use rehearsal_journal::daemon::{Fact, Sum};

/// How messages get into a running turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveInput {
    /// At any time.
    #[default]
    MidTurn,
    /// Before its next tool call.
    NextToolBoundary,
    /// Not at all.
    None,
}

impl LiveInput {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MidTurn, Self::NextToolBoundary, Self::None];

    /// The word of the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::MidTurn => "mid_turn",
            Self::NextToolBoundary => "next_tool_boundary",
            Self::None => "none",
        }
    }
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Whether it was accepted.
    pub accepted: bool,
    /// The outcome.
    pub outcome: String,
    /// The reason, where it was not accepted.
    pub reason: Option<String>,
    /// Whether the run has an attempt that it was for.
    pub attempt: bool,
}

impl Taken {
    fn not(outcome: &str, reason: &str, attempt: bool) -> Self {
        Self { accepted: false, outcome: outcome.to_owned(), reason: Some(reason.to_owned()), attempt }
    }
}

impl Run {
    /// Takes a message. `attempt` is the one that the client expects.
    pub fn message(
        &mut self,
        id: &str,
        text: &str,
        attempt: Option<&str>,
        live: LiveInput,
        now_ms: u64,
    ) -> Taken {
        self.catch_up(now_ms);
        let taken = self.judge(attempt, live);
        if taken.accepted {
            self.heard_here = true;
        }
        self.facts.push(Fact::MessageTaken {
            run: self.id.clone(),
            message: id.to_owned(),
            outcome: taken.outcome.clone(),
            reason: taken.reason.clone(),
            text: Sum::of(text.as_bytes()),
        });
        if self.timeline.len() < MOST_ROWS {
            self.note(now_ms, What::Message { id: id.to_owned(), taken: taken.clone() });
        }
        if taken.accepted {
            self.advance(now_ms);
        }
        taken
    }

    fn judge(&mut self, attempt: Option<&str>, live: LiveInput) -> Taken {
        if self.is_over() {
            return Taken::not("not_active", "run_terminal", false);
        }
        if self.state == State::Queued {
            return Taken::not("not_active", "no_active_turn", false);
        }
        if self.open.is_some() {
            return Taken::not("not_active", "interaction_pending", true);
        }
        if live == LiveInput::None {
            return Taken::not("unsupported", "no_live_session", true);
        }
        if attempt.is_some_and(|attempt| attempt != "a01") {
            return Taken::not("rejected", "attempt_mismatch", true);
        }
        if self.timeline.len() >= MOST_ROWS {
            return Taken::not("rejected", "admission_persist_failed", true);
        }
        if let Some(scripted) = self.script.messages.get(self.scripted) {
            self.scripted += 1;
            return Taken {
                accepted: scripted.is_accepted(),
                outcome: scripted.outcome.clone(),
                reason: scripted.reason.clone(),
                attempt: true,
            };
        }
        Taken { accepted: true, outcome: "accepted".to_owned(), reason: None, attempt: true }
    }
}
