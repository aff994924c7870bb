//! The run file: what a finished run is made of, which verdict each case got, and the journals' heads.

use crate::digest;
use crate::event::Judged;
use crate::work::WorkflowResult;
use serde::{Deserialize, Serialize};

/// Version of the run file's format.
pub const VERSION: u32 = 4;

/// `run.json` of a run folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// Version of this format.
    pub format: u32,
    /// Id of the run: the name of its folder.
    pub run: String,
    /// Program and version.
    pub program: String,
    /// Seed of every random choice.
    pub seed: u64,
    /// The suite's files as they were named, with the SHA-256 of their bytes.
    pub suite: Vec<(String, String)>,
    /// Profile in force.
    pub profile: String,
    /// The agent's command before placeholders were filled, secrets masked; empty for the built-in one.
    pub agent: Vec<String>,
    /// Wall clock at the start, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// How long the run took, milliseconds.
    pub took_ms: u64,
    /// The cases, in the order of the suite.
    pub cases: Vec<CaseResult>,
    /// Every code that stands in a finding of `cases`, explained, so that a report needs nothing but this file.
    pub codes: Vec<CodeText>,
    /// How often each case ran.
    pub repeat: u32,
    /// Which part of the suite this run had: part `k` of `n`, from 1. None where it had all, or where parts were merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<(u32, u32)>,
    /// The shards that a partial merge went without, from 1; empty where it had all, or where nothing was merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<u32>,
    /// SHA-256 over the digests of the suite's files, sorted, as a compact JSON list, hexadecimal: equal for equal suites, wherever
    /// they lie. Empty in runs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite_digest: String,
    /// Seed of the order in which the cases began, where it was not that of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u64>,
    /// Whether a case that was skipped or is not supported fails the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_skips: bool,
    /// Whether the first failure ended the run, so that cases are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_early: bool,
    /// The journals of what belongs to no case: one, or one for each merged part.
    pub servers: Vec<JournalHead>,
    /// SHA-256 over the normalised journals of all cases: equal for two runs in which the same things happened.
    pub normalised: String,
}

/// A journal and its head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHead {
    /// The journal's name in the run folder, without segment number and suffix.
    pub journal: String,
    /// Hash of its last line.
    pub head: String,
    /// Requests in it.
    pub requests: u64,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything the case declares was met.
    Passed,
    /// Something it declares was not met.
    Failed,
    /// It could not be judged: the world failed.
    Broken,
    /// A step, or the whole of it, had to be ended at its time limit. Workflow cases alone; an agent's is a finding.
    #[serde(rename = "timeout")]
    TimedOut,
    /// It was not run, for a reason that its file or this machine gives.
    Skipped,
    /// This system cannot do what one of its steps is.
    Unsupported,
}

impl Verdict {
    /// All, the worst first.
    pub const ALL: [Self; 6] =
        [Self::Failed, Self::TimedOut, Self::Broken, Self::Unsupported, Self::Skipped, Self::Passed];

    /// Its word, as in files and on terminals.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Broken => "broken",
            Self::TimedOut => "timeout",
            Self::Skipped => "skipped",
            Self::Unsupported => "unsupported",
        }
    }

    /// Whether the case was executed and judged: what was skipped or is not supported was not.
    #[must_use]
    pub const fn is_executed(self) -> bool {
        match self {
            Self::Passed | Self::Failed | Self::Broken | Self::TimedOut => true,
            Self::Skipped | Self::Unsupported => false,
        }
    }
}

/// How an agent took a fault. The later outweighs the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It never met it: it asks for no stream, say, and the fault breaks streams.
    NotMet,
    /// It came to the end of its work as if nothing had been.
    Passed,
    /// It ended by itself with a clear failure and did nothing wrong.
    Survived,
    /// It did something wrong, or took a broken answer for a whole one.
    Wrong,
    /// It had to be stopped.
    Hung,
}

impl Outcome {
    /// All, from good to bad.
    pub const ALL: [Self; 5] = [Self::NotMet, Self::Passed, Self::Survived, Self::Wrong, Self::Hung];

    /// The word for it, in tables and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NotMet => "not-met",
            Self::Passed => "passed",
            Self::Survived => "survived",
            Self::Wrong => "wrong",
            Self::Hung => "hung",
        }
    }
}

/// One graded case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// Class of the phrasing, or the workflow.
    pub class: String,
    /// The phrasing, or the workflow case: names the case.
    pub phrasing: String,
    /// The fault that broke the provider's answers, with its parameters; none where none was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// How the agent took the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Where it stands in the suite.
    pub place: Place,
    /// Which repetition this is, from 1.
    pub round: u32,
    /// Verdict.
    pub verdict: Verdict,
    /// What was judged, most telling first. The case failed if one of them is an error.
    pub findings: Vec<Finding>,
    /// Requests of the conversation, further attempts included.
    pub requests: u64,
    /// Further attempts among them.
    pub retries: u64,
    /// Steps answered, and steps of the script.
    pub steps: (u64, u64),
    /// How long the agent ran, milliseconds.
    pub ran_ms: u64,
    /// Exit status of the agent, if it ended by itself.
    pub status: Option<i32>,
    /// Its steps and what they observed, where it is a workflow case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowResult>,
    /// The case's journal.
    pub journal: JournalHead,
    /// SHA-256 of its normalised lines.
    pub normalised: String,
}

/// The name of one attempt at a case: the case, the fault that it was under, the round from the second on.
#[must_use]
pub fn label(case: &str, fault: Option<&str>, round: u32) -> String {
    let fault = fault.map(|fault| format!("@{fault}")).unwrap_or_default();
    let round = if round > 1 { format!("~{round}") } else { String::new() };
    format!("{case}{fault}{round}")
}

impl CaseResult {
    /// The name of this attempt at the case: that of its journal and of its folder.
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.phrasing, self.fault.as_deref(), self.round)
    }

    /// The case with the fault that it was under: what all its rounds have in common.
    #[must_use]
    pub fn name(&self) -> String {
        label(&self.phrasing, self.fault.as_deref(), 1)
    }

    /// All its journals: its own, then those of its steps.
    pub fn journals(&self) -> impl Iterator<Item = &JournalHead> {
        let of_steps = self.workflow.iter().flat_map(|workflow| &workflow.journals);
        std::iter::once(&self.journal).chain(of_steps)
    }

    /// What the run's journal says of this verdict.
    #[must_use]
    pub fn judged(&self) -> Judged {
        // Strings, numbers and lists of them always serialise.
        let text = serde_json::to_string(self).unwrap_or_else(|error| error.to_string());
        Judged { case: self.name(), round: self.round, sha256: digest::text(&digest::of(text.as_bytes())) }
    }
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Likely to hurt elsewhere; the case still passes.
    Warning,
    /// The case fails.
    Error,
}

/// One thing judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Code, kebab-case; `rehearsal explain CODE` tells more.
    pub code: String,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence: what the agent did and what was right.
    pub message: String,
    /// Numbers of the requests it rests on, in the case's journal.
    pub exchanges: Vec<u64>,
    /// What else was not as declared, most likely because of this: one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

/// Where a case stands in the suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The file as it was named.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
}

/// A code in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeText {
    /// The code.
    pub code: String,
    /// What a finding of it means.
    pub meaning: String,
    /// What to do about it.
    pub remedy: String,
}

/// The digest of a suite, from those of its files: see [`RunFile::suite_digest`].
#[must_use]
pub fn suite_digest(files: &[(String, String)]) -> String {
    let mut sums: Vec<&str> = files.iter().map(|(_, sum)| sum.as_str()).collect();
    sums.sort_unstable();
    // A list of texts always serialises.
    let text = serde_json::to_string(&sums).unwrap_or_default();
    digest::text(&digest::of(text.as_bytes()))
}

impl RunFile {
    /// The text of `run.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them always serialise.
        serde_json::to_string_pretty(self)
            .map_or_else(|error| format!("{{\"error\": \"{error}\"}}\n"), |text| text + "\n")
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// What is wrong with it, as one sentence; a newer format says so.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } =
            serde_json::from_str(text).map_err(|error| format!("this is no run file: {error}"))?;
        if format > VERSION {
            return Err(format!("this run file has format {format}; this program reads up to {VERSION}"));
        }
        serde_json::from_str(text).map_err(|error| format!("this run file is damaged: {error}"))
    }

    /// How many cases got this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }
}
