//! How often and when a request is sent again: a state machine over values, without a clock.
//!
//! One of these counts for a whole task, over all its turns. Repairs of the form of an answer have a budget of their own, elsewhere.

use super::answer::{Leniency, Tokens, Told};
use super::class::{Class, Failed};
use std::time::Duration;

/// What a task may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether one request is all that may be sent, as a recorder with a budget of one wants it.
    pub once: bool,
    /// How often requests are sent again.
    pub transport_retries: u32,
    /// Whether each turn may be sent again so often; else that is for all turns together.
    pub each_turn: bool,
    /// Our wait before the second request of a turn; it doubles with each further one, up to 8 s, and is up to a quarter shorter.
    pub first_wait: Duration,
    /// Longest time for everything.
    pub total: Duration,
    /// Longest wait that a provider may ask for; a longer one is no wait but an end.
    pub longest_wait: Duration,
    /// The number that waits are scattered by.
    pub seed: u64,
}

impl Default for Policy {
    fn default() -> Self {
        let (total, longest_wait) = (Duration::from_secs(600), Duration::from_secs(120));
        let first_wait = Duration::from_millis(500);
        Self { once: false, transport_retries: 2, each_turn: false, first_wait, total, longest_wait, seed: 0 }
    }
}

/// No wait of ours is longer.
const LAST_WAIT: Duration = Duration::from_secs(8);

/// One request that was sent, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its number in the task, from 1.
    pub number: u32,
    /// How it failed; none where it was answered.
    pub class: Option<Class>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// How long was waited before it.
    pub wait: Duration,
    /// How long it took.
    pub took: Duration,
    /// Bytes of bodies that were sent.
    pub bytes_out: u64,
    /// Bytes of bodies that arrived.
    pub bytes_in: u64,
    /// Tokens.
    pub usage: Tokens,
    /// Why the model stopped.
    pub finish: Option<String>,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// Where the reading was lenient.
    pub leniencies: Vec<Leniency>,
    /// Whether the provider may have spent tokens on it, told or not.
    pub may_cost: bool,
}

/// Tokens of all attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Of prompts.
    pub prompt: u64,
    /// Of answers.
    pub completion: u64,
    /// How much of it was told.
    pub metered: Metered,
}

/// Of how many attempts that may have cost tokens these were told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metered {
    /// Of all.
    All,
    /// Of some, or in part.
    Some,
    /// Of none.
    None,
}

impl Metered {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Some => "some",
            Self::None => "none",
        }
    }
}

/// What came of a request.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer, or why there is none.
    pub result: Result<Told, Box<Failed>>,
    /// How long it took.
    pub took: Duration,
    /// Bytes of bodies that were sent.
    pub bytes_out: u64,
    /// Bytes of bodies that arrived.
    pub bytes_in: u64,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Send the request and tell what came of it, no later than after this time.
    Send {
        /// Its number in the task, from 1.
        number: u32,
        /// What is left of the time for everything.
        left: Duration,
    },
    /// Do nothing for this long.
    Wait(Duration),
    /// The turn is over.
    Over(Box<Result<Told, Box<Failed>>>),
}

/// The attempts of a task.
#[derive(Clone, Debug)]
pub struct Attempts {
    policy: Policy,
    retries: u32,
    records: Vec<Attempt>,
    /// What was waited before the attempt that is next.
    wait: Duration,
    /// How many waits this turn had.
    waits: u32,
}

impl Attempts {
    /// A task at its beginning.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            retries: policy.transport_retries,
            records: Vec::new(),
            wait: Duration::ZERO,
            waits: 0,
        }
    }

    /// What was sent, in order.
    #[must_use]
    pub fn records(&self) -> &[Attempt] {
        &self.records
    }

    /// Whether the one request of a policy that has no more was sent.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.policy.once && !self.records.is_empty()
    }

    /// The number of the request that is next in its turn, from 1.
    #[must_use]
    pub fn of_turn(&self) -> u32 {
        self.waits.saturating_add(1)
    }

    /// A turn begins, so long after the task did.
    pub fn open(&mut self, elapsed: Duration) -> Next {
        (self.wait, self.waits) = (Duration::ZERO, 0);
        if self.policy.each_turn {
            self.retries = self.policy.transport_retries;
        }
        if self.is_used_up() {
            return over(Failed::new(Class::Budget, "the one request of this task was sent already"));
        }
        self.send(elapsed)
    }

    /// The wait is over.
    pub fn waited(&mut self, elapsed: Duration) -> Next {
        self.send(elapsed)
    }

    /// A request came to its end.
    pub fn done(&mut self, outcome: Outcome, elapsed: Duration) -> Next {
        self.records.push(self.record(&outcome));
        let failed = match outcome.result {
            Ok(told) => return Next::Over(Box::new(Ok(told))),
            Err(failed) => failed,
        };
        if !failed.retryable || self.policy.once || self.retries == 0 {
            return Next::Over(Box::new(Err(failed)));
        }
        let Some(wait) = self.wait_for(failed.retry_after) else {
            let (asked, longest) = (failed.retry_after.unwrap_or_default(), self.policy.longest_wait);
            let (asked, longest) = (asked.as_secs(), longest.as_secs());
            let message =
                format!("{}; it asks to wait {asked} s, and the longest wait is {longest} s", failed.message);
            return over(Failed { message, ..*failed });
        };
        if elapsed.saturating_add(wait) >= self.policy.total {
            let message = format!("{}; no time is left for another attempt", failed.message);
            return over(Failed { message, ..*failed });
        }
        self.retries -= 1;
        self.waits += 1;
        self.wait = wait;
        Next::Wait(wait)
    }

    /// Tokens of all attempts.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let sum = |of: fn(&Tokens) -> Option<u64>| {
            self.records.iter().filter_map(|record| of(&record.usage)).fold(0, u64::saturating_add)
        };
        let counted = || self.records.iter().filter(|record| record.may_cost);
        let is_told = |record: &Attempt| record.usage.prompt.is_some() || record.usage.completion.is_some();
        let metered = if !counted().any(is_told) {
            Metered::None
        } else if counted().all(|record| record.usage.total().is_some()) {
            Metered::All
        } else {
            Metered::Some
        };
        Spent { prompt: sum(|usage| usage.prompt), completion: sum(|usage| usage.completion), metered }
    }

    fn send(&self, elapsed: Duration) -> Next {
        let left = self.policy.total.saturating_sub(elapsed);
        if left.is_zero() {
            return over(Failed::new(Class::TimeoutTotal, "the time for everything is used up"));
        }
        Next::Send { number: self.number(), left }
    }

    fn number(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    fn record(&self, outcome: &Outcome) -> Attempt {
        let Outcome { result, took, bytes_out, bytes_in } = outcome;
        let common = Attempt {
            number: self.number(),
            class: None,
            status: Some(200),
            wait: self.wait,
            took: *took,
            bytes_out: *bytes_out,
            bytes_in: *bytes_in,
            usage: Tokens::default(),
            finish: None,
            request_id: None,
            leniencies: Vec::new(),
            may_cost: true,
        };
        match result {
            Ok(told) => Attempt {
                usage: told.usage,
                finish: told.finish.clone(),
                request_id: told.request_id.clone(),
                leniencies: told.leniencies.clone(),
                ..common
            },
            Err(failed) => Attempt {
                class: Some(failed.class),
                status: failed.status,
                usage: failed.usage,
                finish: failed.finish.clone(),
                request_id: failed.request_id.clone(),
                leniencies: failed.leniencies.clone(),
                may_cost: failed.may_cost,
                ..common
            },
        }
    }

    /// How long to wait before the next attempt; none where the provider wants more than may be waited.
    fn wait_for(&self, asked: Option<Duration>) -> Option<Duration> {
        if let Some(asked) = asked.filter(|asked| !asked.is_zero()) {
            return (asked <= self.policy.longest_wait).then_some(asked);
        }
        let own = self.policy.first_wait.saturating_mul(1 << self.waits.min(16)).min(LAST_WAIT);
        // Up to a quarter less, so that many workers do not come back at once.
        let less = u32::try_from(scramble(self.policy.seed ^ u64::from(self.number())) >> 40).unwrap_or(0);
        Some(own - own.mul_f64(0.25 * f64::from(less) / f64::from(1 << 24)))
    }
}

fn over(failed: Failed) -> Next {
    Next::Over(Box::new(Err(Box::new(failed))))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit moves every output bit.
fn scramble(x: u64) -> u64 {
    let mut x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
