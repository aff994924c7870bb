//! What stands on the bench of one workflow case: its folders, and the subsystems that its steps have opened so far.

use rehearsal_lab::store::{Moments, Store};
use rehearsal_lab::workspace::Workspace;
use rehearsal_lab::{Code, Refusal, Service, Stop};
use rehearsal_script::workflow::Form;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One case's bench.
pub(crate) struct Bench {
    /// The folder of the case, in which all others lie.
    pub(crate) root: PathBuf,
    /// The folder that its programs run in.
    pub(crate) folder: PathBuf,
    /// Their home.
    pub(crate) home: PathBuf,
    /// The same folder as the boundary holds it.
    pub(crate) workspace: Workspace,
    /// The session store, once a session is open.
    pub(crate) store: Option<Store>,
    /// What ids and times come from; taken by the store.
    pub(crate) moments: Option<Moments>,
    /// Programs that run beside the steps.
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

fn no_session() -> Stop {
    Stop::Refused(Refusal::of(Code::NoSession, "no session is open; begin with the step `open_session`"))
}
