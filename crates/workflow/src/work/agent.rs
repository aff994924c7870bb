//! The `agent` step: a rehearsal inside a workflow case, in its workspace, with a journal of its own.

use crate::case::{self, Folders, Staged};
use crate::field::Field;
use crate::step::inputs::Inputs;
use rehearsal_journal::run::{Finding, JournalHead, Verdict};
use rehearsal_lab::{Fact, Refusal, Stop, rehearsed};
use rehearsal_script::drill;
use rehearsal_world::files;
use rehearsal_world::record::Name;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What came of a rehearsal.
pub(super) struct Rehearsed {
    pub(super) outcome: Result<Fact, Stop>,
    /// What the agent did wrong, and what else was found.
    pub(super) findings: Vec<Finding>,
    pub(super) journal: Option<JournalHead>,
}

/// Where it happens.
pub(super) struct Stage<'s> {
    /// The workflow case's own folder, its workspace and home.
    pub(super) folders: [&'s Path; 3],
    /// Name of the attempt at the case.
    pub(super) case: &'s str,
    /// Id of the step.
    pub(super) step: &'s str,
}

/// Runs the agent of the run on a phrasing.
pub(super) async fn rehearse(field: &Arc<Field>, inputs: &Inputs, stage: &Stage<'_>) -> Rehearsed {
    let stopped = |stop| Rehearsed { outcome: Err(stop), findings: Vec::new(), journal: None };
    let staged = match staged(field, inputs, stage) {
        Ok(staged) => staged,
        Err(stop) => return stopped(stop),
    };
    let name = Name::Case(staged.name.clone());
    let result = match case::attempt(field, staged).await {
        Ok(result) => result,
        Err(error) => return stopped(Stop::Failed(error.to_string())),
    };
    if result.verdict == Verdict::Broken {
        let why = result.findings.first().map_or_else(String::new, |finding| finding.message.clone());
        return stopped(Stop::Failed(why));
    }
    let outcome = rehearsed(&field.folder.join("journals"), &name);
    Rehearsed { outcome, findings: result.findings, journal: Some(result.journal) }
}

fn staged(field: &Field, inputs: &Inputs, stage: &Stage<'_>) -> Result<Staged, Stop> {
    let named = inputs.needed("phrasing")?;
    let bare = field.board.standin().setting();
    let phrasings = &bare.scenarios.phrasings;
    let index = phrasings
        .iter()
        .position(|phrasing| phrasing.id == named && phrasing.part_of.is_none())
        .ok_or_else(|| Refusal::of_input(format!("no phrasing is called {named:?}")))?;
    let drill = match inputs.text("fault")? {
        None => None,
        Some(fault) => match drill::read(fault).map_err(Refusal::of_input)?.as_slice() {
            [drill] => Some(drill.clone()),
            several => {
                let many = several.len();
                return Err(Refusal::of_input(format!("`fault` must be one fault, and is {many}")).into());
            }
        },
    };
    let setting = match &drill {
        Some(drill) => Arc::new(bare.under(drill)),
        None => Arc::clone(bare),
    };
    let [case, workspace, home] = stage.folders.map(Path::to_owned);
    let own = case.join(format!("agent-{}", stage.step));
    for folder in [&own, &home] {
        let unmade = |error| Stop::Failed(format!("cannot make {}: {error}", folder.display()));
        files::private_folders(folder).map_err(unmade)?;
    }
    let name = format!("{}:{}", stage.case, stage.step);
    Ok(Staged { setting, drill, index, name, folders: folders(own, workspace, home) })
}

fn folders(case: PathBuf, workspace: PathBuf, home: PathBuf) -> Folders {
    Folders { case, workspace, home }
}
