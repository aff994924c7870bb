//! What a worker is asked to do, and how that came out.

use super::format::Format;
use super::format::guard::Limits;
use super::format::ladder::Step;
use super::ownership::{Reading, Set};
use crate::endpoint::class::{Class, Failed};
use crate::policy::Policy;
use std::collections::BTreeSet;

/// What a worker is asked to do.
#[derive(Clone, Debug)]
pub struct Task {
    /// The task in words.
    pub prompt: String,
    /// The model.
    pub model: String,
    /// The files that it owns.
    pub owns: Set,
    /// How its answer is to be written.
    pub format: &'static Format,
    /// How paths of an answer are read.
    pub reading: Reading,
    /// What its answer may be.
    pub limits: Limits,
    /// How often an answer that cannot be used is sent back, 0 or more.
    pub repairs: usize,
    /// How often an answer that can be used, but does not pass what it must pass, is sent back, 0 or more. A policy allows no more
    /// than its cap.
    pub rounds: u32,
    /// Whether files named `.json` must hold JSON.
    pub validate_json: bool,
    /// Most tokens of an answer, where one is set.
    pub limit: Option<u32>,
    /// The temperature, where one is to be sent.
    pub temperature: Option<f64>,
    /// Whether answers are asked for as streams.
    pub stream: bool,
    /// What the endpoint is known to force.
    pub known: BTreeSet<Step>,
}

impl Task {
    /// The same as a policy wants it.
    #[must_use]
    pub fn under(self, policy: Policy) -> Self {
        Self { rounds: self.rounds.min(policy.repair_cap), validate_json: policy.validate_all_json, ..self }
    }
}

/// How a task came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All files were written.
    Applied,
    /// What the model wrote is what is there.
    NoOp,
    /// The model says itself that something is left to do; nothing was written.
    Incomplete,
    /// The model refused.
    Refused(Box<Failed>),
    /// It failed; nothing was written.
    Failed(Box<Failed>),
}

impl Outcome {
    /// Its name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::NoOp => "no_op",
            Self::Incomplete => "incomplete",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
        }
    }

    /// That of a turn that brought no answer.
    #[must_use]
    pub fn of_failure(failed: Box<Failed>) -> Self {
        match failed.class {
            Class::Refusal => Self::Refused(failed),
            _ => Self::Failed(failed),
        }
    }

    /// Whether files were written. Where there was nothing to write nobody can tell whether the task is done.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Applied)
    }
}
