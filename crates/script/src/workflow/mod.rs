//! Workflows: pieces of work whose steps drive real subsystems, and what each case of them declares.
//!
//! Two forms are read to the same shapes: our own (`version: 1`, steps as objects) and the reference's (steps by name, inputs by
//! step). What differs between them in judging stands in [`Form`].

mod expect;
mod given;
mod step;

pub use crate::read::workflow::{is_one, lint, read};
pub use expect::{Check, Expectation, Loose, LooseCheck};
pub use given::{Given, Part, Piece, Reference, Unresolved};
pub use step::{Input, InputKind, RefusalForm, StepForm, Trigger};

use crate::scenario::Place;
use std::time::Duration;

/// Permissions that workflows can list. Those of kernels, environments, remote machines, science and telemetry are the reference's.
pub const PERMISSIONS: [&str; 11] = [
    "workspace:read",
    "workspace:write",
    "process:exec",
    "network:loopback",
    "agent:run",
    "kernel:python",
    "kernel:r",
    "environment:apply",
    "compute:ssh",
    "network:science",
    "telemetry:consent",
];

/// A workflow file.
#[derive(Clone, Debug, PartialEq)]
pub struct Workflow {
    /// Its name: `workflow` of our form, `id` of the reference's.
    pub id: String,
    /// What it is about, for people; may be empty.
    pub title: String,
    /// Which form it was written in.
    pub form: Form,
    /// Its cases, in the order of the file.
    pub cases: Vec<WorkflowCase>,
    /// Where it stands.
    pub place: Place,
}

/// The two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Ours: expectations at steps, typed refusals, permissions and artifacts enforced.
    Own,
    /// The reference's: one flat map of what all steps observed, expectations over it, permissions and artifacts as prose.
    Reference,
}

/// One case: steps, and how they must end.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowCase {
    /// Its name in a run, unique in the suite: `<workflow>/<case>`.
    pub name: String,
    /// What it is about, for people; may be empty.
    pub title: String,
    /// How it must end.
    pub outcome: Outcome,
    /// The step that must refuse, by its place in `steps`, and the code that it must refuse with. Own form, outcomes `failure` and
    /// `permission_denied`; there always.
    pub refusal: Option<(usize, String)>,
    /// Whether it shows that others can fail: then it passes only where its steps do not end as declared.
    pub control: Option<Control>,
    /// What a control must fail with: a code of a finding, or of a refusal. Any will do where it names none.
    pub because: Option<String>,
    /// Why it is not run.
    pub skip: Option<String>,
    /// Programs without which it is skipped.
    pub needs: Vec<String>,
    /// The steps, in their order; at least one.
    pub steps: Vec<WorkflowStep>,
    /// Reference form: what is expected of the merged observation.
    pub expect: Vec<Loose>,
    /// Own form: capabilities that its steps may use. Reference form: kept, enforced nowhere.
    pub permissions: Vec<String>,
    /// Own form: names of artifacts that must exist with a digest at the end. Reference form: kept, checked nowhere.
    pub artifacts: Vec<String>,
    /// Time limit of the whole case, if it sets one.
    pub time_limit: Option<Duration>,
    /// Where it stands.
    pub place: Place,
}

/// How a case must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All steps end, and what is expected holds.
    Success,
    /// A step refuses.
    Failure,
    /// Something was interrupted, and acknowledged it.
    Cancelled,
    /// Something was broken on purpose, and afterwards all is well.
    Recovered,
    /// A step refuses because it may not.
    PermissionDenied,
    /// A line of descent or a seal was verified.
    Provenance,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Success,
        Self::Failure,
        Self::Cancelled,
        Self::Recovered,
        Self::PermissionDenied,
        Self::Provenance,
    ];

    /// Their words.
    pub const WORDS: [&'static str; 6] = [
        Self::ALL[0].word(),
        Self::ALL[1].word(),
        Self::ALL[2].word(),
        Self::ALL[3].word(),
        Self::ALL[4].word(),
        Self::ALL[5].word(),
    ];

    /// Its word, as in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Cancelled => "cancelled",
            Self::Recovered => "recovered",
            Self::PermissionDenied => "permission_denied",
            Self::Provenance => "provenance",
        }
    }

    /// Whether a step must refuse.
    #[must_use]
    pub const fn refuses(self) -> bool {
        match self {
            Self::Failure | Self::PermissionDenied => true,
            Self::Success | Self::Cancelled | Self::Recovered | Self::Provenance => false,
        }
    }
}

/// What a control shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// `negative`: a degenerate run, which must fail.
    Negative,
    /// `cheat`: a run that only claims what is wanted, which must not pass.
    Cheat,
}

impl Control {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Negative, Self::Cheat];

    /// Their words.
    pub const WORDS: [&'static str; 2] = [Self::Negative.word(), Self::Cheat.word()];

    /// Its word, as in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Negative => "negative",
            Self::Cheat => "cheat",
        }
    }
}

/// One step of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowStep {
    /// Its name in the case, unique there. Where the file gives none it is the name of the step, with `-2` and so on behind it from
    /// the second on.
    pub id: String,
    /// Place of its row in the table of steps that the reader was given.
    pub row: usize,
    /// The name by which the file called that row: its own, or one that the reference has for it.
    pub called: String,
    /// Its inputs, in the order of the file. Reference form: those of `*`, as far as the step knows them, overlaid by its own.
    pub with: Vec<(String, Given)>,
    /// Own form: what is expected of what it observed.
    pub expect: Vec<Expectation>,
    /// Its time limit, if it sets one.
    pub time_limit: Option<Duration>,
    /// Where it stands.
    pub place: Place,
}
