//! What was proved of an answer, and how: every number of the policy with what it did.

use super::Proof;
use super::review::Judged;
use crate::policy::{Tier, lower_bound};
use std::time::Duration;

/// One command that ran in a clean copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Which it was.
    pub sort: Sort,
    /// Its exit status; none where a signal or its time limit ended it, or it never began.
    pub status: Option<i32>,
    /// The signal.
    pub signal: Option<i32>,
    /// Whether it was ended at its time limit.
    pub timed_out: bool,
    /// How long it ran.
    pub took: Duration,
    /// Processes that left its group, outlived it, and were killed.
    pub strays: u32,
    /// Protected files that were not what they had been, once it had run.
    pub changed: Vec<String>,
    /// What the copy lacked of the tree though nobody left it out: paths with the reason, some of them where there are many.
    pub lacked: Vec<String>,
    /// The beginning and the end of what it said, bounded, without the key.
    pub output: String,
    /// Why it did not run.
    pub trouble: Option<String>,
}

/// Which command it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// The test, on a new answer.
    Test,
    /// The test again, in another copy.
    Again,
    /// The check that the worker does not know.
    Check,
}

impl Sort {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Again => "again",
            Self::Check => "check",
        }
    }
}

impl Look {
    /// Of a command that never began.
    #[must_use]
    pub fn nothing(sort: Sort) -> Self {
        Self {
            sort,
            status: None,
            signal: None,
            timed_out: false,
            took: Duration::ZERO,
            strays: 0,
            changed: Vec::new(),
            lacked: Vec::new(),
            output: String::new(),
            trouble: None,
        }
    }

    /// Whether it shows that the answer is good.
    #[must_use]
    pub fn is_green(&self) -> bool {
        self.status == Some(0) && !self.timed_out && self.changed.is_empty() && self.trouble.is_none()
    }

    /// How it ended, for people and models.
    #[must_use]
    pub fn end(&self) -> String {
        if let Some(trouble) = &self.trouble {
            return format!("it could not be run: {trouble}");
        }
        if self.timed_out {
            return format!("it was ended after {} s", self.took.as_secs());
        }
        if !self.changed.is_empty() {
            return format!("it changed files that tests are made of: {}", self.changed.join(", "));
        }
        match (self.status, self.signal) {
            (Some(status), _) => format!("it exited with {status}"),
            (None, Some(signal)) => format!("signal {signal} ended it"),
            (None, None) => "it ended without a status".to_owned(),
        }
    }
}

/// Why an answer is not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing says how it is tested.
    NoTestCommand,
    /// There was no answer that could be tested.
    NoAnswer,
    /// The test failed.
    TestFailed,
    /// It could not be run.
    TestNotRun,
    /// It passed once and not again, or the unknown check failed: its green was a fake.
    FakeGreen,
    /// Running it changed protected files.
    TestInputsChanged,
    /// The reviewer found a fault.
    ReviewRefuted,
    /// The review gave no verdict.
    ReviewFailed,
    /// It was proved, but could not be written.
    NotWritten,
}

impl Missing {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoTestCommand => "no_test_command",
            Self::NoAnswer => "no_answer",
            Self::TestFailed => "test_failed",
            Self::TestNotRun => "test_not_run",
            Self::FakeGreen => "fake_green",
            Self::TestInputsChanged => "test_inputs_changed",
            Self::ReviewRefuted => "review_refuted",
            Self::ReviewFailed => "review_failed",
            Self::NotWritten => "not_written",
        }
    }
}

/// What was proved.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Why it is not verified; none where it is.
    pub missing: Option<Missing>,
    /// How closely was looked, and what that follows from: right answers of so many that were measured.
    pub tier: Option<(Tier, u64, u64)>,
    /// Answers that went back because of what was found here.
    pub rounds: u32,
    /// Commands that ran, in order.
    pub looks: Vec<Look>,
    /// Reviews, in order.
    pub reviews: Vec<Judged>,
    /// The model that reviewed.
    pub reviewer: Option<String>,
    /// Files named `.json` whose contents were validated.
    pub json_files: usize,
}

impl Verification {
    /// Of a task without a test.
    #[must_use]
    pub fn none() -> Self {
        Self {
            missing: Some(Missing::NoTestCommand),
            tier: None,
            rounds: 0,
            looks: Vec::new(),
            reviews: Vec::new(),
            reviewer: None,
            json_files: 0,
        }
    }

    /// Of a task that is about to be proved.
    #[must_use]
    pub fn of(proof: &Proof) -> Self {
        let (good, all) = proof.measured;
        Self {
            missing: Some(Missing::NoAnswer),
            tier: Some((proof.tier, good, all)),
            reviewer: proof.tier.policy().review.then(|| proof.reviewer.clone()),
            ..Self::none()
        }
    }

    /// The lower bound of the measured accuracy; none where nothing was measured.
    #[must_use]
    pub fn lower_bound(&self) -> Option<f64> {
        self.tier.and_then(|(_, good, all)| lower_bound(good, all))
    }
}
