//! What a recording bridge takes down: what became of its cases, of each forward, and of each request. Part of the format on disk.
//!
//! What a bridge may still do follows from these facts alone: its state is a fold over them.

use serde::{Deserialize, Serialize};

/// One fact. `sequence` is the number of a request in the folder, from 1; it outlives the process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// A process took the folder over.
    Began {
        /// Wall clock, milliseconds since 1970.
        unix_ms: u64,
        /// Its id.
        pid: u32,
        /// SHA-256 of what it is set to, hexadecimal.
        setting: String,
    },
    /// A case may forward its one request.
    Armed {
        /// The request that asked for it.
        sequence: u64,
        /// The case.
        case: String,
    },
    /// It may not any more.
    Disarmed {
        /// The request that asked for it.
        sequence: u64,
        /// The case.
        case: String,
    },
    /// The budget for a forward is spent. On the disk before the network is touched, and never taken back.
    Reserved {
        /// The request.
        sequence: u64,
        /// The case, where the budget is a case's.
        case: Option<String>,
    },
    /// There is a connection, and the request is about to leave on it.
    Sent {
        /// The request.
        sequence: u64,
    },
    /// The head of the answer came.
    Headed {
        /// The request.
        sequence: u64,
        /// Its status.
        status: u16,
    },
    /// The process that made a reservation ended before the answer did. Found at the next start.
    Interrupted {
        /// The request.
        sequence: u64,
        /// How far it is known to have come.
        reached: Reached,
        /// Bytes of the answer that were kept.
        kept: u64,
        /// Tokens that these say it cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<u64>,
    },
    /// A request is over.
    Done(Box<Done>),
}

impl Fact {
    /// The fact without what differs between two runs that saw the same: times and process ids.
    #[must_use]
    pub fn normal(&self) -> Self {
        match self {
            Self::Began { setting, .. } => Self::Began { unix_ms: 0, pid: 0, setting: setting.clone() },
            Self::Done(done) => Self::Done(Box::new(Done { unix_ms: 0, took_us: 0, ..Done::clone(done) })),
            Self::Armed { .. }
            | Self::Disarmed { .. }
            | Self::Reserved { .. }
            | Self::Sent { .. }
            | Self::Headed { .. }
            | Self::Interrupted { .. } => self.clone(),
        }
    }
}

/// How far a forward came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// The budget was spent; whether a byte left is not known, but no connection was written down.
    Reserved,
    /// The request was about to leave.
    Sent,
    /// The answer had begun.
    Headed,
}

/// What kind of request it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Arming, disarming, the state.
    Control,
    /// Health, the list of models: nothing that a budget counts.
    Metadata,
    /// What a model answers.
    Generation,
    /// A browser asks whether it may ask.
    Preflight,
    /// What cannot be read or is not served.
    Invalid,
}

/// What was done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It was refused; nothing was forwarded.
    Denied,
    /// A preflight was answered.
    CorsPreflight,
    /// The state was told.
    ReadState,
    /// The health was told.
    BridgeHealth,
    /// A case was armed.
    ArmCase,
    /// A case was disarmed.
    DisarmCase,
    /// It was forwarded and answered to the end.
    RealBackendForward,
    /// It was forwarded, and the answer never came or not whole. It is not tried again.
    ForwardFailedNoRetry,
    /// It was answered with what an earlier forward of the same call had brought; nothing was forwarded.
    Replayed,
}

/// Bytes of one hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// How many.
    pub bytes: u64,
    /// Their SHA-256, hexadecimal.
    pub sha256: String,
}

/// A request that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Its number.
    pub sequence: u64,
    /// When it came, milliseconds since 1970.
    pub unix_ms: u64,
    /// From its coming to the end of the answer, microseconds.
    pub took_us: u64,
    /// What it was.
    pub kind: Kind,
    /// Its method.
    pub method: String,
    /// Its target without the query, secrets masked.
    pub path: String,
    /// Its path where that is one that the bridge knows, else `other`: all that the public may see of it.
    pub route: String,
    /// The case that it belongs to.
    pub case: Option<String>,
    /// Whether it counts as an attempt at that case.
    pub attempt: bool,
    /// What was done about it.
    pub action: Action,
    /// The status that the client was sent; none where nothing left.
    pub status: Option<u16>,
    /// The code of the refusal or failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `Origin`, where it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Whether a key came along. The key itself is nowhere.
    pub authorized: bool,
    /// Whether it was forwarded.
    pub forwarded: bool,
    /// What the client asked.
    pub request: Hop,
    /// What was sent to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_request: Option<Hop>,
    /// What came of the provider's answer, its content coding left in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_response: Option<Hop>,
    /// What the client really got of the body.
    pub served: Hop,
    /// Status of the provider's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_status: Option<u16>,
    /// Beginning of the names of its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// The exchange whose recording answered it: the beginning of the names of that one's files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<String>,
    /// SHA-256 of its readable file, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readable: Option<String>,
    /// Whether its last user text equals the case's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_equivalent: Option<bool>,
    /// Whether the bytes of the generated parts left as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices_unchanged: Option<bool>,
    /// Whether the provider's answer came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// Whether the client left before the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub client_left: bool,
    /// Tokens that the answer says it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// What failed, for the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
