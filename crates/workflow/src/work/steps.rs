//! What only a whole suite tells of its workflows: names that clash, and `agent` steps with what they name.

use crate::step::{STEPS, Work};
use rehearsal_script::drill;
use rehearsal_script::finding::{Code, Finding, Severity};
use rehearsal_script::scenario::{Place, Scenarios};
use rehearsal_script::workflow::{Given, Workflow, WorkflowStep};
use rehearsal_wire::names::{hint, nearest};
use serde_json::Value;
use std::collections::BTreeMap;

/// The row that a step uses.
pub(crate) fn work(step: &WorkflowStep) -> &'static Work {
    &STEPS[step.row].work
}

/// The text of an input that stands in the file as it is.
fn written<'s>(step: &'s WorkflowStep, name: &str) -> Option<&'s str> {
    let given = step.with.iter().find(|(known, _)| known == name).map(|(_, given)| given);
    let Some(Given::Value(Value::String(text))) = given else { return None };
    Some(text)
}

/// The steps that run the agent, each with the phrasing that it names.
pub(crate) fn of_agents(workflows: &[Workflow]) -> impl Iterator<Item = (&WorkflowStep, &str)> {
    let steps = workflows.iter().flat_map(|workflow| &workflow.cases).flat_map(|case| &case.steps);
    steps
        .filter(|step| matches!(work(step), Work::Agent))
        .filter_map(|step| Some((step, written(step, "phrasing")?)))
}

/// What is wrong with workflows beside the scenarios of their suite.
pub(crate) fn mistakes(scenarios: &Scenarios, workflows: &[Workflow]) -> Vec<Finding> {
    let mut findings = clashes(scenarios, workflows);
    let known: Vec<&str> = scenarios
        .phrasings
        .iter()
        .filter(|phrasing| phrasing.part_of.is_none())
        .map(|phrasing| phrasing.id.as_str())
        .collect();
    let steps = workflows.iter().flat_map(|workflow| &workflow.cases).flat_map(|case| &case.steps);
    for step in steps.filter(|step| matches!(work(step), Work::Agent)) {
        match written(step, "phrasing") {
            None => findings.push(mistake(
                &step.place,
                Code::WrongValue,
                "`phrasing` of an `agent` step must be a text without references".to_owned(),
                "write the name of a phrasing of this suite".to_owned(),
            )),
            Some(named) if !known.contains(&named) => findings.push(mistake(
                &step.place,
                Code::UnknownName,
                format!("no phrasing of this suite is called {named:?}"),
                hint(nearest(named, known.iter().copied()), || {
                    "give `run` the scenario file, too, or the folder that holds both".to_owned()
                }),
            )),
            Some(_) => {}
        }
        let fault = written(step, "fault").map(drill::read);
        if let Some(Err(why)) = fault {
            findings.push(mistake(
                &step.place,
                Code::UnknownName,
                why,
                "`rehearsal faults` lists them".to_owned(),
            ));
        }
    }
    findings
}

/// Cases that are called alike would share a journal.
fn clashes(scenarios: &Scenarios, workflows: &[Workflow]) -> Vec<Finding> {
    let phrasings = scenarios.phrasings.iter().map(|phrasing| (phrasing.id.as_str(), &phrasing.place));
    let known: BTreeMap<&str, &Place> = phrasings.collect();
    let cases = workflows.iter().flat_map(|workflow| &workflow.cases);
    cases
        .filter_map(|case| {
            let first = known.get(case.name.as_str())?;
            let message = format!(
                "a phrasing is called {:?}, too; it stands in {}:{}",
                case.name, first.file, first.line
            );
            Some(mistake(&case.place, Code::Clash, message, "give one of them another name".to_owned()))
        })
        .collect()
}

fn mistake(place: &Place, code: Code, message: String, hint: String) -> Finding {
    Finding {
        file: place.file.clone(),
        line: place.line,
        column: place.column,
        severity: Severity::Error,
        code,
        message,
        hint: Some(hint),
        pointer: String::new(),
    }
}
