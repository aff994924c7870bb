//! Recordings that played the provider: what of them was never asked for. What was asked for and never recorded is a refusal.

use super::{Check, Evidence, Found, Tier};
use rehearsal_journal::run::Severity;

pub(super) const RECORDINGS_UNUSED: Check = Check {
    code: "recordings-unused",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["never-asked", "time-limit", "agent-killed"],
    meaning: "recordings of the case's cassette were never asked for: the agent does less than it did when they were made",
    remedy: "look where the agent ended early; record anew where it is right, pick the recordings of one case by `case`, or set `allow_unused: true`",
    judge: Some(recordings_unused),
};

/// Recordings that are told by name.
const TOLD: usize = 8;

fn recordings_unused(evidence: &Evidence<'_>) -> Vec<Found> {
    let (Some(cassette), Some(played)) = (&evidence.phrasing.cassette, &evidence.facts.played) else {
        return Vec::new();
    };
    // Who is expected to give up need not come to the end.
    if cassette.allow_unused || evidence.phrasing.hostile || played.unused.is_empty() {
        return Vec::new();
    }
    let told = played.unused.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match played.unused.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "{} of {} recordings were never asked for: {told}{more}",
        played.unused.len(),
        played.recordings
    );
    vec![Found::at(message, evidence.facts.asked().last().map(|request| request.exchange))]
}
