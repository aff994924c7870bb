//! A run under faults: how an agent took one.

use crate::grade::{self, Tier};
use rehearsal_journal::fold::Facts;
use rehearsal_journal::run::{Finding, Outcome, Severity};
use rehearsal_script::drill::Drill;
use rehearsal_script::scenario::Phrasing;

/// Codes that elsewhere are warnings: how an agent takes trouble is what a drill is about.
const REACTIONS: [&str; 2] = ["retried-too-soon", "retried-without-pause"];

/// How the agent took it. What it may leave undone under these faults weighs no more than a note afterwards.
pub(crate) fn judge(drill: &Drill, phrasing: &Phrasing, facts: &Facts, findings: &mut [Finding]) -> Outcome {
    if phrasing.cassette.is_some() {
        // A recording is what it is: no fault lies over it.
        return Outcome::NotMet;
    }
    for finding in findings.iter_mut().filter(|finding| REACTIONS.contains(&&*finding.code)) {
        finding.severity = Severity::Error;
    }
    let is_error = |finding: &&Finding| finding.severity == Severity::Error;
    if findings.iter().filter(is_error).any(|finding| finding.code == grade::TIME_LIMIT.code) {
        return Outcome::Hung;
    }
    let met = facts.requests.iter().any(|request| request.fault.is_some());
    if findings.iter().filter(is_error).count() == 0 {
        return if met { Outcome::Passed } else { Outcome::NotMet };
    }
    // Words that were changed for a dialect which cannot show the fault are no failing of the agent.
    let misled = !met && drill.changes_the_work();
    let failed = facts.exited.as_ref().is_some_and(|exited| exited.status.is_some_and(|status| status != 0));
    let gave_up = failed && drill.rows.iter().all(|row| row.may_give_up);
    for finding in findings.iter_mut().filter(|finding| finding.severity == Severity::Error) {
        let tolerated = match grade::tier(&finding.code) {
            Some(Tier::End) => gave_up || misled,
            Some(Tier::Outcome) => gave_up || drill.changes_the_work(),
            Some(Tier::World | Tier::Wire | Tier::Conduct) | None => false,
        };
        if tolerated {
            finding.severity = Severity::Note;
        }
    }
    match findings.iter().filter(is_error).count() {
        0 if misled => Outcome::NotMet,
        0 => Outcome::Survived,
        _ => Outcome::Wrong,
    }
}
