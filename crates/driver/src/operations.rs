//! What an orchestrator may ask of a driver, whoever does the work behind it.

use crate::probe::Kept;
use crate::roles::Role;
use crate::wave::status::Status;
use crate::worker::proof::Proof;
use crate::worker::proof::verification::{Look, Sort};
use crate::worker::report::Report;
use crate::worker::task::Task;
use rehearsal_world::vault::VaultError;

/// Work for one worker.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name, by which it is found again.
    pub item: String,
    /// What is to be done, and with which files.
    pub task: Task,
    /// What its answer must pass before it is written; without one it is written unproved.
    pub proof: Option<Proof>,
}

/// The operations. All may be asked for at the same time.
pub trait Driver: Send + Sync {
    /// Finds out what the driver can do. It costs requests and is asked before work, not during it.
    fn probe(&self) -> impl Future<Output = Kept> + Send;

    /// Has a task done and tells what came of it, whatever that is.
    ///
    /// # Errors
    /// When it cannot be written down that it begins or how it ended: then nothing was done, or the files say what was.
    fn dispatch(&self, work: Work) -> impl Future<Output = Result<Report, VaultError>> + Send;

    /// How an item stands; unknown where nobody began with it.
    fn worker_status(&self, item: &str) -> Status;

    /// Runs commands on a clean copy of the tree as it is, one after the other, until one is not green.
    fn run_commands(&self, commands: &[(Sort, &str)]) -> impl Future<Output = Vec<Look>> + Send;

    /// The model of a role.
    fn resolve_model(&self, role: Role) -> &str;

    /// Tokens of all work so far; none where an endpoint did not tell them all.
    fn tokens_spent(&self) -> Option<u64>;

    /// One line of ASCII that says what it is and what is known of it.
    fn describe(&self) -> String;
}
