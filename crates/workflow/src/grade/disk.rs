//! Files of the workspace before and after.

use super::{Check, Evidence, Found, Tier};
use rehearsal_journal::fold::{Change, changes};
use rehearsal_journal::run::Severity;
use rehearsal_script::paths;

pub(super) const FORBIDDEN_FILES: Check = Check {
    code: "forbidden-files",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &[],
    meaning: "the agent made, changed or deleted a file that `forbidden_files` names",
    remedy: "an agent must touch only what it was asked to; compare the case's workspace folder, which is kept",
    judge: Some(forbidden_files),
};

/// What the agent did to the files of its workspace; nothing where they were not looked at before and after.
pub(super) fn changed<'e>(evidence: &Evidence<'e>) -> Vec<(&'e str, Change)> {
    match (&evidence.facts.workspace_before, &evidence.facts.workspace) {
        (Some(before), Some(after)) => changes(before, after),
        (None, _) | (_, None) => Vec::new(),
    }
}

/// Files that are told by name.
const TOLD: usize = 5;

fn forbidden_files(evidence: &Evidence<'_>) -> Vec<Found> {
    let patterns = &evidence.phrasing.expect_agent.forbidden_files;
    let touched: Vec<_> = changed(evidence)
        .into_iter()
        .filter_map(|(path, change)| {
            let pattern = patterns.iter().find(|pattern| paths::matches(pattern, path))?;
            Some(format!("{} {path} ({pattern:?})", change.word()))
        })
        .collect();
    if touched.is_empty() {
        return Vec::new();
    }
    let more = match touched.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let told = touched[..touched.len().min(TOLD)].join(", ");
    vec![Found::new(format!("the agent {told}{more}; it must leave these files alone"))]
}
