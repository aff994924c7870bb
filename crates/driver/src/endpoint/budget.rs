//! What all tasks of one run may cost together. Shared by those who ask at the same time.

use super::answer::Tokens;
use super::attempts::{Attempt, Metered, Spent};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes for which a token is counted where an endpoint does not tell: more than they are, so that no ceiling is passed unseen.
const BYTES_PER_TOKEN: u64 = 2;

/// What tokens cost, in US dollars for a million.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of a prompt.
    pub prompt: f64,
    /// Of an answer.
    pub completion: f64,
}

impl Price {
    /// What so many cost, in US dollars.
    #[must_use]
    pub fn of(&self, prompt: u64, completion: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "nobody pays for 2^53 tokens")]
        let (prompt, completion) = (prompt as f64, completion as f64);
        (prompt * self.prompt + completion * self.completion) / 1e6
    }
}

/// What a request costs as ceilings count it, by its tokens and the bytes of its bodies, sent and arrived: what was not told is put
/// high.
#[must_use]
pub fn counted(told: Tokens, bytes: (u64, u64)) -> Spent {
    Spent {
        prompt: told.prompt.unwrap_or(bytes.0 / BYTES_PER_TOKEN),
        completion: told.completion.unwrap_or(bytes.1 / BYTES_PER_TOKEN),
        metered: if told.total().is_some() { Metered::All } else { Metered::Some },
    }
}

/// Ceilings, and what is spent so far.
#[derive(Debug, Default)]
pub struct Budget {
    /// Most tokens; no bound where there is none.
    pub tokens: Option<u64>,
    /// Most US dollars, with what tokens cost.
    pub usd: Option<(f64, Price)>,
    prompt: AtomicU64,
    completion: AtomicU64,
    estimated: AtomicBool,
}

impl Budget {
    /// With these ceilings, and nothing spent.
    #[must_use]
    pub fn new(tokens: Option<u64>, usd: Option<(f64, Price)>) -> Self {
        Self { tokens, usd, ..Self::default() }
    }

    /// Adds what was spent.
    pub fn spend(&self, spent: Spent) {
        self.prompt.fetch_add(spent.prompt, Ordering::Relaxed);
        self.completion.fetch_add(spent.completion, Ordering::Relaxed);
        if spent.metered != Metered::All {
            self.estimated.store(true, Ordering::Relaxed);
        }
    }

    /// Adds what a request cost. Where that was not told it is put high.
    pub fn add(&self, attempt: &Attempt) {
        if attempt.may_cost {
            self.spend(counted(attempt.usage, (attempt.bytes_out, attempt.bytes_in)));
        }
    }

    /// What is spent, and whether a part of it was not told and put high.
    #[must_use]
    pub fn spent(&self) -> (Spent, bool) {
        let estimated = self.estimated.load(Ordering::Relaxed);
        let metered = if estimated { Metered::Some } else { Metered::All };
        let (prompt, completion) =
            (self.prompt.load(Ordering::Relaxed), self.completion.load(Ordering::Relaxed));
        (Spent { prompt, completion, metered }, estimated)
    }

    /// Says which ceiling is reached; none where nothing is.
    #[must_use]
    pub fn reached(&self) -> Option<String> {
        let (spent, estimated) = self.spent();
        let about = if estimated { ", in part by the bytes" } else { "" };
        if let Some(most) = self.tokens.filter(|most| spent.prompt + spent.completion >= *most) {
            return Some(format!("{} tokens are spent of {most}{about}", spent.prompt + spent.completion));
        }
        let (most, price) = self.usd?;
        let usd = price.of(spent.prompt, spent.completion);
        (usd >= most).then(|| format!("{usd:.4} USD are spent of {most:.4}{about}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn attempt(prompt: Option<u64>, completion: Option<u64>, may_cost: bool) -> Attempt {
        Attempt {
            number: 1,
            class: None,
            status: Some(200),
            wait: Duration::ZERO,
            took: Duration::ZERO,
            bytes_out: 1000,
            bytes_in: 100,
            usage: Tokens { prompt, completion },
            finish: None,
            request_id: None,
            leniencies: Vec::new(),
            may_cost,
        }
    }

    #[test]
    fn what_is_not_told_is_put_high_and_what_cannot_cost_is_not_counted() {
        let budget = Budget::new(Some(700), Some((1.0, Price { prompt: 1000.0, completion: 4000.0 })));
        budget.add(&attempt(None, None, false));
        assert_eq!(budget.reached(), None);
        budget.add(&attempt(Some(100), Some(10), true));
        assert_eq!(budget.reached(), None);
        budget.add(&attempt(None, Some(1), true));
        assert_eq!(budget.spent().0, Spent { prompt: 600, completion: 11, metered: Metered::Some });
        budget.spend(Spent { prompt: 0, completion: 89, metered: Metered::All });
        assert_eq!(budget.reached().unwrap(), "700 tokens are spent of 700, in part by the bytes");
        let money = Budget::new(None, budget.usd);
        money.spend(Spent { prompt: 600, completion: 100, metered: Metered::All });
        assert_eq!(money.reached().unwrap(), "1.0000 USD are spent of 1.0000");
    }
}
