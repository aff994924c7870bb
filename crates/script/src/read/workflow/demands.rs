//! What outcomes of our form demand of a case: the step that refuses, an interrupt, a break, anything that could fail.

use super::{Planned, or_list};
use crate::finding::{Code, Findings, Spot};
use crate::node::Node;
use crate::read::Known;
use crate::workflow::{Given, Outcome, StepForm, Trigger, WorkflowCase, WorkflowStep};
use serde_json::Value;

/// What any step refuses with: where it may not run, and where an input is of no use.
const ANY: [&str; 2] = ["E_PERMISSION", "E_INPUT"];

/// The step that must refuse and its code.
pub(super) fn refusal(
    case: &Node,
    outcome: Outcome,
    steps: &[Planned<'_>],
    known: &Known<'_>,
    findings: &mut Findings<'_>,
) -> Option<(usize, String)> {
    let Some(node) = case.get("refusal") else {
        if outcome.refuses() {
            let message = format!("a case with the outcome `{}` needs `refusal`", outcome.word());
            let hint = "`refusal: {step: ID, code: CODE}` says which step must refuse, and how";
            findings.error_with_hint(case.at, Code::MissingField, message, hint);
        }
        return None;
    };
    if !outcome.refuses() {
        let message = format!("with the outcome `{}` no step refuses", outcome.word());
        let hint = "remove `refusal`, or declare `failure` or `permission_denied`";
        findings.error_with_hint(node.at, Code::Contradiction, message, hint);
        return None;
    }
    let (id, code) = (filled(node, "step")?, filled(node, "code")?);
    let place = steps.iter().position(|step| Some(step.id.as_str()) == id.as_text());
    let Some(place) = place else {
        let id_text = id.as_text().unwrap_or_default();
        let message = format!("`{id_text}` is no step of the case");
        let hint = or_list(id_text, steps.iter().map(|step| step.id.as_str()));
        findings.error_with_hint(id.at, Code::UnknownName, message, hint);
        return None;
    };
    let word = code.as_text().unwrap_or_default();
    weighed(code, word, outcome, steps[place].form(known), known, findings);
    Some((place, word.to_owned()))
}

fn filled<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    node.get(name).filter(|node| node.as_text().is_some_and(|text| !text.trim().is_empty()))
}

/// Whether the code exists, is one of the step and belongs to the outcome.
fn weighed(
    node: &Node,
    word: &str,
    outcome: Outcome,
    form: Option<&StepForm>,
    known: &Known<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(code) = known.refusals.iter().find(|code| code.code == word) else {
        let hint = or_list(word, known.refusals.iter().map(|code| code.code));
        findings.error_with_hint(node.at, Code::UnknownName, format!("there is no code `{word}`"), hint);
        return;
    };
    if let Some(form) = form
        && !ANY.contains(&word)
        && !form.refuses.contains(&word)
    {
        let message = format!("the step `{}` never refuses with `{word}`", form.name);
        let own = form.refuses.iter().copied().filter(|code| !ANY.contains(code));
        let all: Vec<&str> = own.chain(ANY).collect();
        let hint = format!("it refuses with {}", all.join(", "));
        findings.error_with_hint(node.at, Code::Contradiction, message, hint);
        return;
    }
    let meant = if code.permission { Outcome::PermissionDenied } else { Outcome::Failure };
    if meant != outcome {
        let message = format!("`{word}` is no code of the outcome `{}`", outcome.word());
        let hint = format!("its outcome is `{}`", meant.word());
        findings.error_with_hint(node.at, Code::Contradiction, message, hint);
    }
}

/// Finds a case that cannot show what its outcome says, or that nothing could fail.
pub(super) fn outcome(node: &Node, case: &WorkflowCase, known: &Known<'_>, findings: &mut Findings<'_>) {
    let at = node.get("outcome").map_or(node.at, |node| node.at);
    let form = |step: &WorkflowStep| known.steps.get(step.row).copied();
    let judges = |step: &WorkflowStep| !step.expect.is_empty() || form(step).is_some_and(|form| form.judges);
    if !case.outcome.refuses() && case.artifacts.is_empty() && !case.steps.iter().any(judges) {
        let message = "nothing that these steps observe could fail the case";
        let hint = "give a step `expect`, or name `artifacts`";
        findings.error_with_hint(node.at, Code::Contradiction, message, hint);
    }
    for (at, step) in case.steps.iter().enumerate() {
        let place = node.get("steps").and_then(|steps| steps.items().get(at)).map_or(node.at, |step| step.at);
        empty_restatement(place, step, form(step), findings);
    }
    match case.outcome {
        Outcome::Success | Outcome::Failure | Outcome::PermissionDenied | Outcome::Provenance => {}
        Outcome::Cancelled => {
            let interrupts =
                |step: &WorkflowStep| form(step).is_some_and(|form| fires(form.interrupts, step));
            if !case.steps.iter().any(interrupts) {
                let message = "with the outcome `cancelled` a step must interrupt something";
                let hint = ways(known, |form| form.interrupts);
                findings.error_with_hint(at, Code::Contradiction, message, hint);
            }
        }
        Outcome::Recovered => {
            let breaks = |step: &WorkflowStep| form(step).is_some_and(|form| fires(form.breaks, step));
            match case.steps.iter().position(breaks) {
                None => {
                    let message = "with the outcome `recovered` a step must break something";
                    let hint = ways(known, |form| form.breaks);
                    findings.error_with_hint(at, Code::Contradiction, message, hint);
                }
                Some(first) if case.steps[first + 1..].iter().all(|step| step.expect.is_empty()) => {
                    let message = "with the outcome `recovered` something must be expected after the break";
                    let hint = format!("give a step behind `{}` an `expect`", case.steps[first].id);
                    findings.error_with_hint(at, Code::Contradiction, message, hint);
                }
                Some(_) => {}
            }
        }
    }
}

/// Finds a step that only looks again, and at nothing that was observed: what it expects would hold for ever, or never.
fn empty_restatement(at: Spot, step: &WorkflowStep, form: Option<&StepForm>, findings: &mut Findings<'_>) {
    let Some(form) = form.filter(|form| form.restates()) else { return };
    let refers = |given: &Given| !matches!(given, Given::Value(_));
    let expects = step.expect.iter().any(|expectation| expectation.check.operands().iter().any(refers));
    if !expects && !step.with.iter().any(|(_, given)| refers(given)) {
        let message = format!("this `{}` looks at nothing that a step observed", form.name);
        let hint = "write `${id.field}` in `with` or `expect`, or leave the step out";
        findings.error_with_hint(at, Code::Contradiction, message, hint);
    } else if step.expect.is_empty() {
        let message = format!("this `{}` expects nothing", form.name);
        findings.error_with_hint(at, Code::Contradiction, message, "give it `expect`, or leave the step out");
    }
}

fn fires(trigger: Trigger, step: &WorkflowStep) -> bool {
    match trigger {
        Trigger::Never => false,
        Trigger::Always => true,
        Trigger::Given(input) => {
            let off = |given: &Given| matches!(given, Given::Value(Value::Null | Value::Bool(false)));
            step.with.iter().any(|(name, given)| name == input && !off(given))
        }
    }
}

/// How a case can have what it lacks.
fn ways(known: &Known<'_>, trigger: fn(&StepForm) -> Trigger) -> String {
    let ways: Vec<String> = known
        .steps
        .iter()
        .filter_map(|form| match trigger(form) {
            Trigger::Never => None,
            Trigger::Always => Some(format!("`{}`", form.name)),
            Trigger::Given(input) => Some(format!("`{}` with `{input}`", form.name)),
        })
        .collect();
    if ways.is_empty() { "no step can".to_owned() } else { format!("such as {}", ways.join(", ")) }
}
