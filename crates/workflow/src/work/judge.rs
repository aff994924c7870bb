//! From steps to a verdict: a pure fold over what a workflow case's steps came to, by the rules of the form that it was written in.
//!
//! Nothing here asks what a program said of itself: outcomes rest on refusals with codes, on expectations and on proofs.

use super::expect::Unmet;
use super::hush::Hush;
use super::{loose, mistake as found};
use crate::grade::weighed;
use crate::grade::work::{
    ARTIFACT_MISSING, CONTROL_OTHERWISE, CONTROL_PASSED, NOT_PROVEN, NOT_REFUSED, NOTHING_EXPECTED,
    REFUSED_OTHERWISE, STEP_EXPECTATION, STEP_FAILED, STEP_REFUSED, STEP_TIMED_OUT,
};
use rehearsal_journal::run::{Finding, Severity, Verdict};
use rehearsal_journal::work::{StepEnd, StepResult};
use rehearsal_lab::{Code, Proof};
use rehearsal_script::scenario::Weight;
use rehearsal_script::workflow::{Control, Form, Outcome, WorkflowCase};
use serde_json::{Map, Value};

/// What a step that began came to.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// What the run file says of it.
    pub(super) result: StepResult,
    /// What it observed, with what the run file masks and cuts.
    pub(super) observed: Map<String, Value>,
    /// The code of its refusal.
    pub(super) code: Option<Code>,
    /// What it vouches for.
    pub(super) proofs: Vec<Proof>,
    /// What it observed otherwise than expected, one sentence each.
    pub(super) unmet: Vec<Unmet>,
    /// What an agent that it ran did wrong.
    pub(super) findings: Vec<Finding>,
}

impl Seen {
    /// Whether the case goes on after it.
    pub(super) fn goes_on(&self) -> bool {
        let wrong = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        self.result.end == StepEnd::Done && self.unmet.is_empty() && !wrong
    }
}

/// A declared artifact that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missing {
    /// Its name.
    pub(super) name: String,
    /// Whether there is one, of which the bytes are not those that were stored.
    pub(super) damaged: bool,
}

/// A verdict with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) findings: Vec<Finding>,
    /// Why it is unsupported.
    pub(super) reason: Option<String>,
}

impl Judged {
    /// The same, without what the case was given as a secret.
    pub(super) fn hushed(mut self, hush: &Hush) -> Self {
        for finding in &mut self.findings {
            finding.message = hush.told(&finding.message);
        }
        self.reason = self.reason.map(|reason| hush.told(&reason));
        self
    }
}

/// Judges a case. `missing` are declared artifacts that are not there; `weights` what findings weigh.
pub(super) fn judge(
    (form, case): (Form, &WorkflowCase),
    seen: &[Seen],
    missing: &[Missing],
    weights: &[(String, Weight)],
) -> Judged {
    let last = seen.last();
    let stopped = |end: StepEnd| last.filter(|last| last.result.end == end);
    if let Some(last) = stopped(StepEnd::Unsupported) {
        return Judged {
            verdict: Verdict::Unsupported,
            findings: Vec::new(),
            reason: last.result.message.clone(),
        };
    }
    if let Some(last) = stopped(StepEnd::Failed) {
        return Judged {
            verdict: Verdict::Broken,
            findings: vec![found(&STEP_FAILED, said(last))],
            reason: None,
        };
    }
    if let Some(last) = stopped(StepEnd::TimedOut) {
        let judged = Judged {
            verdict: Verdict::TimedOut,
            findings: vec![found(&STEP_TIMED_OUT, said(last))],
            reason: None,
        };
        return controlled(case, seen, judged);
    }
    let findings = match form {
        Form::Own => own(case, seen, missing),
        Form::Reference => reference(case, seen),
    };
    let agents = seen.iter().flat_map(|seen| seen.findings.iter().cloned());
    let findings: Vec<_> =
        agents.chain(findings.into_iter().map(|found| weighed_or_noted(found, weights))).collect();
    let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
    let verdict = if failed { Verdict::Failed } else { Verdict::Passed };
    controlled(case, seen, Judged { verdict, findings, reason: None })
}

/// A finding with the weight that it is given. One that is turned off stays as a note: a case that passes by that must not look
/// like one in which nothing was found.
fn weighed_or_noted(found: Finding, weights: &[(String, Weight)]) -> Finding {
    let note = Finding { severity: Severity::Note, ..found.clone() };
    weighed(found, weights).unwrap_or(note)
}

/// A step with what it said when it ended without its work done.
fn said(seen: &Seen) -> String {
    let StepResult { step, code, message, .. } = &seen.result;
    let message = message.as_deref().unwrap_or("it gave no reason");
    match code {
        Some(code) => format!("step `{step}`: {code}: {message}"),
        None => format!("step `{step}`: {message}"),
    }
}

/// Our form: expectations at steps, one declared refusal, proofs, artifacts.
fn own(case: &WorkflowCase, seen: &[Seen], missing: &[Missing]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = seen
        .iter()
        .flat_map(|seen| {
            seen.unmet.iter().map(|unmet| format!("step `{}`: {}", seen.result.step, unmet.said))
        })
        .map(|message| found(&STEP_EXPECTATION, message))
        .collect();
    let refused = seen.last().and_then(|last| Some((seen.len() - 1, last, last.code?)));
    let whole = seen.len() == case.steps.len() && seen.last().is_some_and(Seen::goes_on);
    match (&case.refusal, refused) {
        (Some((at, code)), Some((step, _, word))) if *at == step && *code == word.word() => return findings,
        (Some((at, code)), Some((_, last, _))) => {
            let wanted = &case.steps[*at].id;
            let message = format!("{}; declared is {code} of step `{wanted}`", said(last));
            findings.push(found(&REFUSED_OTHERWISE, message));
        }
        (Some((at, code)), None) if whole => {
            let wanted = &case.steps[*at].id;
            let message = format!("step `{wanted}` did its work; declared is that it refuses with {code}");
            findings.push(found(&NOT_REFUSED, message));
        }
        (None, Some((_, last, code))) => {
            findings.push(found(&STEP_REFUSED, format!("{} ({})", said(last), code.remedy())));
        }
        // The case stopped at what was not as expected.
        (Some(_) | None, None) => {}
    }
    if whole && case.refusal.is_none() {
        if let Some(lacks) = unproven(case, seen) {
            findings.push(found(&NOT_PROVEN, lacks));
        }
        findings.extend(missing.iter().map(|missing| {
            let state =
                if missing.damaged { "has other bytes than were stored" } else { "is not in the store" };
            found(&ARTIFACT_MISSING, format!("the artifact {:?} {state}", missing.name))
        }));
    }
    findings
}

/// What the outcome asks for and nobody saw.
fn unproven(case: &WorkflowCase, seen: &[Seen]) -> Option<String> {
    let first = |proof: Proof| seen.iter().position(|seen| seen.proofs.contains(&proof));
    let lacks = match case.outcome {
        Outcome::Success | Outcome::Failure | Outcome::PermissionDenied => return None,
        Outcome::Cancelled => {
            first(Proof::InterruptAcknowledged).is_none().then_some("no step saw an interrupt acknowledged")
        }
        Outcome::Recovered => match first(Proof::FaultInjected) {
            None => Some("no step broke anything, so that nothing can have recovered"),
            Some(fault) => {
                let after = case.steps.iter().skip(fault + 1).any(|step| !step.expect.is_empty());
                (!after).then_some("nothing is expected of any step after the one that broke something")
            }
        },
        Outcome::Provenance => first(Proof::EdgeVerified)
            .or_else(|| first(Proof::SealVerified))
            .is_none()
            .then_some("no step verified a line of descent or a seal"),
    };
    lacks.map(|lacks| format!("the case declares `{}`: {lacks}", case.outcome.word()))
}

/// The reference's form (1.4 of its contract): one flat observation, and an error is what its outcome makes of it.
fn reference(case: &WorkflowCase, seen: &[Seen]) -> Vec<Finding> {
    let mut observed = merged(seen);
    let refused = seen.last().and_then(|last| Some((last, last.code?)));
    match (refused, case.outcome.refuses()) {
        (Some((last, code)), false) => {
            let message = last.result.message.as_deref().unwrap_or_default();
            let step = &last.result.step;
            return vec![found(&STEP_REFUSED, format!("step `{step}`: {}: {message}", code.raised()))];
        }
        (None, true) => {
            let declared = case.outcome.word();
            return vec![found(&NOT_REFUSED, format!("no step refused; the case declares `{declared}`"))];
        }
        (Some((last, code)), true) => {
            let message = last.result.message.as_deref().unwrap_or_default();
            observed.insert("error".to_owned(), Value::from(format!("{}: {message}", code.raised())));
            observed.insert("error_type".to_owned(), Value::from(code.raised()));
            if case.expect.is_empty() {
                return vec![found(
                    &NOTHING_EXPECTED,
                    format!("it was refused with {}: {message}", code.raised()),
                )];
            }
        }
        (None, false) => {}
    }
    case.expect
        .iter()
        .filter_map(|expectation| loose::unmet(expectation, &observed))
        .map(|unmet| found(&STEP_EXPECTATION, unmet))
        .collect()
}

/// What all steps observed in one map: of a field that several have, the last one's.
fn merged(seen: &[Seen]) -> Map<String, Value> {
    seen.iter().flat_map(|seen| seen.observed.clone()).collect()
}

/// A control passes where its steps did not end as declared, for the reason that it names. What was found is then a note: it is
/// what had to be found.
fn controlled(case: &WorkflowCase, seen: &[Seen], judged: Judged) -> Judged {
    let Some(control) = case.control else { return judged };
    let caught = match (control, judged.verdict) {
        (Control::Negative | Control::Cheat, Verdict::Failed) | (Control::Cheat, Verdict::TimedOut) => true,
        (Control::Negative | Control::Cheat, Verdict::Passed) => false,
        (Control::Negative, Verdict::TimedOut)
        | (Control::Negative | Control::Cheat, Verdict::Broken | Verdict::Skipped | Verdict::Unsupported) => {
            return judged;
        }
    };
    if !caught {
        let message = match control {
            Control::Negative => "the negative control ended as declared, and must fail",
            Control::Cheat => "the cheat ended as declared, and must not pass",
        };
        let findings = vec![found(&CONTROL_PASSED, message.to_owned())];
        return Judged { verdict: Verdict::Failed, findings, reason: None };
    }
    if let Some(why) = shows_nothing(case, seen, &judged) {
        let mut findings = vec![found(&CONTROL_OTHERWISE, why)];
        findings.extend(judged.findings);
        return Judged { verdict: Verdict::Failed, findings, reason: None };
    }
    let noted = |finding: Finding| Finding { severity: Severity::Note, ..finding };
    let findings = judged.findings.into_iter().map(noted).collect();
    Judged { verdict: Verdict::Passed, findings, reason: None }
}

/// Why a control that failed shows nothing: the file itself is wrong, or it failed for another reason than it names.
fn shows_nothing(case: &WorkflowCase, seen: &[Seen], judged: &Judged) -> Option<String> {
    let refused = seen.last().and_then(|last| last.code);
    let named = case.because.as_deref();
    if refused == Some(Code::Reference) {
        return Some("a reference of the control led nowhere, which shows nothing".to_owned());
    }
    if refused == Some(Code::Input) && named != Some(Code::Input.word()) {
        return Some("an input of the control was of no use, which shows nothing".to_owned());
    }
    if seen.iter().any(|seen| seen.unmet.iter().any(|unmet| !unmet.was_judged)) {
        return Some("an expectation of the control could not be judged, which shows nothing".to_owned());
    }
    let named = named?;
    let found = judged.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let mut reasons = found.map(|finding| finding.code.as_str()).chain(refused.map(Code::word));
    let met = reasons.any(|reason| reason == named);
    (!met).then(|| format!("the control must fail with {named}, and failed otherwise"))
}

#[cfg(test)]
mod tests;
