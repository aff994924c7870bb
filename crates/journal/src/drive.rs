//! What workers do: requests, answers, files, and what was proved of them. Part of the format on disk.
//!
//! What is left of a wave after a kill follows from these facts alone.

use serde::{Deserialize, Serialize};

/// One fact. An item is a slug of a wave; a single task is the item `task`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// A process took the work over.
    Began {
        /// Wall clock, milliseconds since 1970.
        unix_ms: u64,
        /// Its id.
        pid: u32,
        /// The items, in their order.
        items: Vec<String>,
        /// Seed of every random choice.
        seed: u64,
    },
    /// Somebody works on an item.
    Started {
        /// The item.
        item: String,
        /// SHA-256 of all that it is asked to do and how, hexadecimal.
        work: String,
        /// The model.
        model: String,
        /// Wall clock, milliseconds since 1970.
        unix_ms: u64,
    },
    /// A request is about to leave.
    Sending {
        /// The item.
        item: String,
        /// Its number in the task, from 1.
        number: u32,
    },
    /// It came to this.
    Sent(Box<Sent>),
    /// The files of an item are about to be written. Where they all hold what stands here it ended so, though its process ended before
    /// it could say it.
    Writing(Box<Ended>),
    /// An item is over.
    Ended(Box<Ended>),
    /// It was looked at once more, after all were over.
    LookedAgain {
        /// The item.
        item: String,
        /// Whether it is still as good as it was.
        green: bool,
    },
    /// Nothing more starts.
    Stopped {
        /// Why, in a word.
        reason: String,
    },
}

/// One request and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The item.
    pub item: String,
    /// Its number in the task, from 1.
    pub number: u32,
    /// The class of its failure; none where it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The status of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long was waited before it, milliseconds.
    pub wait_ms: u64,
    /// How long it took, milliseconds.
    pub took_ms: u64,
    /// Bytes of bodies that were sent.
    pub bytes_out: u64,
    /// Bytes of bodies that arrived.
    pub bytes_in: u64,
    /// Tokens of the prompt, where they were told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer, where they were told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// Whether the provider may have spent tokens on it, told or not.
    #[serde(default)]
    pub may_cost: bool,
}

/// How an item ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// The item.
    pub item: String,
    /// Its outcome.
    pub outcome: String,
    /// Whether it was proved.
    pub verified: bool,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The class of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Whether something about it was not quite as it should be.
    pub suspect: bool,
    /// Its files: path, and SHA-256 of what they hold now, hexadecimal; none where they are not there.
    pub files: Vec<(String, Option<String>)>,
    /// Wall clock, milliseconds since 1970.
    pub unix_ms: u64,
}

impl Fact {
    /// The fact without what differs between two runs that saw the same: times and process ids.
    #[must_use]
    pub fn normal(&self) -> Self {
        match self {
            Self::Began { items, seed, .. } => {
                Self::Began { unix_ms: 0, pid: 0, items: items.clone(), seed: *seed }
            }
            Self::Started { item, model, .. } => {
                Self::Started { item: item.clone(), work: String::new(), model: model.clone(), unix_ms: 0 }
            }
            Self::Sent(sent) => Self::Sent(Box::new(Sent { wait_ms: 0, took_ms: 0, ..Sent::clone(sent) })),
            Self::Writing(ended) => Self::Writing(Box::new(Ended { unix_ms: 0, ..Ended::clone(ended) })),
            Self::Ended(ended) => Self::Ended(Box::new(Ended { unix_ms: 0, ..Ended::clone(ended) })),
            Self::Sending { .. } | Self::LookedAgain { .. } | Self::Stopped { .. } => self.clone(),
        }
    }
}
