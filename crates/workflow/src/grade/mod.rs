//! From facts to findings: a pure fold over what the journal and the host saw. What the agent claims is not asked.
//!
//! One row a check; the rows run in order, so the most telling finding comes first.

mod agent;
mod expectation;
mod wire;

pub use agent::NOT_STARTED;

use rehearsal_journal::fold::Facts;
use rehearsal_journal::run::Finding;
use rehearsal_script::scenario::Phrasing;

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

/// One check of a finished case.
#[derive(Debug)]
pub struct Check {
    /// Code of its findings.
    pub code: &'static str,
    /// What a finding of it means, for tables.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// What it holds against the agent; nothing where the case is as declared.
    judge: fn(&Evidence<'_>) -> Vec<Found>,
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

/// Gives a case that could not be judged its reason: no check of a finished case.
pub const WORLD_FAILED: Check = Check {
    code: "world-failed",
    meaning: "the case could not be judged: a folder, a journal or a port failed",
    remedy: "the message says what failed; the case is broken, not failed",
    judge: |_| Vec::new(),
};

/// Characters of output, content or last words that a finding quotes.
const QUOTED: usize = 160;

fn quote(text: &str) -> String {
    let shown: String = text.chars().take(QUOTED).collect();
    if shown.len() < text.len() { format!("{shown:?} …") } else { format!("{shown:?}") }
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
        .flat_map(|check| (check.judge)(evidence).into_iter().map(|found| (check.code, found)))
        .map(|(code, found)| Finding {
            code: code.to_owned(),
            message: found.message,
            exchanges: found.exchanges,
        })
        .collect()
}

/// Steps of a script that have an index, and how many of them were answered.
#[must_use]
pub fn steps(phrasing: &Phrasing, facts: &Facts) -> (u64, u64) {
    let all = wire::indexed_steps(phrasing);
    let answered = (0..all).filter(|step| wire::delivered(phrasing, facts, *step)).count() as u64;
    (answered, all)
}

#[cfg(test)]
mod tests;
