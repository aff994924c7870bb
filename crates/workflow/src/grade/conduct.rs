//! What an agent should not do with well-formed requests: go on past the end, ask without bound, repeat what is final.

use super::{Check, Evidence, Found, Tier};
use rehearsal_journal::event::{AgentExited, Kind};
use rehearsal_journal::fold::Request;
use rehearsal_journal::run::Severity;
use rehearsal_script::scenario::{Action, ApiError, Phrasing};

pub(super) const OVERRUN: Check = Check {
    code: "asked-past-the-end",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the agent asked again after the model's last answer",
    remedy: "stop when an answer holds no tool calls",
    judge: Some(overrun),
};
pub(super) const TOO_MANY_REQUESTS: Check = Check {
    code: "too-many-requests",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "more requests than `max_requests`, all attempts counted; where the file sets none, than 60, and 10 more for each step of a script with an end and each recording of a cassette",
    remedy: "bound the turns and the retries, and count those of the client library too",
    judge: Some(too_many_requests),
};
pub(super) const FINAL_ERROR_RETRIED: Check = Check {
    code: "final-error-retried",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "an equal request was sent again after an error that no retry can mend: 400, 401, 403, 404, 405, 413, 415, 422, or 429 for a quota that is used up",
    remedy: "retry 408, 409, 429, 5xx and lost connections; give up, or change the request, on anything else",
    judge: Some(final_error_retried),
};

/// Most requests where the file sets no bound. The most persistent client that was measured sends 53 in 100 s.
const REQUESTS: u64 = 60;
/// So many more for each step of a script that has an end: every one may be retried.
const REQUESTS_A_STEP: u64 = 10;

/// Most requests that the agent of a case may send, all attempts counted. A cassette that plays its provider has so many recordings.
#[must_use]
pub fn most_requests(phrasing: &Phrasing, parts: &[&Phrasing], recordings: u64) -> u64 {
    match phrasing.expect_agent.max_requests {
        Some(most) => u64::from(most),
        None => most_by_default(phrasing, parts, recordings),
    }
}

/// How many recordings the case's cassette has.
fn recordings(evidence: &Evidence<'_>) -> u64 {
    evidence.facts.played.as_ref().map_or(0, |played| played.recordings)
}

fn most_by_default(phrasing: &Phrasing, parts: &[&Phrasing], recordings: u64) -> u64 {
    if phrasing.hostile {
        return REQUESTS;
    }
    let steps = phrasing.steps() + parts.iter().map(|part| part.steps()).sum::<usize>();
    REQUESTS + REQUESTS_A_STEP * (steps as u64 + recordings)
}

/// Whether the agent has no end of its own: it must be stopped, or asks more than any case can need.
fn loops(evidence: &Evidence<'_>) -> bool {
    let stopped = |exited: &AgentExited| exited.timed_out || exited.signal.is_some();
    let asked = evidence.facts.asked().count() as u64;
    evidence.facts.exited.as_ref().is_some_and(stopped)
        || asked > most_by_default(evidence.phrasing, evidence.parts, recordings(evidence))
}

fn too_many_requests(evidence: &Evidence<'_>) -> Vec<Found> {
    let asked = evidence.facts.asked().count() as u64;
    let most = most_requests(evidence.phrasing, evidence.parts, recordings(evidence));
    if asked <= most {
        return Vec::new();
    }
    let last = evidence.facts.asked().last().map(|request| request.exchange);
    let message = format!("the agent sent {asked} requests, all attempts counted; {most} is the most it may");
    let within = |others: usize| asked.saturating_sub(others as u64) <= most;
    let cause = if within(final_retries(evidence).len()) {
        Some(FINAL_ERROR_RETRIED.code)
    } else if !loops(evidence) && within(past_the_end(evidence).len()) {
        Some(OVERRUN.code)
    } else {
        None
    };
    vec![Found { cause, ..Found::at(message, last) }]
}

/// Requests after the last answer of a script that has one.
fn past_the_end<'e>(evidence: &Evidence<'e>) -> Vec<&'e Request> {
    let past = |request: &&Request| request.kind == Kind::Overrun && !evidence.conversation(request).hostile;
    evidence.facts.requests.iter().filter(past).collect()
}

fn overrun(evidence: &Evidence<'_>) -> Vec<Found> {
    let past = past_the_end(evidence);
    let Some(first) = past.first() else { return Vec::new() };
    let more = if past.len() > 1 { format!(", and {} times more", past.len() - 1) } else { String::new() };
    let conversation = evidence.named(evidence.conversation(first));
    let message = format!(
        "{conversation}the agent asked again after the model had finished{more}; an answer without tool calls is the last"
    );
    let cause = loops(evidence).then_some(TOO_MANY_REQUESTS.code);
    vec![Found { cause, ..Found::at(message, past.iter().map(|request| request.exchange)) }]
}

/// Statuses that say the request itself is wrong, so that an equal one gets an equal answer (RFC 9110; the official client
/// libraries retry none of them).
const FINAL: [u16; 8] = [400, 401, 403, 404, 405, 413, 415, 422];

/// Requests that were sent again unchanged after a final error: the answered one, the further attempt, the error in words.
fn final_retries<'e>(evidence: &Evidence<'e>) -> Vec<(&'e Request, &'e Request, String)> {
    let requests = &evidence.facts.requests;
    let mut retried = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let Some(first) = request.attempt_of else { continue };
        let equal = |other: &&Request| other.exchange == first || other.attempt_of == Some(first);
        if let Some(before) = requests[..at].iter().rfind(equal)
            && let Some(error) = final_error(evidence, before)
        {
            retried.push((before, request, error));
        }
    }
    retried
}

fn final_error_retried(evidence: &Evidence<'_>) -> Vec<Found> {
    let retried = final_retries(evidence);
    let Some((before, again, error)) = retried.first() else { return Vec::new() };
    let times = match retried.len() {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let message = format!(
        "request {} was answered with {error}, which is final, and was sent again unchanged {times}, first as request {}; an \
         equal request gets an equal answer",
        before.exchange, again.exchange
    );
    let first = std::iter::once(before.exchange);
    vec![Found::at(message, first.chain(retried.iter().map(|(_, again, _)| again.exchange)))]
}

/// The final error that a request was answered with, in words.
fn final_error(evidence: &Evidence<'_>, request: &Request) -> Option<String> {
    if let Some(reject) = &request.reject {
        let status = request.http_status.unwrap_or(400);
        return FINAL.contains(&status).then(|| format!("the refusal {status} ({})", reject.rule));
    }
    if let Some(fault) = &request.fault {
        let status = request.http_status?;
        return FINAL.contains(&status).then(|| format!("the error {status} of {fault}"));
    }
    let status = request.api_error?;
    let scripted = scripted_errors(evidence.conversation(request), request.step?, status);
    let asks_for_it = |error: &ApiError| {
        let header = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("x-should-retry") && value.trim().eq_ignore_ascii_case("true")
        };
        error.headers.iter().any(header)
    };
    if scripted.iter().any(|error| asks_for_it(error)) {
        return None;
    }
    if FINAL.contains(&status) {
        return Some(format!("the error {status}"));
    }
    let used_up = |error: &&ApiError| {
        [&error.code, &error.kind].into_iter().any(|word| word.as_deref() == Some("insufficient_quota"))
    };
    // Where one step has several errors of this status, the journal does not say which it was.
    let quota = status == 429 && !scripted.is_empty() && scripted.iter().all(used_up);
    quota.then(|| "the error 429 insufficient_quota".to_owned())
}

/// The errors of this status that a script holds at a step, those that stand before it included.
fn scripted_errors(phrasing: &Phrasing, step: u64, status: u16) -> Vec<&ApiError> {
    let at = usize::try_from(step).unwrap_or(usize::MAX).min(phrasing.script.len().saturating_sub(1));
    let Some(step) = phrasing.script.get(at) else { return Vec::new() };
    let actions = step.before.iter().map(|trouble| &trouble.action).chain([&step.action]);
    actions
        .filter_map(|action| match action {
            Action::Error(error) if error.status == status => Some(error),
            Action::Error(_) | Action::Say(_) | Action::Fault { .. } | Action::End => None,
        })
        .collect()
}
