//! The steps that workflows can use: one file and two lines each.

mod agent;
mod assert;
mod assert_lineage;
mod damage_artifact;
mod exec;
mod file;
mod host_file_write;
mod http;
pub(crate) mod inputs;
mod open_session;
pub mod permission;
mod read_artifact;
mod restore_artifact;
mod save_artifact;
mod service;

use crate::work::bench::Bench;
use inputs::Inputs;
use permission::Needs;
use rehearsal_lab::{Fact, Stop, Used};
use rehearsal_script::workflow::{RefusalForm, StepForm};
use std::pin::Pin;
use std::time::Duration;

/// One row of the table of steps.
#[derive(Debug)]
pub struct Step {
    /// What files may say of it, and what it observes.
    pub form: StepForm,
    /// The permission that it needs, in our form.
    pub needs: Needs,
    /// How it is done.
    pub(crate) work: Work,
}

/// How the work of a step is done.
#[derive(Debug)]
pub(crate) enum Work {
    /// By a subsystem that waits for the disk at most.
    Lab(fn(&mut Bench, &Inputs) -> Result<Fact, Stop>),
    /// By a program or over the network, which must end within the time limit by itself.
    Outside(for<'b> fn(&'b mut Bench, &'b Inputs, Duration) -> Outside<'b>),
    /// By looking again at what other steps observed: its inputs are what it observes.
    Restate,
    /// By the agent of the run.
    Agent,
}

/// What comes of work outside, beside what it used.
pub(crate) type Outside<'b> = Pin<Box<dyn Future<Output = (Result<Fact, Stop>, Used)> + Send + 'b>>;

/// All steps, sorted by name.
pub const STEPS: &[Step] = &[
    agent::ROW,
    assert::ROW,
    assert_lineage::ROW,
    damage_artifact::ROW,
    exec::ROW,
    file::ROW,
    host_file_write::ROW,
    http::ROW,
    open_session::ROW,
    read_artifact::ROW,
    restore_artifact::ROW,
    save_artifact::ROW,
    service::ROW,
];

/// What files may say of each step, in the order of [`STEPS`].
#[must_use]
pub fn forms() -> Vec<&'static StepForm> {
    STEPS.iter().map(|step| &step.form).collect()
}

/// The codes with which steps can refuse.
#[must_use]
pub fn refusals() -> Vec<RefusalForm> {
    let form =
        |code: &rehearsal_lab::Code| RefusalForm { code: code.word(), permission: code.is_permission() };
    rehearsal_lab::Code::ALL.iter().map(form).collect()
}

/// Codes of the workspace boundary: what any step that opens a path can refuse with.
pub(crate) const PATHS: &[&str] = &[
    "E_PATH_EMPTY",
    "E_PATH_ABSOLUTE",
    "E_PATH_PARENT",
    "E_PATH_NUL",
    "E_PATH_ENCODING",
    "E_PATH_CONTROL",
    "E_PATH_TOO_LONG",
    "E_PATH_RESERVED",
    "E_PATH_ESCAPE",
    "E_SYMLINK",
    "E_MAGICLINK",
    "E_HARDLINK",
    "E_NOT_REGULAR",
    "E_CROSS_DEVICE",
    "E_SECRET_NAME",
    "E_DENIED_PREFIX",
    "E_CASE_COLLISION",
    "E_READONLY",
    "E_QUOTA",
    "E_RACE",
    "E_NO_FILE",
];

/// [`PATHS`] with some more.
pub(crate) const fn with_paths<const M: usize, const N: usize>(more: [&'static str; M]) -> [&'static str; N] {
    assert!(PATHS.len() + M == N, "the length is that of both");
    let mut all = [""; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < PATHS.len() { PATHS[at] } else { more[at - PATHS.len()] };
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests;
