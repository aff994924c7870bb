//! Questions of a run and their answers.

use super::{Run, What, millis};
use rehearsal_journal::daemon::{Closed, Fact};
use rehearsal_script::runs::Question;

/// An open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub question: Question,
    /// When it was asked, milliseconds since 1970.
    pub at_ms: u64,
    /// When it is given up, if ever.
    pub until_ms: Option<u64>,
}

/// One row of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerRow {
    /// The text; empty where there is none.
    pub text: String,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// It was taken, and the run goes on.
    Delivered,
    /// The question is not open: it was answered, given up, or never asked here.
    NotOpen,
}

impl Run {
    /// Whether this question was asked at any time.
    #[must_use]
    pub fn has_asked(&self, id: &str) -> bool {
        self.timeline.iter().any(|row| matches!(&row.what, What::Asked(asked) if asked == id))
    }

    /// Answers the open question, also one that a cancel left open.
    pub fn answer(&mut self, id: &str, rows: &[AnswerRow], now_ms: u64) -> Resolved {
        self.catch_up(now_ms);
        if self.open.as_ref().is_none_or(|open| open.id != id) {
            return Resolved::NotOpen;
        }
        self.told.push(rows.first().map(|row| row.text.clone()).unwrap_or_default());
        self.close(Closed::Answered, now_ms);
        self.go_on(now_ms);
        self.advance(now_ms);
        Resolved::Delivered
    }

    pub(super) fn ask(&mut self, question: &Question, at_ms: u64) {
        let id = question.id.replace("{run}", self.id.get(..8).unwrap_or(&self.id));
        self.facts.push(Fact::QuestionAsked { run: self.id.clone(), question: id.clone() });
        self.note(at_ms, What::Asked(id.clone()));
        let patience_ms = question.timeout.map(millis).or(self.patience_ms);
        let until_ms = patience_ms.map(|patience| at_ms.saturating_add(patience));
        self.open = Some(Open { id, question: question.clone(), at_ms, until_ms });
    }

    /// Gives a question up whose time has passed; the run goes on without an answer.
    pub(super) fn expire(&mut self, now_ms: u64) {
        while let Some(until) = self.open.as_ref().and_then(|open| open.until_ms) {
            if until > now_ms || self.is_over() {
                return;
            }
            self.close(Closed::TimedOut, until);
            self.go_on(until);
            self.advance(now_ms);
        }
    }

    pub(super) fn close(&mut self, how: Closed, at_ms: u64) {
        let Some(open) = self.open.take() else { return };
        self.facts.push(Fact::QuestionClosed { run: self.id.clone(), question: open.id.clone(), how });
        self.note(at_ms, What::Closed(open.id, how));
    }
}
