//! The findings of workflow cases. What finds them stands in `work/judge.rs`: it folds steps, not a journal of requests.

use super::{Check, Tier};
use rehearsal_journal::run::Severity;

const fn row(code: &'static str, tier: Tier, meaning: &'static str, remedy: &'static str) -> Check {
    Check { code, severity: Severity::Error, tier, follows: &[], meaning, remedy, judge: None }
}

pub(crate) const STEP_FAILED: Check = row(
    "step-failed",
    Tier::World,
    "a step of a workflow could not do its work: a disk, a program or our own code failed",
    "the message says what failed; the case is broken, not failed",
);
pub(crate) const STEP_TIMED_OUT: Check = row(
    "step-timed-out",
    Tier::End,
    "a step of a workflow, or all of them together, took longer than allowed and was ended with all its processes",
    "look for what it waits for, or give it more time: `time_limit` of the step, of the case, or `--time-limit`",
);
pub(crate) const STEP_REFUSED: Check = row(
    "step-refused",
    Tier::End,
    "a step refused although the case declares no refusal",
    "what to do stands in brackets; where the refusal is right, declare it: `refusal: {step: ID, code: CODE}` and the outcome `failure` or `permission_denied`",
);
pub(crate) const REFUSED_OTHERWISE: Check = row(
    "refused-otherwise",
    Tier::End,
    "a step refused, but not the step or not with the code that the case declares",
    "a boundary that refuses for another reason than meant may not stand where it should: compare step and code",
);
pub(crate) const NOT_REFUSED: Check = row(
    "not-refused",
    Tier::Outcome,
    "nothing refused although the case declares that a step must",
    "what should be forbidden was done: mend the boundary, or the case",
);
pub(crate) const STEP_EXPECTATION: Check = row(
    "step-expectation",
    Tier::Outcome,
    "what a step observed is not what the workflow expects",
    "the message has both values; the steps of the case in run.json hold all that was observed",
);
pub(crate) const NOTHING_EXPECTED: Check = row(
    "nothing-expected",
    Tier::Outcome,
    "the case must refuse, and expects nothing of the refusal, so that any would do",
    "give it an `expect`, such as one on `error_type`",
);
pub(crate) const NOT_PROVEN: Check = row(
    "not-proven",
    Tier::Outcome,
    "no step saw what the outcome declares: an interrupt that was acknowledged, a fault and what came after it, a verified edge or seal",
    "words do not count: use a step that vouches for it, such as `assert_lineage` for provenance",
);
pub(crate) const ARTIFACT_MISSING: Check = row(
    "artifact-missing",
    Tier::Outcome,
    "an artifact that the workflow declares is not in the store, or its bytes are not those that were stored",
    "save it in a step, or take it off `artifacts`",
);
pub(crate) const CONTROL_PASSED: Check = row(
    "control-passed",
    Tier::Outcome,
    "a control ended as declared: what it shows is that the workflow would pass without the work",
    "make the expectations of the workflow stricter, until its control fails",
);
pub(crate) const CONTROL_OTHERWISE: Check = row(
    "control-otherwise",
    Tier::Outcome,
    "a control failed, but not for the reason that it names with `because`, or because its file is wrong: it shows nothing",
    "mend the steps of the control until it fails for the reason meant; what it failed with stands beside",
);
pub(crate) const ROUNDS_DIFFER: Check = Check {
    severity: Severity::Warning,
    ..row(
        "rounds-differ",
        Tier::Outcome,
        "a repeated workflow case did not give the same normalised result as its first round",
        "compare the `steps` of both rounds in run.json; what a program prints of times or random numbers belongs into no fact",
    )
};
