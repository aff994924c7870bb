//! What became of a workflow case's steps. Part of the format on disk.

use crate::run::JournalHead;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One fact. A step is named by its id in its case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// A case begins.
    Began {
        /// The outcome that it declares.
        declared: String,
        /// What it runs in: names and values, such as the system, and how paths are walked.
        posture: Vec<(String, String)>,
    },
    /// A step begins.
    StepBegan {
        /// The step.
        step: String,
        /// The row of the table of steps that it uses.
        uses: String,
        /// Its inputs, references replaced, secrets masked.
        with: Map<String, Value>,
    },
    /// A step is over.
    StepEnded(Box<StepResult>),
    /// A path, an address or a permission was refused. Stands before the end of its step.
    Refused {
        /// The step.
        step: String,
        /// The code.
        code: String,
        /// The path that was asked for, escaped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// What the system answered, such as `ELOOP`; none where it was not asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<String>,
    },
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// It did its work. Whether that is what was expected is another matter.
    Done,
    /// The subsystem refused.
    Refused,
    /// The world failed.
    Failed,
    /// It was ended at its time limit.
    TimedOut,
    /// This system cannot do that.
    Unsupported,
}

impl StepEnd {
    /// Its word, as in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Unsupported => "unsupported",
        }
    }
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepResult {
    /// The step.
    pub step: String,
    /// The row of the table of steps that it used.
    pub uses: String,
    /// How it ended.
    pub end: StepEnd,
    /// What it observed, by field.
    pub observed: Map<String, Value>,
    /// Fields of `observed` that differ from run to run, such as ports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volatile: Vec<String>,
    /// The code of its refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Why it did not do its work: one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What it vouches for: `interrupt_acknowledged`, `fault_injected`, `edge_verified`, `seal_verified`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proofs: Vec<String>,
    /// How long it took, microseconds.
    pub wall_us: u64,
    /// Processor time that it used, microseconds; none where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Most memory that its program held, KiB; none where it has no program of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_rss_kb: Option<u64>,
}

/// What a run file says of a workflow case, beside its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowResult {
    /// The outcome that it declares.
    pub declared: String,
    /// Whether it is a control (`negative`, `cheat`): then its verdict says whether its steps did not end as declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Why it was skipped, or is not supported here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The folder in which it worked, below the run folder; none where nothing was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// What it ran in: names and values.
    pub posture: Vec<(String, String)>,
    /// Journals of its steps that have one of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journals: Vec<JournalHead>,
    /// The steps that began, in order.
    pub steps: Vec<StepResult>,
}

impl Fact {
    /// The fact without what differs between two runs of the same.
    #[must_use]
    pub fn normal(&self) -> Self {
        match self {
            Self::StepEnded(ended) => {
                let StepResult { step, uses, end, observed, volatile, code, message, proofs, .. } = &**ended;
                let mut observed = observed.clone();
                for field in volatile {
                    observed.insert(field.clone(), Value::Null);
                }
                Self::StepEnded(Box::new(StepResult {
                    step: step.clone(),
                    uses: uses.clone(),
                    end: *end,
                    observed,
                    volatile: volatile.clone(),
                    code: code.clone(),
                    message: message.clone(),
                    proofs: proofs.clone(),
                    wall_us: 0,
                    cpu_us: None,
                    peak_rss_kb: None,
                }))
            }
            Self::Began { .. } | Self::StepBegan { .. } | Self::Refused { .. } => self.clone(),
        }
    }
}
