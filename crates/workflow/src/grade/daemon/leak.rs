//! What must not stand in what an agent prints: the secret of the daemon, and the text of live messages.

use super::super::{Check, Evidence, Found, Tier};
use super::{many, talk_of};
use rehearsal_journal::run::Severity;
use rehearsal_wire::json::quoted;

pub(in super::super) const TOKEN_IN_OUTPUT: Check = Check {
    code: "token-in-output",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the daemon's token stands in what the agent printed",
    remedy: "print neither headers nor the content of the token file; mask what is logged of a request",
    judge: Some(token),
};
pub(in super::super) const MESSAGE_IN_OUTPUT: Check = Check {
    code: "message-in-output",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the text of a live message stands in what the agent printed",
    remedy: "log the digest and the size of a message, never its text",
    judge: Some(message),
};

/// Shorter texts stand in other words by chance.
const LEAST: usize = 8;

/// Where a text stands.
fn place(evidence: &Evidence<'_>, text: &str) -> Option<&'static str> {
    match (evidence.stdout.contains(text), evidence.stderr.contains(text)) {
        (true, _) => Some("standard output"),
        (false, true) => Some("standard error"),
        (false, false) => None,
    }
}

fn token(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence).filter(|talk| !talk.token.is_empty()) else { return Vec::new() };
    let found =
        place(evidence, &talk.token).map(|place| Found::new(format!("the daemon's token stands in {place}")));
    found.into_iter().collect()
}

fn message(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let wanted = &evidence.phrasing.expect_agent.output_contains;
    let stands = |text: &str| {
        let text = text.trim();
        let is_wanted = wanted.iter().any(|wanted| wanted.contains(text));
        if text.chars().count() < LEAST || is_wanted {
            return None;
        }
        place(evidence, text).or_else(|| place(evidence, quoted(text).trim_matches('"')))
    };
    let found = |call: &&super::Call| call.text("text").is_some_and(|text| stands(&text).is_some());
    many(talk.of_operation("run.message").filter(found), |call| {
        let place = call.text("text").and_then(|text| stands(&text)).unwrap_or_default();
        format!("the text of the message in request {} stands in {place}", call.exchange)
    })
}
