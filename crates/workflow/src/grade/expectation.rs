//! What `expect_agent` declares of the tools in order and of standard output.

use super::{Check, Evidence, Found, Tier, quote};
use regex_lite::Regex;
use rehearsal_journal::run::Severity;

pub(super) const TOOLS_CALLED: Check = Check {
    code: "tools-called",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &[],
    meaning: "the answered tools are not those of `tools_called`, in that order",
    remedy: "what counts are tool results that reached the provider, not what the agent says it did",
    judge: Some(tools_called),
};
pub(super) const OUTPUT_CONTAINS: Check = Check {
    code: "output-contains",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "standard output lacks a text of `output_contains`",
    remedy: "print the model's last answer to standard output; see stdout.txt of the case",
    judge: Some(output_contains),
};
pub(super) const OUTPUT_MATCHES: Check = Check {
    code: "output-matches",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "standard output does not match a pattern of `output_matches`",
    remedy: "as for output-contains",
    judge: Some(output_matches),
};
fn tools_called(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(wanted) = &evidence.phrasing.expect_agent.tools_called else { return Vec::new() };
    let answered = evidence.facts.tools_answered();
    if answered.iter().eq(wanted.iter()) {
        return Vec::new();
    }
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let wanted = wanted.iter().map(String::as_str).collect();
    vec![Found::new(format!("tools answered in this order: {}; expected: {}", list(answered), list(wanted)))]
}

fn output_contains(evidence: &Evidence<'_>) -> Vec<Found> {
    let wanted = &evidence.phrasing.expect_agent.output_contains;
    wanted
        .iter()
        .filter(|text| !evidence.stdout.contains(text.as_str()))
        .map(|text| {
            Found::new(format!(
                "standard output does not contain {}; it is {}",
                quote(text),
                quote(evidence.stdout)
            ))
        })
        .collect()
}

fn output_matches(evidence: &Evidence<'_>) -> Vec<Found> {
    let wanted = &evidence.phrasing.expect_agent.output_matches;
    wanted
        .iter()
        // The reader of the file has compiled each of them once already.
        .filter(|pattern| !Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(evidence.stdout)))
        .map(|pattern| {
            Found::new(format!(
                "standard output does not match {pattern:?}; it is {}",
                quote(evidence.stdout)
            ))
        })
        .collect()
}
