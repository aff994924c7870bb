//! One case of a workflow: its steps one after the other on a bench of its own, and what they came to.

mod agent;
pub(crate) mod bench;
mod expect;
pub(crate) mod hush;
mod judge;
mod loose;
mod mask;
pub(crate) mod steps;
mod turns;

use crate::case::Folders;
use crate::field::{Field, Seat};
use crate::grade::{self, Check, work as codes};
use crate::run::RunError;
use judge::{Judged, Seen};
use rehearsal_journal::normal;
use rehearsal_journal::run::{CaseResult, Finding, JournalHead, Place, Severity, Verdict};
use rehearsal_journal::work::{StepEnd, WorkflowResult};
use rehearsal_script::scenario::Weight;
use rehearsal_script::workflow::{Workflow, WorkflowCase};
use rehearsal_world::clock::Clock;
use rehearsal_world::record::{Name, file_stem, read_journal};
use rehearsal_world::task::{self, JoinSet};
use rehearsal_world::{files, process};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use turns::{Taken, Turns};

/// Runs a case to its verdict. A panic in one of its steps breaks this case alone.
pub(crate) async fn run(
    field: &Arc<Field>,
    seat: Seat,
    (file, at): (usize, usize),
    name: &str,
) -> CaseResult {
    let (workflow, case) = of(field, (file, at));
    if let Some(reason) = skipped(field, case) {
        let judged = Judged { verdict: Verdict::Skipped, findings: Vec::new(), reason: Some(reason) };
        return Ended::of(judged).result(workflow, case, seat);
    }
    let mut alone = JoinSet::new();
    let (own, own_name) = (Arc::clone(field), name.to_owned());
    alone.spawn(async move { attempt(&own, (file, at), &own_name).await });
    let ended = match alone.join_next().await {
        Some(Ok(Ok(ended))) => ended,
        Some(Ok(Err(error))) => Ended::of(broken(&error.to_string())),
        Some(Err(error)) => {
            Ended::of(broken(&format!("a step panicked, which is a mistake of ours: {error}")))
        }
        None => unreachable!("it was spawned"),
    };
    ended.result(workflow, case, seat)
}

fn of(field: &Field, (file, at): (usize, usize)) -> (&Workflow, &WorkflowCase) {
    let workflow = &field.order.suite.workflows[file];
    (workflow, &workflow.cases[at])
}

/// Why a case is not run at all.
fn skipped(field: &Field, case: &WorkflowCase) -> Option<String> {
    let search =
        field.order.inherited.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str());
    let missing = case.needs.iter().find(|program| process::find(program, search).is_err());
    case.skip.clone().or_else(|| Some(format!("there is no program {} on PATH", missing?)))
}

fn broken(why: &str) -> Judged {
    let findings = vec![mistake(&codes::STEP_FAILED, why.to_owned())];
    Judged { verdict: Verdict::Broken, findings, reason: None }
}

/// A finding of a row, with the row's weight.
fn mistake(check: &Check, message: String) -> Finding {
    Finding {
        code: check.code.to_owned(),
        severity: check.severity,
        message,
        exchanges: Vec::new(),
        also: Vec::new(),
    }
}

/// A case that is over.
struct Ended {
    judged: Judged,
    seen: Vec<Seen>,
    posture: Vec<(String, String)>,
    journals: Vec<JournalHead>,
    journal: JournalHead,
    normalised: String,
    kept: Option<String>,
    took_ms: u64,
}

impl Ended {
    /// One that never began.
    fn of(judged: Judged) -> Self {
        Self {
            judged,
            seen: Vec::new(),
            posture: Vec::new(),
            journals: Vec::new(),
            journal: JournalHead::default(),
            normalised: String::new(),
            kept: None,
            took_ms: 0,
        }
    }

    fn result(self, workflow: &Workflow, case: &WorkflowCase, seat: Seat) -> CaseResult {
        let done = self.seen.iter().filter(|seen| seen.result.end == StepEnd::Done).count();
        CaseResult {
            class: workflow.id.clone(),
            phrasing: case.name.clone(),
            fault: None,
            outcome: None,
            place: Place {
                file: case.place.file.clone(),
                line: case.place.line as u64,
                column: case.place.column as u64,
            },
            round: seat.round,
            verdict: self.judged.verdict,
            findings: self.judged.findings,
            requests: self.journals.iter().map(|journal| journal.requests).sum(),
            retries: 0,
            steps: (done as u64, case.steps.len() as u64),
            ran_ms: self.took_ms,
            status: None,
            workflow: Some(WorkflowResult {
                declared: case.outcome.word().to_owned(),
                control: case.control.map(|control| control.word().to_owned()),
                reason: self.judged.reason,
                kept: self.kept,
                posture: self.posture,
                journals: self.journals,
                steps: self.seen.into_iter().map(|seen| seen.result).collect(),
            }),
            journal: self.journal,
            normalised: self.normalised,
        }
    }
}

/// One round of a case, from its folders to its verdict.
async fn attempt(field: &Arc<Field>, at: (usize, usize), name: &str) -> Result<Ended, RunError> {
    let (workflow, case) = of(field, at);
    let clock = Clock::start();
    let folders = Folders::of(field, name);
    let recorder = field.recorder(name, &case.name)?;
    let mut turns = Turns::new(field, (workflow.form, case), &folders, &recorder, name, clock);
    turns.take_all().await;
    let missing = turns.missing().await;
    let Taken { seen, journals, posture, hush } = turns.end().await?;
    let judged = match missing {
        Ok(missing) => judge::judge((workflow.form, case), &seen, &missing, &field.weights),
        Err(stop) => broken(&format!("the artifacts cannot be looked at: {}", stop.sentence())),
    };
    let judged = judged.hushed(&hush);
    let head = recorder.close()?;
    let normalised = normalised(field, name, &folders, &turns::beside(&case.place.file))?;
    // Who passed needs no folder any longer, unless an agent worked in it: its output is kept as ever.
    let kept = judged.verdict != Verdict::Passed || !journals.is_empty();
    if !kept {
        let root = folders.case.clone();
        // What cannot be removed is left.
        let _left = task::blocking(move || files::remove_folder(&root)).await;
    }
    Ok(Ended {
        judged,
        seen,
        posture,
        journals,
        journal: JournalHead { journal: name.to_owned(), head: head.sum, requests: head.requests },
        normalised,
        kept: kept.then(|| format!("cases/{}", file_stem(name))),
        took_ms: clock.elapsed_us() / 1000,
    })
}

/// The digest of what happened, without what differs from run to run.
fn normalised(field: &Field, name: &str, folders: &Folders, suite: &Path) -> Result<String, RunError> {
    let journal = read_journal(&field.folder.join("journals"), &Name::Case(name.to_owned()))?;
    let text = |folder: &Path| folder.display().to_string();
    let (workspace, home, case) = (text(&folders.workspace), text(&folders.home), text(&folders.case));
    let suite = text(suite);
    // Run folders usually lie below the suite's, so that it is the last one.
    let masks = [
        (workspace.as_str(), "{workspace}"),
        (home.as_str(), "{home}"),
        (case.as_str(), "{case}"),
        (suite.as_str(), "{suite}"),
    ];
    Ok(normal::digest(&normal::normalised(&journal.events, &masks)))
}

/// Says of the first round of a case, which stands for all where all end alike, which later ones came to something else.
pub(crate) fn compare_rounds(cases: &mut [CaseResult], weights: &[(String, Weight)]) {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut others: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        if case.workflow.is_none() || case.normalised.is_empty() {
            continue;
        }
        let one = *first.entry(&case.phrasing).or_insert(at);
        if cases[one].normalised != case.normalised {
            others.entry(one).or_default().push(case.round.to_string());
        }
    }
    for (at, rounds) in others {
        let case = &mut cases[at];
        let which = if rounds.len() == 1 { "round" } else { "rounds" };
        let message =
            format!("{which} {} came to another result than round {}", rounds.join(", "), case.round);
        let Some(finding) = grade::weighed(mistake(&codes::ROUNDS_DIFFER, message), weights) else {
            continue;
        };
        if finding.severity == Severity::Error && case.verdict == Verdict::Passed {
            case.verdict = Verdict::Failed;
        }
        case.findings.push(finding);
    }
}
