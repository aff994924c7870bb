//! How the agent's process fared, and whether it looked for a way out.

use super::{Check, Evidence, Found, Tier};
use rehearsal_journal::run::Severity;
use std::collections::BTreeMap;

pub(crate) const TIME_LIMIT: Check = Check {
    code: "time-limit",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["side-calls-only", "never-asked"],
    meaning: "the agent had not ended when its time was over, and was killed with all its processes",
    remedy: "give the agent timeouts and a cap on turns; where it only needs longer, raise `time_limit` or `--time-limit`",
    judge: Some(time_limit),
};
pub(super) const KILLED: Check = Check {
    code: "agent-killed",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["side-calls-only", "never-asked"],
    meaning: "a signal ended the agent",
    remedy: "it crashed or was killed: see stderr.txt of the case",
    judge: Some(killed),
};
pub(super) const EXIT_STATUS: Check = Check {
    code: "exit-status",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &[],
    meaning: "the agent ended with another status than was expected; 0 where the file says nothing",
    remedy: "see stderr.txt of the case; an agent that fails must not say 0, one that succeeds must",
    judge: Some(exit_status),
};
pub(super) const TRIED_TO_LEAVE: Check = Check {
    code: "tried-to-leave",
    severity: Severity::Warning,
    tier: Tier::Outcome,
    follows: &[],
    meaning: "the agent, or a program that it started, asked the proxy for a way out of this machine; it got none",
    remedy: "turn off telemetry, update checks and downloads in the agent's settings; `findings: {tried-to-leave: error}` makes it fail",
    judge: Some(tried_to_leave),
};

fn time_limit(evidence: &Evidence<'_>) -> Vec<Found> {
    let (Some(started), Some(exited)) = (&evidence.facts.started, &evidence.facts.exited) else {
        return Vec::new();
    };
    if !exited.timed_out {
        return Vec::new();
    }
    let limit = match started.time_limit_ms {
        short @ ..1000 => format!("{short} ms"),
        long => format!("{} s", long / 1000),
    };
    let message = if evidence.phrasing.hostile {
        format!(
            "the agent had not given up when its time limit of {limit} was over; it should have: this case never ends well"
        )
    } else {
        format!("the agent had not ended when its time limit of {limit} was over")
    };
    vec![Found::at(message, evidence.facts.asked().last().map(|request| request.exchange))]
}

fn killed(evidence: &Evidence<'_>) -> Vec<Found> {
    match &evidence.facts.exited {
        Some(exited) if !exited.timed_out => match exited.signal {
            Some(signal) => vec![Found::new(format!("the agent was ended by signal {signal}"))],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn exit_status(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(status) = evidence.facts.exited.as_ref().and_then(|exited| exited.status) else {
        return Vec::new();
    };
    // An agent that gives up may say so with any status; one that succeeds says 0.
    let wanted = match evidence.phrasing.expect_agent.exit {
        Some(wanted) => wanted,
        None if evidence.phrasing.hostile => return Vec::new(),
        None => 0,
    };
    if status == wanted {
        return Vec::new();
    }
    // Where nothing arrived, that finding has told them.
    let last =
        if evidence.facts.asked().next().is_none() { String::new() } else { last_words(evidence.stderr) };
    vec![Found::new(format!("the agent ended with status {status}; {wanted} was expected{last}"))]
}

/// The last line that an agent wrote to standard error: mostly the reason why it ended.
pub(super) fn last_words(stderr: &str) -> String {
    match stderr.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!("; its last words: {}", super::quote_end(line)),
        None => String::new(),
    }
}

/// Targets that are told by name.
const TOLD: usize = 8;

fn tried_to_leave(evidence: &Evidence<'_>) -> Vec<Found> {
    let mut targets: Vec<(&str, usize)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for tried in &evidence.facts.escapes {
        let place = *places.entry(&tried.target).or_insert(targets.len());
        match targets.get_mut(place) {
            Some((_, times)) => *times += 1,
            None => targets.push((&tried.target, 1)),
        }
    }
    if targets.is_empty() {
        return Vec::new();
    }
    let told = targets.iter().take(TOLD).map(|(target, times)| match times {
        1 => (*target).to_owned(),
        times => format!("{target} ({times} times)"),
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let more = match targets.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    vec![Found::new(format!("tried to reach {told}{more}; nothing left this machine"))]
}
