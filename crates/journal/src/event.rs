//! What happened: one enum, past tense, facts and digests only. This is the format on disk, version 1.

use crate::bridge::Fact;
use crate::daemon;
use crate::drive;
use crate::work;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the line format. An older reader that meets a newer one says so.
pub const VERSION: u32 = 1;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The journal (or a further segment of it) begins.
    Opened(Opened),
    /// A request was read and judged. Written before the first byte of its reply leaves.
    Asked(Box<Asked>),
    /// What really left for a request.
    Answered(Answered),
    /// The agent's process started.
    AgentStarted(AgentStarted),
    /// The agent's process ended, or was ended.
    AgentExited(AgentExited),
    /// Files of the workspace before the agent started.
    WorkspaceFound(WorkspaceSeen),
    /// A watched command was about to run.
    CommandRan(CommandRan),
    /// Something asked the refusing proxy for a way out of this machine. It got none.
    EscapeTried(EscapeTried),
    /// Files of the workspace after the agent ended.
    WorkspaceSeen(WorkspaceSeen),
    /// The cassette that played the provider of a case was put away.
    CassettePlayed(CassettePlayed),
    /// A case got its verdict. Stands in the journal of the run, so that `run.json` cannot say otherwise.
    Judged(Judged),
    /// Something became of a recording bridge's cases, forwards or requests.
    Bridge(Fact),
    /// Something became of a stand-in for an agent-run daemon, its requests or its runs.
    Daemon(daemon::Fact),
    /// Something became of a worker's task.
    Drive(drive::Fact),
    /// Something became of a workflow case's steps.
    Work(work::Fact),
    /// The journal ends in order.
    Closed {
        /// Requests in the whole journal, over all segments.
        requests: u64,
    },
}

/// The first line of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// Id of the run.
    pub run: String,
    /// The case, or none for what belongs to no case.
    pub case: Option<String>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Wall clock at the opening, milliseconds since 1970.
    pub unix_ms: u64,
    /// Program and version.
    pub program: String,
    /// Segment number, from 1.
    pub segment: u32,
}

/// What kind of request it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Part of a script.
    Scenario,
    /// Not part of any script (boot probes, titles).
    Background,
    /// Past the end of its script.
    Overrun,
    /// A body that is no JSON, or whose bytes did not arrive whole.
    BadJson,
    /// A route that does not exist.
    WrongPath,
    /// Taken by a hostile mode of the whole server.
    Hostile,
    /// Refused by the HTTP layer before it had a meaning.
    Unreadable,
    /// A route beside the conversation: health, stats, models.
    Aside,
}

impl Kind {
    /// As the journal spells it, and the original stub's log.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Background => "background",
            Self::Overrun => "overrun",
            Self::BadJson => "bad_json",
            Self::WrongPath => "wrong_path",
            Self::Hostile => "hostile",
            Self::Unreadable => "unreadable",
            Self::Aside => "aside",
        }
    }
}

/// A request and what was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Number of the request in this journal, from 1.
    pub exchange: u64,
    /// Number of the connection in this process, from 1.
    pub conn: u64,
    /// Method as sent.
    pub method: String,
    /// Request target as sent, query included, secrets masked.
    pub path: String,
    /// Header names and values as sent, secrets masked; `None` where equal to the journal's previous request.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub headers: Option<Vec<(String, String)>>,
    /// The body, where one was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body: Option<Body>,
    /// What kind of request it was.
    pub kind: Kind,
    /// Class of the matched phrasing.
    pub class: Option<String>,
    /// The matched phrasing.
    pub phrasing: Option<String>,
    /// The step that answered or would have answered.
    pub step: Option<u64>,
    /// Elements of the message list.
    pub n_messages: u64,
    /// Assistant messages among them.
    pub n_assistant: u64,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The refusal, if it was refused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reject: Option<Rejected>,
    /// Worth a finding, no ground for refusal.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<Noted>,
    /// Tool-call ids that the request answers, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub answers: Vec<String>,
    /// What is meant to be sent.
    pub delivered: Delivered,
    /// Status of the reply; none where nothing will be sent.
    pub http_status: Option<u16>,
    /// Where the JSON reader gave up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bad_json: Option<BadJson>,
    /// The earlier request of this journal with an equal body: this one is a further attempt at it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attempt_of: Option<u64>,
    /// What the client's retry header counts (`x-stainless-retry-count`), where it sends one above 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry: Option<u32>,
    /// Why a request that holds a prompt of a script is still no part of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub side_call: Option<SideCall>,
}

impl Asked {
    /// A request of this kind of which nothing else is known yet.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        Self {
            exchange: 0,
            conn: 0,
            method: String::new(),
            path: String::new(),
            headers: None,
            body: None,
            kind,
            class: None,
            phrasing: None,
            step: None,
            n_messages: 0,
            n_assistant: 0,
            stream: false,
            reject: None,
            notes: Vec::new(),
            answers: Vec::new(),
            delivered: Delivered::default(),
            http_status: None,
            bad_json: None,
            attempt_of: None,
            retry: None,
            side_call: None,
        }
    }
}

/// Why a request that holds a prompt of a script is still no part of it. It is answered as background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideCall {
    /// It offers no tools and holds no calls, while the script calls tools: a title, a summary, a suggestion.
    NoTools,
    /// It leaves no room for an answer: a probe of the endpoint or the model.
    Probe,
    /// It comes after the script's last answer and goes on from there.
    AfterTheEnd,
}

/// A body beside the journal: what is new against the previous one, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Length in bytes.
    pub len: u64,
    /// SHA-256 of the whole body, hexadecimal.
    pub sha256: String,
    /// Bytes that its beginning shares with the previous body of this segment.
    pub head: u64,
    /// Bytes that its end shares with the previous body, beyond `head`.
    pub tail: u64,
    /// Offset in the segment's bodies file of the `len - head - tail` new bytes.
    pub at: u64,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejected {
    /// The rule that refused.
    pub rule: String,
    /// The envelope's type.
    pub kind: String,
    /// The envelope's code.
    pub code: Option<String>,
    /// The envelope's param.
    pub param: Option<String>,
    /// JSON pointer into the body.
    pub pointer: String,
    /// The sentence that was sent.
    pub message: String,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    /// Code of the finding.
    pub code: String,
    /// JSON pointer into the body.
    pub pointer: String,
    /// One sentence.
    pub message: String,
}

/// What was meant to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivered {
    /// Ids and names of the tool calls.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<(String, String)>,
    /// Finish reason of a scripted answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finish_reason: Option<Cow<'static, str>>,
    /// Status of a scripted error.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub api_error: Option<u16>,
    /// Names of the faults that broke the answer, joined by `+`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fault: Option<String>,
    /// How long the answer asks the client to wait before it tries again, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry_after_ms: Option<u64>,
}

/// Where the JSON reader gave up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BadJson {
    /// Byte offset.
    pub offset: u64,
    /// The byte there as `0xNN`; none at the end of the text.
    pub byte: Option<String>,
    /// Up to 60 bytes on either side, what is not printable ASCII as `\xNN`.
    pub near: String,
    /// The reader's words.
    pub why: String,
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All that was planned left.
    Complete,
    /// The client closed or reset the connection first.
    ClientLeft,
    /// A deadline of ours ended it.
    TimedOut,
    /// The server was shut down first.
    Stopped,
}

/// What really left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The request.
    pub exchange: u64,
    /// Bytes of head and body that the kernel accepted.
    pub bytes: u64,
    /// SHA-256 over them, hexadecimal.
    pub sha256: String,
    /// How it ended.
    pub end: End,
}

/// The agent's process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentStarted {
    /// Program and arguments, placeholders filled, secrets masked.
    pub argv: Vec<String>,
    /// Process id.
    pub pid: u32,
    /// The prompt that it was given.
    pub prompt: String,
    /// Its time limit in milliseconds.
    pub time_limit_ms: u64,
    /// Which network it could see.
    pub network: Network,
}

/// Which network an agent could see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// That of this machine; `HTTPS_PROXY` leads to a proxy that refuses and takes down.
    #[default]
    Host,
    /// None but a loopback of its own, with the stand-in on it: the kernel let nothing else out.
    Namespace,
}

/// A watched command, as the shim that stands before it on PATH saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRan {
    /// Its name and its arguments, secrets masked.
    pub argv: Vec<String>,
    /// Its current folder: relative to the workspace, `.` for the workspace itself, absolute outside of it.
    pub folder: String,
}

/// An attempt to leave this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EscapeTried {
    /// Method of the request to the proxy, `CONNECT` mostly; empty where it was no HTTP.
    pub method: String,
    /// Where it wanted to: `host:port`, or scheme and host of a URL. Its path may be a secret.
    pub target: String,
}

/// What was asked for of a cassette that played the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassettePlayed {
    /// How many recordings it has.
    pub recordings: u64,
    /// The names of those that were never asked for, in the order in which they were recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The case, with `@` and the fault that it was under, if any.
    pub case: String,
    /// Which repetition of it, from 1.
    pub round: u32,
    /// SHA-256 of the case's element of `cases` in `run.json`, written as compact JSON; hexadecimal.
    pub sha256: String,
}

/// Captured output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Bytes that the process wrote.
    pub bytes: u64,
    /// SHA-256 of the bytes that were kept, hexadecimal.
    pub sha256: String,
    /// Whether some were not kept.
    pub capped: bool,
}

/// How the agent's process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentExited {
    /// Exit status; none where a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether we ended it at its time limit.
    pub timed_out: bool,
    /// How long it ran, milliseconds.
    pub ran_ms: u64,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
}

/// The workspace afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceSeen {
    /// Files by relative path: length and SHA-256.
    pub files: Vec<(String, u64, String)>,
    /// Paths of what is there and has no digest: links, pipes, files that are too large or may not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Whether there were more than the host looked at.
    pub capped: bool,
}
