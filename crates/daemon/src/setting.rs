//! What a daemon is set to. It does not change while it serves.

use crate::install::Installed;
use crate::run::{LiveInput, of_prompt};
use rehearsal_journal::digest;
use rehearsal_script::runs::{RunScript, RunScripts};
use std::sync::Arc;

/// Whose answers are given where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// The contract with its defects corrected.
    #[default]
    Corrected,
    /// The lenient answers of the original fake. Files are as safe as otherwise.
    Seed,
    /// Those of the real daemon.
    Engine,
}

impl Manner {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Corrected => "corrected",
            Self::Seed => "seed",
            Self::Engine => "engine",
        }
    }
}

/// The settings.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Whose answers are given.
    pub manner: Manner,
    /// The secret that every request names. Never written anywhere but into its file.
    pub token: String,
    /// The one harness.
    pub harness: String,
    /// Version of the engine.
    pub version: String,
    /// Its build.
    pub sha: String,
    /// The model that runs say they used.
    pub model: String,
    /// The profile that runs say they used.
    pub profile: String,
    /// A profile that does not exist.
    pub ghost: String,
    /// How messages get into a run.
    pub live: LiveInput,
    /// What mutating runs write: path and text, in order.
    pub edits: Arc<[(String, String)]>,
    /// The folder of runs, absolute; empty where runs leave no files.
    pub runs: String,
    /// Whether runs need a registered project.
    pub require_project: bool,
    /// Whether it answers as the real daemon does while it recovers its journal.
    pub recovery: bool,
    /// Every random choice comes from it.
    pub seed: u64,
    /// Whether the clock stands still until it is put forward.
    pub scripted_clock: bool,
    /// Run scripts of files.
    pub scripts: RunScripts,
    /// Most runs that are over and kept. Older ones answer that they are gone.
    pub keep: usize,
}

impl Setting {
    /// What a scripted clock shows at first, milliseconds since 1970: 2026-09-01T00:00:00Z, as the contract's questions do.
    pub const CLOCK_MS: u64 = 1_788_220_800_000;
    /// Most kept runs that are over.
    pub const KEEP: usize = 10_000;
    /// Largest body of a request, in bytes: that of the real daemon.
    pub const BODY: u64 = 10 << 20;

    /// What holds where nobody says otherwise, for a daemon that was installed.
    #[must_use]
    pub fn plain(installed: &Installed, seed: u64) -> Self {
        Self {
            manner: Manner::default(),
            token: installed.token.clone(),
            harness: "fake-harness".to_owned(),
            version: "3.99.0".to_owned(),
            sha: "fakesha0".to_owned(),
            model: "mock-model-echo".to_owned(),
            profile: "fake-profile-1".to_owned(),
            ghost: "ghost-profile".to_owned(),
            live: LiveInput::default(),
            edits: Self::edits(),
            runs: installed.runs.clone(),
            require_project: false,
            recovery: false,
            seed,
            scripted_clock: false,
            scripts: RunScripts::default(),
            keep: Self::KEEP,
        }
    }

    /// The edits of mutating runs where nobody gives others.
    #[must_use]
    pub fn edits() -> Arc<[(String, String)]> {
        [("delegated_new.txt", "written by the delegated run\n"), ("tracked.txt", "one\ntwo\nthree\n")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into()
    }

    /// What a run plays that was told this: the script of a file, or what the markers of the prompt ask for.
    #[must_use]
    pub fn script_of(&self, prompt: &str) -> RunScript {
        self.scripts.of(prompt).cloned().unwrap_or_else(|| of_prompt(prompt))
    }

    /// How long questions stay open that do not say it, milliseconds: with the real daemon 15 minutes, else for ever.
    #[must_use]
    pub fn patience_ms(&self) -> Option<u64> {
        match self.manner {
            Manner::Corrected | Manner::Seed => None,
            Manner::Engine => Some(15 * 60 * 1000),
        }
    }

    /// The folder of a run; empty where runs have none.
    #[must_use]
    pub fn run_dir(&self, run: &str) -> String {
        if self.runs.is_empty() { String::new() } else { format!("{}/{run}", self.runs) }
    }

    /// SHA-256 over all that it is set to, hexadecimal. The token is left out, and where its runs lie.
    #[must_use]
    pub fn sum(&self) -> String {
        let Self { manner, token: _, harness, version, sha, model, profile, ghost, live, edits, .. } = self;
        let Self { require_project, recovery, seed, scripted_clock, scripts, keep, .. } = self;
        let text = format!(
            "{manner:?} {harness:?} {version:?} {sha:?} {model:?} {profile:?} {ghost:?} {live:?} {edits:?} {require_project} {recovery} {seed} {scripted_clock} {scripts:?} {keep}"
        );
        digest::text(&digest::of(text.as_bytes()))
    }

    /// An id of hexadecimal digits that follows from the seed and what it is for.
    #[must_use]
    pub fn id(&self, sort: &str, of: &str, digits: usize) -> String {
        let sum = digest::text(&digest::of(format!("{} {sort} {of}", self.seed).as_bytes()));
        sum.chars().take(digits).collect()
    }
}

#[cfg(test)]
impl Setting {
    /// What tests begin from.
    pub(crate) fn of_tests(manner: Manner) -> Self {
        Self {
            manner,
            token: "t".to_owned(),
            harness: "h".to_owned(),
            version: "3".to_owned(),
            sha: "s".to_owned(),
            model: "m".to_owned(),
            profile: "p".to_owned(),
            ghost: "g".to_owned(),
            live: LiveInput::MidTurn,
            edits: Self::edits(),
            runs: "/runs".to_owned(),
            require_project: false,
            recovery: false,
            seed: 7,
            scripted_clock: true,
            scripts: RunScripts::default(),
            keep: 1000,
        }
    }
}
