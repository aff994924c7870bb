//! From facts to findings: a pure fold over what the journal and the host saw. What the agent claims is not asked.
//!
//! All checks run. What they find is weighed as the suite wants it, and what follows from an earlier failing is folded below
//! it (`fold.rs`), so that one bug of an agent is one finding.

mod agent;
mod broken_json;
mod codes;
mod command_words;
mod conduct;
mod daemon;
mod disk;
mod end;
mod expectation;
mod fold;
mod promise;
mod reaction;
mod recording;
mod refusal;
mod sent;
mod truncated;
pub(crate) mod work;

pub(crate) use agent::TIME_LIMIT;
pub(crate) use codes::all_codes;
pub use codes::{codes, explain, explained, text, weight_word};
pub use conduct::most_requests;
pub use daemon::{Call, Talk};
pub(crate) use daemon::{is_wanted, most_requests as most_daemon_requests};
pub(crate) use reaction::renamed;

use rehearsal_journal::fold::{Facts, Request};
use rehearsal_journal::run::{Finding, Severity};
use rehearsal_script::scenario::{Phrasing, Weight};

/// What a case is judged from.
#[derive(Debug)]
pub struct Evidence<'e> {
    /// What was declared.
    pub phrasing: &'e Phrasing,
    /// Its further conversations: those of sub-agents.
    pub parts: &'e [&'e Phrasing],
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
    /// What was said to the daemon of the case, where it has one.
    pub talk: Option<&'e Talk>,
}

impl<'e> Evidence<'e> {
    /// The case's conversation, then its further ones.
    fn conversations(&self) -> impl Iterator<Item = &'e Phrasing> {
        std::iter::once(self.phrasing).chain(self.parts.iter().copied())
    }

    /// The conversation that a request belongs to; the case's own where the journal does not say.
    fn conversation(&self, request: &Request) -> &'e Phrasing {
        let named = self.parts.iter().find(|part| request.phrasing.as_ref() == Some(&part.id));
        named.copied().unwrap_or(self.phrasing)
    }

    /// The scripted requests of one conversation.
    fn scripted(&self, phrasing: &Phrasing) -> impl Iterator<Item = &'e Request> {
        self.facts.scripted().filter(move |request| self.conversation(request).id == phrasing.id)
    }

    /// How a conversation is named in a sentence: not at all where it is the case's own.
    fn named(&self, phrasing: &Phrasing) -> String {
        if phrasing.id == self.phrasing.id {
            String::new()
        } else {
            format!("in the conversation {}, ", phrasing.id)
        }
    }
}

/// Where a failing lies. The earliest explains the later ones, so that only its findings stand by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The case could not be judged.
    World,
    /// What was sent was wrong.
    Wire,
    /// It was well-formed, and still not what an agent should do.
    Conduct,
    /// The conversation did not come to its end.
    End,
    /// It did, and what came of it is not what was declared.
    Outcome,
}

impl Tier {
    /// What it is about, for tables and explanations.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::World => "the world: the case could not be judged",
            Self::Wire => "the wire: what was sent was wrong",
            Self::Conduct => {
                "the conduct: well-formed requests that an agent should not have sent, or what it did with an answer"
            }
            Self::End => "the end: the conversation did not come to its end",
            Self::Outcome => "the outcome: what came of it is not what was declared",
        }
    }
}

/// One row of the findings: a check of a finished case, or why a case could not be judged.
#[derive(Debug)]
pub struct Check {
    /// Code of its findings, kebab-case.
    pub code: &'static str,
    /// How much they weigh where neither the suite nor the command line says.
    pub severity: Severity,
    /// Where the failing lies.
    pub tier: Tier,
    /// Codes of the same tier that make this one certain: where one of them is found, this one is told below it.
    pub follows: &'static [&'static str],
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
    /// Code of the same tier that makes this one certain here, beside those of the row.
    cause: Option<&'static str>,
}

impl Found {
    fn new(message: impl Into<String>) -> Self {
        Self::at(message, [])
    }

    fn at(message: impl Into<String>, exchanges: impl IntoIterator<Item = u64>) -> Self {
        Self { message: message.into(), exchanges: exchanges.into_iter().collect(), cause: None }
    }
}

/// The reason of a broken case whose agent could not be started.
pub(crate) const NOT_STARTED: Check = Check {
    code: "agent-not-started",
    severity: Severity::Error,
    tier: Tier::World,
    follows: &[],
    meaning: "the agent's program could not be started",
    remedy: "check the command behind `--`; a script needs its interpreter before it, or an executable bit and a good first line",
    judge: None,
};
/// The reason of any other broken case.
pub(crate) const WORLD_FAILED: Check = Check {
    code: "world-failed",
    severity: Severity::Error,
    tier: Tier::World,
    follows: &[],
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

/// All checks, in the order of their tiers and, within a tier, in that in which their findings are told. Requests that were
/// refused have the names of the rules as codes; see [`codes`].
pub const CHECKS: &[Check] = &[
    WORLD_FAILED,
    NOT_STARTED,
    work::STEP_FAILED,
    daemon::DAEMON_UNAUTHORIZED,
    daemon::PROTOCOL_MAJOR,
    daemon::KEY_MISSING,
    daemon::KEY_CONFLICT,
    daemon::DAEMON_REFUSED,
    conduct::FINAL_ERROR_RETRIED,
    truncated::TRUNCATED_CALL_EXECUTED,
    reaction::PARTIAL_TURN_KEPT,
    reaction::RETRIED_TOO_SOON,
    reaction::RETRIED_WITHOUT_PAUSE,
    conduct::TOO_MANY_REQUESTS,
    conduct::OVERRUN,
    daemon::START_UNDER_ANOTHER_KEY,
    daemon::REFUSAL_UNREAD,
    daemon::MESSAGE_ID,
    daemon::MESSAGE_ID_MISMATCH,
    daemon::MESSAGE_REPEATED,
    daemon::MESSAGE_UNDER_ANOTHER_ID,
    daemon::MESSAGE_RETRY_LOOP,
    daemon::MESSAGE_TO_SETTLED_RUN,
    daemon::LIVE_INPUT_UNREAD,
    daemon::MESSAGE_UNSUPPORTED,
    daemon::QUESTION_ANSWERED_TWICE,
    daemon::QUESTION_NOT_OPEN,
    daemon::ANSWER_INVALID,
    daemon::POLLED_WITHOUT_PAUSE,
    daemon::TOO_MANY_DAEMON_REQUESTS,
    daemon::TOKEN_IN_OUTPUT,
    daemon::MESSAGE_IN_OUTPUT,
    end::SIDE_CALLS_ONLY,
    end::NEVER_ASKED,
    daemon::DAEMON_NEVER_ASKED,
    agent::TIME_LIMIT,
    work::STEP_TIMED_OUT,
    work::STEP_REFUSED,
    work::REFUSED_OTHERWISE,
    agent::KILLED,
    end::STEPS_SKIPPED,
    end::NOT_FINISHED,
    end::UNANSWERED_CALL,
    daemon::RUN_LEFT,
    recording::RECORDINGS_UNUSED,
    promise::CLAIMED_NOT_DONE,
    agent::EXIT_STATUS,
    expectation::TOOLS_CALLED,
    expectation::OUTPUT_CONTAINS,
    expectation::OUTPUT_MATCHES,
    promise::FILES,
    disk::FORBIDDEN_FILES,
    promise::COMMANDS,
    daemon::DAEMON_RUNS,
    daemon::DAEMON_ANSWERS,
    daemon::DAEMON_MESSAGES,
    daemon::DAEMON_CANCELLED,
    work::NOT_REFUSED,
    work::STEP_EXPECTATION,
    work::NOTHING_EXPECTED,
    work::NOT_PROVEN,
    work::ARTIFACT_MISSING,
    work::CONTROL_PASSED,
    work::CONTROL_OTHERWISE,
    work::ROUNDS_DIFFER,
    agent::TRIED_TO_LEAVE,
];

/// Judges a finished case: errors first, each with what follows from it. Without an error the case is met.
///
/// Of two weights for a code the later holds; so what the command line says comes after what the suite says.
#[must_use]
pub fn grade(evidence: &Evidence<'_>, weights: &[(String, Weight)]) -> Vec<Finding> {
    let checked = CHECKS.iter().filter_map(|check| Some((check, check.judge?(evidence))));
    let judged = refusal::refusals(evidence)
        .into_iter()
        .chain(
            checked.flat_map(|(check, found)| found.into_iter().map(|found| fold::Judged::by(check, found))),
        )
        .chain(refusal::notes(evidence.facts));
    fold::fold(judged.filter_map(|judged| judged.weighed(weights)).collect())
}

/// A finding with the weight that the suite or the command line gives its code; nothing where they want it unjudged.
pub(crate) fn weighed(finding: Finding, weights: &[(String, Weight)]) -> Option<Finding> {
    let severity = fold::weight(&finding.code, finding.severity, weights)?;
    Some(Finding { severity, ..finding })
}

/// Steps of the case's conversations that have an index, and how many of them were answered: answered first. Where a cassette plays
/// the provider, its recordings, and how many of them were served; of a daemon alone, its runs, and how many of them ended.
#[must_use]
pub fn steps(phrasing: &Phrasing, parts: &[&Phrasing], facts: &Facts, talk: Option<&Talk>) -> (u64, u64) {
    if let Some(talk) = talk.filter(|_| phrasing.is_daemons()) {
        let runs = talk.runs();
        let ended = runs.iter().filter(|(_, state)| *state != "running").count();
        return (ended as u64, runs.len() as u64);
    }
    if phrasing.cassette.is_some() {
        let played = facts.played.as_ref();
        return played.map_or((0, 0), |played| {
            let unused = played.unused.len() as u64;
            (played.recordings.saturating_sub(unused), played.recordings)
        });
    }
    let evidence =
        Evidence { phrasing, parts, pinned: false, facts, stdout: "", stderr: "", contents: &[], talk: None };
    let delivered = end::Delivered::of(&evidence);
    evidence.conversations().fold((0, 0), |(answered, all), conversation| {
        let steps = conversation.steps() as u64;
        let reached = (0..steps).filter(|step| delivered.has(conversation, *step)).count() as u64;
        (answered + reached, all + steps)
    })
}

/// Where a failing with this code lies; none for notes. What refuses requests is of the wire.
pub(crate) fn tier(code: &str) -> Option<Tier> {
    codes::tier(code)
}

#[cfg(test)]
mod tests;
