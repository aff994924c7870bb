//! Proof of work: what an answer must pass before it is written, by the policy of a tier.
//!
//! Tests run in a clean copy of the tree with the answer in it and the test files as they were; then once more in another copy,
//! with checks that the worker was never shown; then a reviewer, who can only say yes or no, reads it. What fails goes back to the
//! worker; what cannot be looked at does not pass.

pub mod bench;
pub mod review;
pub mod verification;

use crate::policy::Tier;
use rehearsal_world::process::Caps;
use std::ffi::OsString;
use std::time::Duration;

/// How a task is proved.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The command line that must end with 0; the worker is told of it and of its output.
    pub test: String,
    /// One that it is not told of; it runs in the second look alone.
    pub check: Option<String>,
    /// How closely is looked.
    pub tier: Tier,
    /// What that follows from: right answers of so many that were measured.
    pub measured: (u64, u64),
    /// Whether the second look is made here and now; in a wave it is made at the end, of some.
    pub second_look: bool,
    /// The model that reviews.
    pub reviewer: String,
}

/// How commands run on copies of the tree.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Longest time for one command.
    pub time_limit: Duration,
    /// What one may cost besides.
    pub caps: Caps,
    /// What its environment holds beside a home and a folder for temporary files of its own. Nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Paths of the tree that are not copied, `/` between their parts, with all below them: our own data, what is built.
    pub without: Vec<String>,
}

impl Bench {
    /// Whether a path is copied.
    #[must_use]
    pub fn leaves_out(&self, path: &str) -> bool {
        let below = |out: &String| {
            path.strip_prefix(out).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.without.iter().any(below)
    }
}
