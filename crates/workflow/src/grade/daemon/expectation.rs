//! What `expect_daemon` declares, against what the daemon took down.

use super::super::{Check, Evidence, Found, Tier};
use super::{Talk, talk_of};
use rehearsal_journal::daemon::{Closed, Fact};
use rehearsal_journal::run::Severity;
use rehearsal_script::daemon::{ExpectDaemon, ExpectRuns};

pub(in super::super) const DAEMON_RUNS: Check = Check {
    code: "daemon-runs",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "the runs that were started, or the states in which they ended, are not those of `expect_daemon.runs`",
    remedy: "what counts is what the daemon took down: a start that is repeated under its key is one run",
    judge: Some(runs),
};
pub(in super::super) const DAEMON_ANSWERS: Check = Check {
    code: "daemon-answers",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "another number of questions was answered than `expect_daemon.answers` says",
    remedy: "an answer counts once the daemon delivered it",
    judge: Some(answers),
};
pub(in super::super) const DAEMON_MESSAGES: Check = Check {
    code: "daemon-messages",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "another number of live messages was accepted than `expect_daemon.messages` says",
    remedy: "a message counts where its outcome is `accepted` or `delivered`, once for each id",
    judge: Some(messages),
};
pub(in super::super) const DAEMON_CANCELLED: Check = Check {
    code: "daemon-cancelled",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "another number of runs was cancelled than `expect_daemon.cancelled` says",
    remedy: "a run counts where it ended as `cancelled`: a cancel after its end changes nothing",
    judge: Some(cancelled),
};

fn runs(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((talk, wanted)) = talk_of(evidence).zip(evidence.phrasing.expect_daemon.runs.as_ref()) else {
        return Vec::new();
    };
    let states: Vec<&str> = talk.runs().into_iter().map(|(_, state)| state).collect();
    let list = |states: &[&str]| if states.is_empty() { "none".to_owned() } else { states.join(", ") };
    let found = match wanted {
        ExpectRuns::Count(count) => (states.len() as u64 != *count)
            .then(|| format!("{} runs were started, expected: {count}", states.len())),
        ExpectRuns::States(wanted) => {
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            (states != wanted)
                .then(|| format!("the runs ended as: {}; expected: {}", list(&states), list(&wanted)))
        }
    };
    found.map(Found::new).into_iter().collect()
}

/// A number that differs from what was declared.
fn counted(
    evidence: &Evidence<'_>,
    wanted: fn(&ExpectDaemon) -> Option<u64>,
    what: &str,
    count: impl Fn(&Talk) -> usize,
) -> Vec<Found> {
    let Some((talk, wanted)) = talk_of(evidence).zip(wanted(&evidence.phrasing.expect_daemon)) else {
        return Vec::new();
    };
    let count = count(talk) as u64;
    let message = format!("{what}: {count}; expected: {wanted}");
    (count != wanted).then(|| Found::new(message)).into_iter().collect()
}

fn facts(talk: &Talk, such: impl Fn(&Fact) -> bool) -> usize {
    talk.facts().filter(|(_, fact)| such(fact)).count()
}

fn answers(evidence: &Evidence<'_>) -> Vec<Found> {
    counted(
        evidence,
        |expect| expect.answers,
        "questions that were answered",
        |talk| facts(talk, |fact| matches!(fact, Fact::QuestionClosed { how: Closed::Answered, .. })),
    )
}

fn messages(evidence: &Evidence<'_>) -> Vec<Found> {
    counted(
        evidence,
        |expect| expect.messages,
        "live messages that were accepted",
        |talk| {
            let accepted = |outcome: &str| matches!(outcome, "accepted" | "delivered");
            facts(talk, |fact| matches!(fact, Fact::MessageTaken { outcome, .. } if accepted(outcome)))
        },
    )
}

fn cancelled(evidence: &Evidence<'_>) -> Vec<Found> {
    counted(
        evidence,
        |expect| expect.cancelled,
        "runs that were cancelled",
        |talk| facts(talk, |fact| matches!(fact, Fact::RunEnded { state, .. } if state == "cancelled")),
    )
}
