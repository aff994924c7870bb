//! How a client starts runs, and whether it reads the code of a refusal.

use super::super::{Check, Evidence, Found, Tier};
use super::{Call, Talk, talk_of};
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::run::Severity;

pub(in super::super) const START_UNDER_ANOTHER_KEY: Check = Check {
    code: "start-under-another-key",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a start whose answer was lost was sent again under another key, so that there are two runs",
    remedy: "keep key and body until the answer is there, and repeat both: the daemon gives the first answer again",
    judge: Some(under_another_key),
};
pub(in super::super) const REFUSAL_UNREAD: Check = Check {
    code: "refusal-unread",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the client went on after a refusal as if it had been none: it asked for the run of a refused start, or sent the same again",
    remedy: "read the problem's `code` before anything else: a 4xx is final, nothing was started, and only a changed request can fare better",
    judge: Some(refusal_unread),
};

fn under_another_key(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let again = |call: &Call| {
        let twin = |before: &&Call| same_start(before, call) && before.decided.key != call.decided.key;
        // The newest one counts: a repetition under the first key may have found the answer, also one that comes later, where two
        // equal runs are wanted.
        let first = talk.before(call).iter().rfind(twin)?;
        // A refusal that came, of whatever status, began nothing that could be there twice.
        let lost = !first.arrived();
        let found = |other: &Call| other.decided.key == first.decided.key && other.arrived();
        let recovered = talk.requests().any(|call| same_start(call, first) && found(call));
        (lost && !recovered).then(|| {
            let message = format!(
                "the answer to the start in request {} was lost, and request {} starts the same under another key",
                first.exchange, call.exchange
            );
            Found::at(message, [first.exchange, call.exchange])
        })
    };
    talk.of_operation("run.start").filter_map(again).take(1).collect()
}

/// Whether two requests start the same.
fn same_start(one: &Call, other: &Call) -> bool {
    let starts = |call: &Call| call.decided.operation == "run.start" && call.decided.digest.is_some();
    starts(one) && starts(other) && one.decided.digest == other.decided.digest
}

fn refusal_unread(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let of_nothing = talk
        .requests()
        .find(|call| call.decided.code.as_deref() == Some("run_not_found") && follows_a_refusal(talk, call));
    if let Some(call) = of_nothing
        && let Some((refused, code)) = refused_start(talk.before(call))
    {
        let message = format!(
            "the start in request {} was refused ({code}), and then came {} for a run that there is not",
            refused.exchange, call.route
        );
        return vec![Found::at(message, [refused.exchange, call.exchange])];
    }
    talk.of_operation("run.start").find_map(|call| repeated(talk, call)).into_iter().collect()
}

/// A start that was sent again after a final refusal, with nothing done about it in between.
fn repeated(talk: &Talk, call: &Call) -> Option<Found> {
    let before = talk.before(call);
    let at = before.iter().rposition(|first| same_start(first, call) && first.refused().is_some())?;
    let mended = before[at..].iter().any(|call| {
        let mends = ["project.register", "trust.write", "clock.control"];
        mends.contains(&call.decided.operation.as_str()) && call.decided.status == 200
    });
    let first = &before[at];
    // What the disk refused may be mended on the disk, of which no request tells. Under the same key it stays refused.
    let by_disk = first.facts.iter().any(|fact| matches!(fact, Fact::WriteRefused { .. }));
    if by_disk && first.decided.key != call.decided.key {
        return None;
    }
    let code = first.refused().filter(|code| *code != "idempotency_conflict" && !mended)?;
    let message = format!(
        "the start in request {} was refused ({code}), which is final, and was sent again as request {}",
        first.exchange, call.exchange
    );
    Some(Found::at(message, [first.exchange, call.exchange]))
}

/// The last start that was refused, and its code.
fn refused_start(calls: &[Call]) -> Option<(&Call, &str)> {
    let starts = calls.iter().rev().filter(|call| call.decided.operation == "run.start");
    starts.into_iter().find_map(|call| Some((call, call.refused()?)))
}

/// Whether a request for a run that there is not comes after a start that was refused.
pub(super) fn follows_a_refusal(talk: &Talk, call: &Call) -> bool {
    refused_start(talk.before(call)).is_some()
}
