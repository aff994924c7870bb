//! What stands on the bench of one workflow case: its folders, and the subsystems that its steps have opened so far.

use super::hush::Hush;
use rehearsal_journal::digest;
use rehearsal_lab::store::{CellStatus, End, Moments, Store};
use rehearsal_lab::workspace::Workspace;
use rehearsal_lab::{Code, Fact, Refusal, Service, Stop};
use rehearsal_script::workflow::Form;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Bytes of a step's inputs that the store's log takes.
const CODE: usize = 1 << 20;

/// One case's bench.
pub(crate) struct Bench {
    /// The folder of the case, in which all others lie.
    pub(crate) root: PathBuf,
    /// The folder that its programs run in.
    pub(crate) folder: PathBuf,
    /// Their home.
    pub(crate) home: PathBuf,
    /// The folder of the workflow's file, absolute: what `{suite}` stands for.
    pub(crate) suite: PathBuf,
    /// The folder that programs run in, as the boundary holds it.
    pub(crate) workspace: Workspace,
    /// The session store, once a session is open.
    pub(crate) store: Option<Store>,
    /// What ids and times come from; taken by the store.
    pub(crate) moments: Option<Moments>,
    /// Programs that the step has started, which run beside the later ones.
    pub(crate) services: Vec<Service>,
    /// Reference form: version ids by the names under which they were saved.
    pub(crate) names: BTreeMap<String, String>,
    /// The form of the file.
    pub(crate) form: Form,
    /// The environment that we were started with, of which programs get what they cannot run without.
    pub(crate) inherited: Vec<(String, String)>,
    /// The step that is done now.
    pub(crate) step: String,
}

impl Bench {
    /// The store of the open session.
    pub(crate) fn store(&mut self) -> Result<&mut Store, Stop> {
        self.store.as_mut().ok_or_else(no_session)
    }

    /// A word of a command or of its environment, `{suite}` filled in.
    pub(crate) fn filled(&self, word: &str) -> String {
        let (suite, folder) = self.fill();
        word.replace(&suite, &folder)
    }

    /// What stands for the folder of the workflow's file, and the folder.
    pub(crate) fn fill(&self) -> (String, String) {
        ("{suite}".to_owned(), self.suite.display().to_string())
    }

    /// The version that a step names: by its id; in the reference's form by the name under which it was saved.
    pub(crate) fn version(&self, named: &str) -> Result<String, Stop> {
        match self.form {
            Form::Own => Ok(named.to_owned()),
            Form::Reference => self.names.get(named).cloned().ok_or_else(|| {
                Stop::Refused(Refusal::of(Code::Unknown, format!("nothing was saved as {named:?}")))
            }),
        }
    }
}

/// Steps as cells of the open session: the store's own log of what was done in it.
impl Bench {
    /// Begins the cell of a step with its inputs as they may be kept. Nothing where no session is open.
    pub(crate) fn begin(&mut self, step: &str, with: &Map<String, Value>) -> Result<(), Stop> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let mut code = Value::Object(with.clone()).to_string();
        if code.len() > CODE {
            // Escaped it can be longer than a cell takes; it stands whole in the journal.
            let sum = digest::text(&digest::of(code.as_bytes()));
            code = json!({"bytes": code.len(), "sha256": sum}).to_string();
        }
        store.begin_cell(step, &code).map(drop)
    }

    /// Ends it, if one was begun.
    pub(crate) fn end(&mut self, outcome: &Result<Fact, Stop>, hush: &Hush) -> Result<(), Stop> {
        let Some(store) = self.store.as_mut().filter(|store| store.has_open_cell()) else { return Ok(()) };
        let status = match outcome {
            Ok(_) => CellStatus::Ok,
            Err(Stop::Refused(_) | Stop::Failed(_) | Stop::Unsupported(_)) => CellStatus::Error,
            Err(Stop::TimedOut) => CellStatus::Interrupted,
        };
        let error = outcome.as_ref().err().map(Stop::sentence).unwrap_or_default();
        let error = hush.told(&error);
        store.finish_cell(&End { error: &error, ..End::silent(status) }).map(drop)
    }
}

fn no_session() -> Stop {
    Stop::Refused(Refusal::of(Code::NoSession, "no session is open; begin with the step `open_session`"))
}
