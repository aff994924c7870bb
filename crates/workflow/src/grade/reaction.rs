//! How the agent took trouble: whether it waited, and what it made of an answer that broke off.

use super::{Check, Evidence, Found, Tier};
use rehearsal_journal::fold::Request;
use rehearsal_journal::run::Severity;
use rehearsal_wire::fault::{Arrives, fault};
use std::collections::BTreeMap;

pub(super) const PARTIAL_TURN_KEPT: Check = Check {
    code: "partial-turn-kept",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "an answer that broke off or was an error came back in the history as a finished turn of the model",
    remedy: "a stream is whole only with its finish reason or its last event; throw away what came before and ask again, or give up",
    judge: Some(partial_turn_kept),
};
pub(super) const RETRIED_TOO_SOON: Check = Check {
    code: "retried-too-soon",
    severity: Severity::Warning,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a request was sent again before the time was over that the answer asked to wait (Retry-After, retry-after-ms)",
    remedy: "wait at least as long as Retry-After says, up to a bound of your own; give up where it asks for more",
    judge: Some(retried_too_soon),
};
pub(super) const RETRIED_WITHOUT_PAUSE: Check = Check {
    code: "retried-without-pause",
    severity: Severity::Warning,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a request was sent again and again without a pause between the attempts",
    remedy: "wait between attempts, each time longer and not always the same; a provider in trouble stays there when all ask at once",
    judge: Some(retried_without_pause),
};

/// Clocks and schedulers are allowed so much.
const SLACK_US: u64 = 50_000;
/// An attempt that follows the failure before it sooner than this was not delayed.
const PAUSE_US: u64 = 10_000;
/// So many undelayed attempts in a row are no accident.
const UNDELAYED: usize = 3;

/// Whether no turn of the model reached the client.
fn failed(request: &Request) -> bool {
    request.api_error.is_some() || request.reject.is_some() || met(request, Arrives::Not)
}

/// Whether the calls of its answer reached the client under other ids than the script gives them.
pub(crate) fn renamed(request: &Request) -> bool {
    met(request, Arrives::Otherwise)
}

/// Whether its answer had a fault of this kind.
fn met(request: &Request, arrives: Arrives) -> bool {
    let is_one = |name: &str| fault(name).is_some_and(|row| row.arrives == arrives);
    request.fault.as_deref().is_some_and(|names| names.split('+').any(is_one))
}

/// Whether it failed in a way in which another attempt is right at all.
fn failed_for_now(request: &Request) -> bool {
    let status = request.api_error.or(request.http_status.filter(|status| *status >= 400));
    failed(request) && status.is_none_or(|status| matches!(status, 408 | 409 | 429 | 500..))
}

/// Scripted requests, each with the next one of the same key, where there is one.
fn followed<'e, K: Ord>(
    evidence: &Evidence<'e>,
    key: impl Fn(&'e Request) -> K,
) -> Vec<(&'e Request, &'e Request)> {
    let all: Vec<&Request> = evidence.facts.scripted().collect();
    // From the end, so that the next one is known.
    let (mut next, mut pairs) = (BTreeMap::new(), Vec::new());
    for request in all.into_iter().rev() {
        pairs.extend(next.insert(key(request), request).map(|after| (request, after)));
    }
    pairs.reverse();
    pairs
}

/// Requests with the attempt that follows each.
fn attempts<'e>(evidence: &Evidence<'e>) -> impl Iterator<Item = (&'e Request, &'e Request)> {
    let of_step = followed(evidence, |request| (&evidence.conversation(request).id, request.step));
    of_step.into_iter().filter(|(_, after)| after.attempt_of.is_some())
}

fn retried_too_soon(evidence: &Evidence<'_>) -> Vec<Found> {
    let early = |(request, again): (&Request, &Request)| {
        let asked_ms = request.retry_after_ms?;
        // A client that was gone before it could read the answer did not disobey it.
        let waited_us = again.asked_us.saturating_sub(request.left_us?);
        (waited_us + SLACK_US < asked_ms.saturating_mul(1000)).then(|| {
            let message = format!(
                "request {} was sent again after {} ms; the answer asked for {asked_ms} ms",
                request.exchange,
                waited_us / 1000
            );
            Found::at(message, [request.exchange, again.exchange])
        })
    };
    attempts(evidence).filter_map(early).take(1).collect()
}

fn retried_without_pause(evidence: &Evidence<'_>) -> Vec<Found> {
    let mut row: Vec<u64> = Vec::new();
    for (request, again) in attempts(evidence) {
        let waited_us = again.asked_us.saturating_sub(request.left_us.unwrap_or(again.asked_us));
        // An answer may name no time at all on purpose, and a client that waited for a silent one has paused already.
        if failed_for_now(request)
            && request.left_us.is_some()
            && waited_us < PAUSE_US
            && request.retry_after_ms != Some(0)
        {
            row.push(again.exchange);
        } else {
            row.clear();
        }
        if row.len() >= UNDELAYED {
            let message = format!("{} attempts in a row came without a pause after a failure", row.len());
            return vec![Found::at(message, row)];
        }
    }
    Vec::new()
}

fn partial_turn_kept(evidence: &Evidence<'_>) -> Vec<Found> {
    // Nobody says which conversation a recorded request belongs to: another one's may come next.
    if evidence.phrasing.cassette.is_some() {
        return Vec::new();
    }
    let kept = |(request, next): (&Request, &Request)| {
        (failed(request) && request.reject.is_none() && next.n_assistant > request.n_assistant).then(|| {
            let what = match (&request.fault, request.api_error) {
                (Some(fault), _) => fault.clone(),
                (None, Some(status)) => format!("the error {status}"),
                (None, None) => "an answer that never came".to_owned(),
            };
            let message = format!(
                "request {} holds {} of the model's turns, one more than request {}, which got {what} and no turn",
                next.exchange, next.n_assistant, request.exchange
            );
            Found::at(message, [request.exchange, next.exchange])
        })
    };
    followed(evidence, |request| &evidence.conversation(request).id)
        .into_iter()
        .filter_map(kept)
        .take(1)
        .collect()
}
