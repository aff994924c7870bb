//! What a suite says of a stand-in for an agent-run daemon beside its cases, and of what a client of it must do.

use crate::runs::RunScripts;
use crate::scenario::{Phrasing, Place};
use std::sync::Arc;

/// `daemon:` of a case: a daemon of its own. What is not said is as `rehearsal daemon` has it by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Daemon {
    /// What its runs do where a prompt holds one of their markers.
    pub runs: Runs,
    /// Whose answers are given; one of [`Daemon::MANNERS`].
    pub manner: Option<String>,
    /// Id of the one harness.
    pub harness: Option<String>,
    /// Version that the engine says it has.
    pub engine_version: Option<String>,
    /// Build that the engine says it is.
    pub build_sha: Option<String>,
    /// Model that runs say they used.
    pub model: Option<String>,
    /// Credential profile that runs say they used.
    pub profile: Option<String>,
    /// A credential profile that does not exist.
    pub ghost_profile: Option<String>,
    /// How live messages get into a run; one of [`Daemon::LIVE_INPUTS`].
    pub live_input: Option<String>,
    /// What mutating runs write: path and text, in order.
    pub edits: Option<Vec<(String, String)>>,
    /// Whether runs need a registered project.
    pub require_project: bool,
    /// Whether time stands still until the client puts it forward.
    pub scripted_clock: bool,
    /// How many runs that are over are kept.
    pub keep_runs: Option<usize>,
    /// Where `daemon` stands at the narrowest level that has it.
    pub place: Place,
}

/// Where the run scripts of a daemon come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Runs {
    /// They stand in a file of their own.
    File {
        /// Its path, relative to the folder of the suite's file.
        path: String,
        /// Where it is named.
        place: Place,
    },
    /// They stand in the suite; none where it has none. The phrasings of a class share them.
    Here(Arc<RunScripts>),
}

impl Default for Runs {
    fn default() -> Self {
        Self::Here(Arc::default())
    }
}

impl Daemon {
    /// The words for whose answers are given.
    pub const MANNERS: [&str; 3] = ["corrected", "engine", "seed"];
    /// The words for how live messages get into a run.
    pub const LIVE_INPUTS: [&str; 3] = ["mid_turn", "next_tool_boundary", "none"];

    /// Whether live messages get into its runs.
    #[must_use]
    pub fn takes_messages(&self) -> bool {
        self.live_input.as_deref() != Some("none")
    }
}

/// `expect_daemon:` of a case, judged from what the daemon took down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectDaemon {
    /// The runs that were started.
    pub runs: Option<ExpectRuns>,
    /// How many questions were answered.
    pub answers: Option<u64>,
    /// How many live messages were accepted.
    pub messages: Option<u64>,
    /// How many runs were cancelled.
    pub cancelled: Option<u64>,
    /// The most requests, all attempts counted.
    pub most_requests: Option<u64>,
}

/// What is expected of the runs that were started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectRuns {
    /// So many.
    Count(u64),
    /// These states in the end, in the order of the starts; of [`ExpectRuns::STATES`].
    States(Vec<String>),
}

impl ExpectRuns {
    /// The states of a run when the case is over.
    pub const STATES: [&str; 5] = ["succeeded", "failed", "cancelled", "interrupted", "running"];
}

impl Phrasing {
    /// Whether a daemon is all that its agent is to talk to: no script and no recording plays a model.
    #[must_use]
    pub fn is_daemons(&self) -> bool {
        self.daemon.is_some() && self.cassette.is_none() && self.script.is_empty()
    }
}
