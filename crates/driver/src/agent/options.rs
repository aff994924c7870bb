//! What the agent is told, and how it ends.

use crate::secret::Secret;
use std::path::PathBuf;
use std::time::Duration;

/// What the agent is told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Base URL of the endpoint, with its `/v1` if it has one: `http` or `https`.
    pub base_url: String,
    /// Sent as a bearer token. An empty one is not sent, which only an endpoint on this machine is asked without.
    pub api_key: Secret,
    /// The model to ask for.
    pub model: String,
    /// The task.
    pub prompt: String,
    /// The folder in which the tools work. It must exist.
    pub workspace: PathBuf,
    /// `PATH` of the commands that the model runs; `None` for where systems keep their programs.
    pub search_path: Option<String>,
    /// Whether answers are asked for as streams.
    pub stream: bool,
    /// Longest time for one request and its answer; of a stream, its longest silence. Comments break no silence.
    pub request_timeout: Duration,
    /// Longest time for everything.
    pub total_timeout: Duration,
    /// Longest time for one command that the model runs.
    pub command_timeout: Duration,
    /// Longest wait that the provider may ask for before a further attempt.
    pub longest_wait: Duration,
    /// Attempts per logical call, 1 or more.
    pub attempts: u32,
    /// Turns in which the model may call tools.
    pub iterations: u32,
}

impl Options {
    /// The usual limits around a task.
    #[must_use]
    pub fn new(base_url: String, api_key: Secret, model: String, prompt: String, workspace: PathBuf) -> Self {
        Self {
            base_url,
            api_key,
            model,
            prompt,
            workspace,
            search_path: None,
            stream: false,
            request_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(120),
            command_timeout: Duration::from_secs(20),
            longest_wait: Duration::from_secs(30),
            attempts: 3,
            iterations: 12,
        }
    }
}

/// How the agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The model gave its last answer.
    Done,
    /// The provider refused the request for good.
    Refused,
    /// The options cannot be used.
    BadUsage,
    /// A cap was reached: turns, attempts, time, or the length of an answer.
    GaveUp,
    /// The model declined: a refusal, or an answer held back by a content filter.
    Declined,
}

impl Exit {
    /// The exit status of a process that ends this way: 0 to 4 in the order of the variants.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::BadUsage => 2,
            Self::GaveUp => 3,
            Self::Declined => 4,
        }
    }
}
