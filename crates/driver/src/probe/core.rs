//! A probe from its first question to its findings: a state machine over values, without sockets and clock.

use super::draft::Draft;
use super::quirk::Observed;
use super::row::{Asks, Finding, Findings, Judged, Probe, Seen, Verdict};
use super::rows::PROBES;
use super::sight;
use crate::endpoint::ask::Exchange;
use crate::endpoint::config::Dialect;

/// What is to be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// The list of models.
    Models,
    /// A turn, with the row that asks it.
    Turn(&'static str, Box<Draft>),
}

/// A probe under way.
#[derive(Debug)]
pub struct Probing {
    dialect: Dialect,
    model: String,
    /// The row that is next, or that waits for its answer.
    at: usize,
    /// What that row asked.
    asked: Option<Draft>,
    found: Findings,
    /// Exchanges that later rows look at, too.
    kept: Vec<(&'static str, Draft, Exchange)>,
}

/// Most requests of a probe, without retries.
#[must_use]
pub fn most_requests(dialect: Dialect) -> usize {
    let asks = |row: &&&Probe| match row.asks {
        Asks::Turn(draft) => draft(dialect).is_some(),
        Asks::Models => true,
        Asks::Of(_) => false,
    };
    PROBES.iter().filter(asks).count()
}

impl Probing {
    /// A probe at its beginning.
    #[must_use]
    pub fn new(dialect: Dialect, model: &str) -> Self {
        let found = Findings::default();
        Self { dialect, model: model.to_owned(), at: 0, asked: None, found, kept: Vec::new() }
    }

    /// What is asked next; none where all is found. Rows that need no answer of their own are settled on the way.
    pub fn ask(&mut self) -> Option<Question> {
        while let Some(row) = PROBES.get(self.at) {
            if let Some(missing) = row.needs.iter().find(|name| !self.is_yes(name)) {
                let why = self.note_of(missing).filter(|note| !note.is_empty());
                let why = why.map_or_else(String::new, |note| format!(" ({note})"));
                self.skip(row, &format!("not asked: {missing} is not yes{why}"));
                continue;
            }
            match row.asks {
                Asks::Models => return Some(Question::Models),
                Asks::Turn(draft) => match draft(self.dialect) {
                    Some(draft) => {
                        self.asked = Some(draft.clone());
                        return Some(Question::Turn(row.name, Box::new(draft)));
                    }
                    None => self.skip(row, "not asked: this API has no such thing"),
                },
                Asks::Of(other) => match self.kept.iter().position(|(name, ..)| *name == other) {
                    Some(at) => {
                        let (name, draft, exchange) = self.kept.swap_remove(at);
                        let judged = self.judge(row, Some(&draft), &exchange);
                        self.settle(row, judged);
                        self.kept.push((name, draft, exchange));
                    }
                    None => self.skip(row, &format!("not asked: {other} was not asked")),
                },
            }
        }
        None
    }

    /// What came of the last question.
    pub fn answered(&mut self, exchange: Exchange) {
        let Some(row) = PROBES.get(self.at) else { return };
        let draft = self.asked.take();
        let mut judged = self.judge(row, draft.as_ref(), &exchange);
        if draft.is_some() {
            let seen = Seen {
                dialect: self.dialect,
                model: &self.model,
                draft: draft.as_ref(),
                exchange: &exchange,
            };
            judged.quirks.extend(sight::quirks(&seen));
        }
        self.settle(row, judged);
        let is_wanted = PROBES.iter().any(|other| matches!(other.asks, Asks::Of(name) if name == row.name));
        if let Some(draft) = draft.filter(|_| is_wanted) {
            self.kept.push((row.name, draft, exchange));
        }
    }

    /// What was found so far.
    #[must_use]
    pub fn findings(self) -> Findings {
        self.found
    }

    fn judge(&self, row: &Probe, draft: Option<&Draft>, exchange: &Exchange) -> Judged {
        (row.judge)(&Seen { dialect: self.dialect, model: &self.model, draft, exchange })
    }

    fn settle(&mut self, row: &Probe, judged: Judged) {
        for (name, note) in judged.quirks {
            if !self.found.quirks.iter().any(|known| known.name == name) {
                self.found.quirks.push(Observed { name: name.to_owned(), note, row: row.name.to_owned() });
            }
        }
        let (verdict, note) = (judged.verdict, judged.note);
        self.found.rows.push(Finding { name: row.name.to_owned(), verdict, note });
        self.at += 1;
    }

    fn skip(&mut self, row: &Probe, why: &str) {
        self.settle(row, Judged::new(Verdict::Unknown, why));
    }

    fn row(&self, name: &str) -> Option<&Finding> {
        self.found.rows.iter().find(|row| row.name == name)
    }

    fn is_yes(&self, name: &str) -> bool {
        self.row(name).is_some_and(|row| row.verdict == Verdict::Yes)
    }

    fn note_of(&self, name: &str) -> Option<String> {
        self.row(name).map(|row| row.note.clone())
    }
}

#[cfg(test)]
mod tests;
