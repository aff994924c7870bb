//! What a stand-in for an agent-run daemon takes down: what it decided of each request, and what became of its runs. Part of the
//! format on disk.
//!
//! A line [`Fact::Decided`] stands right behind the line of its request, and what the request changed right behind that, before
//! the answer leaves. Texts of prompts, answers and messages are not here: digests and lengths are.

use serde::{Deserialize, Serialize};

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// A process serves from now on.
    Began {
        /// Wall clock, milliseconds since 1970.
        unix_ms: u64,
        /// Its id.
        pid: u32,
        /// SHA-256 of what it is set to, hexadecimal.
        setting: String,
    },
    /// What was decided of a request.
    Decided(Decided),
    /// A run began.
    RunStarted {
        /// The run.
        run: String,
        /// The idempotency key of its start.
        key: String,
        /// The script that it plays: its name, or the markers of the prompt.
        script: String,
        /// SHA-256 of its prompt, hexadecimal.
        prompt: String,
    },
    /// A run asks its user something.
    QuestionAsked {
        /// The run.
        run: String,
        /// The question.
        question: String,
    },
    /// A question is open no longer.
    QuestionClosed {
        /// The run.
        run: String,
        /// The question.
        question: String,
        /// Why.
        how: Closed,
    },
    /// A live message came to its outcome.
    MessageTaken {
        /// The run.
        run: String,
        /// The message's id, which is its idempotency key.
        message: String,
        /// The outcome, as the answer says it.
        outcome: String,
        /// The reason, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The text.
        text: Sum,
    },
    /// Somebody wants a run to end.
    CancelAsked {
        /// The run.
        run: String,
        /// Whether it was over already.
        late: bool,
    },
    /// A file was written.
    FileWritten {
        /// The run.
        run: String,
        /// Where.
        place: Place,
        /// Its path there, `/` between the parts.
        path: String,
        /// What it holds.
        content: Sum,
    },
    /// A run wanted to write, and nothing was written.
    WriteRefused {
        /// The run.
        run: String,
        /// What stood in the way.
        why: String,
    },
    /// A run is over.
    RunEnded {
        /// The run.
        run: String,
        /// `succeeded`, `failed`, `cancelled` or `interrupted`.
        state: String,
        /// The code of its failure, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// A project was registered or removed.
    ProjectChanged {
        /// Its id.
        project: String,
        /// Whether it is registered now.
        registered: bool,
    },
    /// The scripted clock was put forward.
    ClockMoved {
        /// Milliseconds since 1970 that it shows now.
        unix_ms: u64,
    },
    /// A line of ACP came from the client.
    LineHeard(Line),
    /// A line of ACP leaves for the client.
    LineSaid(Line),
    /// A line of ACP is not what it should be.
    LineRefused {
        /// Why, for programs, such as `invalid_params`.
        code: String,
        /// Why, in words.
        why: String,
    },
    /// Something came to another state: what stands beside runs, such as an upload or a model operation, or a run that waits in a queue.
    ItemChanged {
        /// What it is: `upload`, `model_operation`, `trust`, `a2a_task`, or `run` (`queued`, then `running`).
        item: String,
        /// Its id.
        id: String,
        /// Its state.
        state: String,
    },
}

/// A line of ACP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The method; of an answer, that of the request it answers. None where nobody knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The id, JSON text; none for notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The session that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The line without its end.
    pub line: Sum,
}

/// What was decided of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The number of the request in its journal; 0 where it is not known.
    pub exchange: u64,
    /// The operation, as in `run.start`; `none` where the request names none.
    pub operation: String,
    /// The run that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The idempotency key that came along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// SHA-256 over the canonical form of the body, hexadecimal, where a receipt is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether a kept receipt was given again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// The status of the answer; 0 where none leaves.
    pub status: u16,
    /// The code of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How a scripted mode broke the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// Why a question is open no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closed {
    /// It was answered.
    Answered,
    /// Its time passed.
    TimedOut,
    /// The run ended.
    Released,
}

/// Where a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the private workspace of a run.
    Workspace,
    /// In the run's own folder.
    Run,
}

/// Length and digest of what is not taken down itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// Bytes.
    pub bytes: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}

impl Sum {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, sha256: crate::digest::text(&crate::digest::of(bytes)) }
    }
}

impl Fact {
    /// The fact without what differs between two runs that saw the same: times and process ids.
    #[must_use]
    pub fn normal(&self) -> Self {
        match self {
            Self::Began { setting, .. } => Self::Began { unix_ms: 0, pid: 0, setting: setting.clone() },
            Self::Decided(_)
            | Self::RunStarted { .. }
            | Self::QuestionAsked { .. }
            | Self::QuestionClosed { .. }
            | Self::MessageTaken { .. }
            | Self::CancelAsked { .. }
            | Self::FileWritten { .. }
            | Self::WriteRefused { .. }
            | Self::RunEnded { .. }
            | Self::ProjectChanged { .. }
            | Self::ClockMoved { .. }
            | Self::LineHeard(_)
            | Self::LineSaid(_)
            | Self::LineRefused { .. }
            | Self::ItemChanged { .. } => self.clone(),
        }
    }
}
