//! From facts to findings: a pure fold over what the journal and the host saw. What the agent claims is not asked.
//!
//! One row a check; the rows run in order, so the most telling finding comes first.

mod agent;
mod expectation;
mod wire;

use rehearsal_journal::fold::Facts;
use rehearsal_journal::run::{CodeText, Finding, Severity};
use rehearsal_script::scenario::Phrasing;
use std::collections::BTreeSet;

/// What a case is judged from.
#[derive(Debug)]
pub struct Evidence<'e> {
    /// What was declared.
    pub phrasing: &'e Phrasing,
    /// Whether the profile `pinned` was in force.
    pub pinned: bool,
    /// What the journal says.
    pub facts: &'e Facts,
    /// What was kept of the agent's standard output.
    pub stdout: &'e str,
    /// What was kept of its standard error: quoted for people, never judged.
    pub stderr: &'e str,
    /// Contents of the declared files that are there and were small enough to read, by path.
    pub contents: &'e [(String, Vec<u8>)],
}

/// One row of the findings: a check of a finished case, or why a case could not be judged.
#[derive(Debug)]
pub struct Check {
    /// Code of its findings, kebab-case.
    pub code: &'static str,
    /// What a finding of it means, for tables.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// What it holds against the agent, nothing where the case is as declared; none for a reason of a broken case.
    judge: Option<fn(&Evidence<'_>) -> Vec<Found>>,
}

/// What a check found: the sentence, and the requests it rests on.
struct Found {
    message: String,
    exchanges: Vec<u64>,
}

impl Found {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exchanges: Vec::new() }
    }

    fn at(message: impl Into<String>, exchanges: impl IntoIterator<Item = u64>) -> Self {
        Self { message: message.into(), exchanges: exchanges.into_iter().collect() }
    }
}

/// The reason of a broken case whose agent could not be started.
pub(crate) const NOT_STARTED: Check = Check {
    code: "agent-not-started",
    meaning: "the agent's program could not be started",
    remedy: "check the command behind `--`; a script needs its interpreter before it, or an executable bit and a good first line",
    judge: None,
};
/// The reason of any other broken case.
pub(crate) const WORLD_FAILED: Check = Check {
    code: "world-failed",
    meaning: "the case could not be judged: a folder, a journal or a port failed",
    remedy: "the message says what failed; the case is broken, not failed",
    judge: None,
};

/// Characters of output, content or last words that a finding quotes.
const QUOTED: usize = 160;

fn quote(text: &str) -> String {
    let shown: String = text.chars().take(QUOTED).collect();
    if shown.len() < text.len() { format!("{shown:?} …") } else { format!("{shown:?}") }
}

/// The end of a text, where the reason of a long error line stands.
fn quote_end(text: &str) -> String {
    let from = text.char_indices().rev().nth(QUOTED - 1).map_or(0, |(at, _)| at);
    if from > 0 { format!("… {:?}", &text[from..]) } else { format!("{text:?}") }
}

/// All checks, in the order in which their findings are told.
pub const CHECKS: &[Check] = &[
    WORLD_FAILED,
    NOT_STARTED,
    agent::TIME_LIMIT,
    agent::KILLED,
    wire::NEVER_ASKED,
    wire::REJECTED,
    wire::UNREADABLE,
    wire::UNKNOWN_ROUTE,
    wire::NOT_FINISHED,
    wire::OVERRUN,
    wire::UNANSWERED_CALL,
    wire::TOO_MANY_REQUESTS,
    agent::EXIT_STATUS,
    expectation::TOOLS_CALLED,
    expectation::OUTPUT_CONTAINS,
    expectation::OUTPUT_MATCHES,
    expectation::FILES,
];

/// Judges a finished case; an empty list is a pass.
#[must_use]
pub fn grade(evidence: &Evidence<'_>) -> Vec<Finding> {
    CHECKS
        .iter()
        .filter_map(|check| Some((check.code, check.judge?(evidence))))
        .flat_map(|(code, found)| {
            found.into_iter().map(move |Found { message, exchanges }| Finding {
                code: code.to_owned(),
                severity: Severity::Error,
                message,
                exchanges,
                also: Vec::new(),
            })
        })
        .collect()
}

/// What the rules noted without refusing it, one for each code and sentence, with all the requests it stands in.
#[must_use]
pub fn notes(facts: &Facts) -> Vec<Finding> {
    let mut notes: Vec<Finding> = Vec::new();
    for (exchange, note) in &facts.notes {
        match notes.iter_mut().find(|known| known.code == note.code && known.message == note.message) {
            Some(known) => known.exchanges.push(*exchange),
            None => notes.push(Finding {
                code: note.code.clone(),
                severity: Severity::Note,
                message: note.message.clone(),
                exchanges: vec![*exchange],
                also: Vec::new(),
            }),
        }
    }
    notes
}

/// The codes of some findings in words, sorted, each once.
#[must_use]
pub fn explained<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<CodeText> {
    let codes: BTreeSet<&str> = findings.into_iter().map(|finding| finding.code.as_str()).collect();
    codes
        .into_iter()
        .filter_map(|code| CHECKS.iter().find(|check| check.code == code))
        .map(|check| CodeText {
            code: check.code.to_owned(),
            meaning: check.meaning.to_owned(),
            remedy: check.remedy.to_owned(),
        })
        .collect()
}

/// Steps of a script that have an index, and how many of them were answered.
#[must_use]
pub fn steps(phrasing: &Phrasing, facts: &Facts) -> (u64, u64) {
    let all = phrasing.steps() as u64;
    let answered = (0..all).filter(|step| wire::delivered(phrasing, facts, *step)).count() as u64;
    (answered, all)
}

#[cfg(test)]
mod tests;
