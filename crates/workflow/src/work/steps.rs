//! What only a whole suite and the table of steps tell of workflows: names that clash, `agent` steps with what they name, and
//! permissions that are not listed.

use super::turns::{beside, unlisted};
use crate::step::{STEPS, Work};
use rehearsal_lab as lab;
use rehearsal_script::drill;
use rehearsal_script::finding::{Code, Finding, Severity};
use rehearsal_script::scenario::{Place, Scenarios};
use rehearsal_script::workflow::{Form, Given, Workflow, WorkflowCase, WorkflowStep};
use rehearsal_wire::names::{hint, nearest};
use rehearsal_world::files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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

/// Unknown names for which a near one is sought: not more than anybody reads.
const HINTED: usize = 256;

/// What is wrong with workflows beside the scenarios of their suite.
pub(crate) fn mistakes(scenarios: &Scenarios, workflows: &[Workflow]) -> Vec<Finding> {
    let mut findings = clashes(scenarios, workflows);
    findings.extend(clashes_with_agents(scenarios, workflows));
    let cases = scenarios.phrasings.iter().filter(|phrasing| phrasing.part_of.is_none());
    let names = || cases.clone().map(|phrasing| phrasing.id.as_str());
    let known: BTreeSet<&str> = names().collect();
    let mut unknown = 0;
    let steps = workflows.iter().flat_map(|workflow| &workflow.cases).flat_map(|case| &case.steps);
    for step in steps.filter(|step| matches!(work(step), Work::Agent)) {
        match written(step, "phrasing") {
            None => findings.push(mistake(
                &step.place,
                Code::WrongValue,
                "`phrasing` of an `agent` step must be a text without references".to_owned(),
                "write the name of a phrasing of this suite".to_owned(),
            )),
            Some(named) if !known.contains(&named) => {
                unknown += 1;
                // Each look for a near name goes over all phrasings.
                let near = nearest(named, names().filter(|_| unknown <= HINTED));
                let hint = hint(near, || {
                    "give `run` the scenario file, too, or the folder that holds both".to_owned()
                });
                let message = format!("no phrasing of this suite is called {named:?}");
                findings.push(mistake(&step.place, Code::UnknownName, message, hint));
            }
            Some(_) => {}
        }
        match written(step, "fault").map(drill::read) {
            None => {}
            Some(Err(why)) => {
                let hint = "`rehearsal faults` lists them".to_owned();
                findings.push(mistake(&step.place, Code::UnknownName, why, hint));
            }
            Some(Ok(drills)) if drills.len() == 1 => {}
            Some(Ok(drills)) => {
                let message = format!("`fault` must be one fault, and is {}", drills.len());
                let hint = "write a step for each".to_owned();
                findings.push(mistake(&step.place, Code::WrongValue, message, hint));
            }
        }
    }
    findings
}

/// Phrasings that are called as the journal of an `agent` step is, in any round: `case:step`, `case~2:step`.
fn clashes_with_agents(scenarios: &Scenarios, workflows: &[Workflow]) -> Vec<Finding> {
    let cases = workflows.iter().flat_map(|workflow| &workflow.cases);
    let steps = cases.flat_map(|case| case.steps.iter().map(move |step| (case, step)));
    let agents = steps.filter(|(_, step)| matches!(work(step), Work::Agent));
    // Phrasings by what their names are without a round; each may be meant with it and without.
    let mut phrasings: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for phrasing in &scenarios.phrasings {
        for (colon, _) in phrasing.id.match_indices(':') {
            let (name, step) = (&phrasing.id[..colon], &phrasing.id[colon + 1..]);
            let round = name.rsplit_once('~').filter(|(_, round)| round.parse::<u32>().is_ok());
            for case in [Some(name), round.map(|(case, _)| case)].into_iter().flatten() {
                phrasings.entry((case, step)).or_default().push(&phrasing.id);
            }
        }
    }
    agents
        .flat_map(|(case, step)| {
            let same = phrasings.get(&(case.name.as_str(), step.id.as_str())).into_iter().flatten();
            same.map(|phrasing| {
                let message = format!("a phrasing is called {phrasing:?}, as is the journal of this step");
                mistake(&step.place, Code::Clash, message, "give one of them another name".to_owned())
            })
        })
        .collect()
}

/// What no file forbids and yet will fail: steps whose permission is not listed, up to the one that must refuse (controls may be meant
/// so), and programs that are looked for where they are not.
pub(crate) fn warnings(workflows: &[Workflow]) -> Vec<Finding> {
    let own = || workflows.iter().filter(|workflow| workflow.form == Form::Own);
    let cases = || own().flat_map(|workflow| &workflow.cases);
    let unlisted = cases().filter(|case| case.control.is_none()).flat_map(unpermitted);
    unlisted.chain(cases().flat_map(|case| &case.steps).flat_map(elsewhere)).collect()
}

/// Words of a command that name a file beside the workflow, though the program runs in the workspace.
fn elsewhere(step: &WorkflowStep) -> impl Iterator<Item = Finding> {
    let command = step.with.iter().find(|(name, _)| name == "command").map(|(_, given)| given);
    let words: &[Value] = match command {
        Some(Given::Value(Value::Array(words))) => words,
        Some(_) | None => &[],
    };
    let suite = beside(&step.place.file);
    let names = words.iter().filter_map(Value::as_str).filter(move |word| {
        !word.is_empty() && Path::new(word).is_relative() && files::is_file(&suite.join(word))
    });
    names.map(|word| {
        let message = format!("`{word}` lies beside the workflow, and is looked for in the workspace");
        let hint = format!("to mean the one beside the workflow, write `{{suite}}/{word}`");
        let found = mistake(&step.place, Code::Suspicious, message, hint);
        Finding { severity: Severity::Warning, ..found }
    })
}

fn unpermitted(case: &WorkflowCase) -> impl Iterator<Item = Finding> {
    let last = case.refusal.as_ref().map_or(case.steps.len(), |(at, _)| at + 1);
    let meant = case.refusal.as_ref().filter(|(_, code)| code == lab::Code::Permission.word());
    let steps = case.steps.iter().enumerate().take(last);
    steps.filter(move |(at, _)| meant.is_none_or(|(step, _)| step != at)).filter_map(|(_, step)| {
        let row = &STEPS[step.row];
        let needed = row.needs.with(|name| step.with.iter().any(|(given, _)| given == name))?;
        if case.permissions.iter().any(|listed| listed == needed) {
            return None;
        }
        let hint = format!("add {needed} to `permissions`, else it is refused with E_PERMISSION");
        let found = mistake(&step.place, Code::Suspicious, unlisted(row.form.name, needed), hint);
        Some(Finding { severity: Severity::Warning, ..found })
    })
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
