//! What a journal says of work that was done before: a fold over its facts. Pure.

use crate::endpoint::answer::Tokens;
use crate::endpoint::attempts::{Metered, Spent};
use crate::endpoint::budget::counted;
use rehearsal_journal::drive::{Ended, Fact};
use std::collections::BTreeMap;

/// One item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// SHA-256 of what it was last asked to do.
    pub work: String,
    /// When somebody last began with it, milliseconds since 1970.
    pub began_ms: u64,
    /// How it ended; none where nobody knows.
    pub ended: Option<Ended>,
    /// How it ended if its files are as they were about to be written; none once its end is known.
    pub writing: Option<Ended>,
    /// Requests that left.
    pub requests: u32,
    /// Those whose end nobody knows: a process ended before they did.
    pub open: u32,
}

/// Everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The items by name.
    pub items: BTreeMap<String, Past>,
    /// The items of the last work, in their order.
    pub order: Vec<String>,
    /// What was spent on each work, by its digest.
    pub spent: BTreeMap<String, Spent>,
    /// Why nothing more started; none where that did not happen since the last beginning.
    pub stopped: Option<String>,
}

const NOTHING: Spent = Spent { prompt: 0, completion: 0, metered: Metered::All };

fn sum(one: Spent, other: Spent) -> Spent {
    Spent {
        prompt: one.prompt.saturating_add(other.prompt),
        completion: one.completion.saturating_add(other.completion),
        metered: if one.metered == Metered::All { other.metered } else { one.metered },
    }
}

impl History {
    /// What the facts come to.
    #[must_use]
    pub fn of(facts: &[Fact]) -> Self {
        let mut history = Self::default();
        facts.iter().for_each(|fact| history.apply(fact));
        history
    }

    /// Takes one more fact in.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::Began { items, .. } => {
                self.order.clone_from(items);
                self.stopped = None;
            }
            Fact::Started { item, work, unix_ms, .. } => {
                let past = self.items.entry(item.clone()).or_default();
                *past = Past { work: work.clone(), began_ms: *unix_ms, ..Past::default() };
            }
            Fact::Sending { item, .. } => {
                let past = self.items.entry(item.clone()).or_default();
                past.requests += 1;
                past.open += 1;
            }
            Fact::Sent(sent) => {
                let past = self.items.entry(sent.item.clone()).or_default();
                past.open = past.open.saturating_sub(1);
                if sent.may_cost {
                    let told = Tokens { prompt: sent.prompt_tokens, completion: sent.completion_tokens };
                    let spent = self.spent.entry(past.work.clone()).or_insert(NOTHING);
                    *spent = sum(*spent, counted(told, (sent.bytes_out, sent.bytes_in)));
                }
            }
            Fact::Writing(ended) => {
                self.items.entry(ended.item.clone()).or_default().writing = Some(Ended::clone(ended));
            }
            Fact::Ended(ended) => {
                let past = self.items.entry(ended.item.clone()).or_default();
                (past.ended, past.writing) = (Some(Ended::clone(ended)), None);
            }
            Fact::LookedAgain { item, green } => {
                if let Some(ended) =
                    self.items.get_mut(item).and_then(|past| past.ended.as_mut()).filter(|_| !green)
                {
                    ended.verified = false;
                    ended.reason = Some("fake_green".to_owned());
                }
            }
            Fact::Stopped { reason } => self.stopped = Some(reason.clone()),
        }
    }

    /// What was spent on a work, by whichever process.
    #[must_use]
    pub fn spent_on(&self, work: &str) -> Spent {
        self.spent.get(work).copied().unwrap_or(NOTHING)
    }

    /// The end of an item that was proved when it was asked to do just this.
    #[must_use]
    pub fn proved(&self, item: &str, work: &str) -> Option<&Ended> {
        let past = self.items.get(item).filter(|past| past.work == work)?;
        past.ended.as_ref().filter(|ended| ended.verified)
    }

    /// The end of an item that was proved when it was asked to do just this, and of which nobody knows whether it was written.
    #[must_use]
    pub fn perhaps_written(&self, item: &str, work: &str) -> Option<&Ended> {
        let past = self.items.get(item).filter(|past| past.work == work)?;
        past.writing.as_ref().filter(|ended| ended.verified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rehearsal_journal::drive::Sent;

    fn ended(item: &str, verified: bool) -> Fact {
        Fact::Ended(Box::new(Ended {
            item: item.to_owned(),
            outcome: "applied".to_owned(),
            verified,
            reason: None,
            class: None,
            suspect: false,
            files: Vec::new(),
            unix_ms: 2,
        }))
    }

    fn started(item: &str, work: &str) -> Fact {
        Fact::Started { item: item.to_owned(), work: work.to_owned(), model: "m".to_owned(), unix_ms: 1 }
    }

    fn sent(item: &str, tokens: Option<u64>) -> Fact {
        Fact::Sent(Box::new(Sent {
            item: item.to_owned(),
            number: 1,
            class: None,
            status: Some(200),
            wait_ms: 0,
            took_ms: 1,
            bytes_out: 1000,
            bytes_in: 100,
            prompt_tokens: tokens,
            completion_tokens: tokens,
            may_cost: true,
        }))
    }

    #[test]
    fn what_was_spent_counts_for_its_work_alone_and_what_was_not_told_is_put_high() {
        let free = match sent("a", None) {
            Fact::Sent(sent) => Fact::Sent(Box::new(Sent { may_cost: false, ..*sent })),
            other => other,
        };
        let facts = [started("a", "w"), sent("a", Some(7)), free, started("b", "other"), sent("b", None)];
        let history = History::of(&facts);
        assert_eq!(history.spent_on("w"), Spent { prompt: 7, completion: 7, metered: Metered::All });
        assert_eq!(history.spent_on("other"), Spent { prompt: 500, completion: 50, metered: Metered::Some });
        assert_eq!(history.spent_on("another"), NOTHING);
        // Whoever begins again with it goes on with what was spent.
        let again = History::of(&[&facts[..], &[started("b", "other"), sent("b", Some(1))]].concat());
        assert_eq!(again.spent_on("other"), Spent { prompt: 501, completion: 51, metered: Metered::Some });
    }

    #[test]
    fn only_what_was_proved_for_the_same_work_and_not_refuted_since_counts() {
        let sending = |item: &str| Fact::Sending { item: item.to_owned(), number: 1 };
        let mut facts = vec![
            Fact::Began { unix_ms: 0, pid: 1, items: vec!["a".to_owned(), "b".to_owned()], seed: 0 },
            started("a", "w"),
            sending("a"),
            sent("a", Some(7)),
            ended("a", true),
            started("b", "w"),
            sending("b"),
        ];
        let history = History::of(&facts);
        assert!(history.proved("a", "w").is_some() && history.proved("a", "other").is_none());
        assert!(history.proved("b", "w").is_none() && history.proved("c", "w").is_none());
        assert_eq!((history.items["b"].open, history.items["a"].open), (1, 0));
        facts.push(Fact::LookedAgain { item: "a".to_owned(), green: true });
        assert!(History::of(&facts).proved("a", "w").is_some());
        facts.push(Fact::LookedAgain { item: "a".to_owned(), green: false });
        assert!(History::of(&facts).proved("a", "w").is_none());
        facts.push(started("a", "w"));
        facts.push(ended("a", true));
        assert!(History::of(&facts).proved("a", "w").is_some());
        facts.push(started("a", "w"));
        assert!(History::of(&facts).proved("a", "w").is_none(), "somebody works on it again");
    }

    #[test]
    fn what_was_about_to_be_written_counts_until_its_end_is_known_or_somebody_begins_again() {
        let writing = |verified| match ended("a", verified) {
            Fact::Ended(ended) => Fact::Writing(ended),
            other => other,
        };
        let perhaps = |facts: &[Fact], work: &str| History::of(facts).perhaps_written("a", work).is_some();
        let mut facts = vec![started("a", "w"), writing(true)];
        assert!(perhaps(&facts, "w") && !perhaps(&facts, "other"));
        assert!(!perhaps(&[started("a", "w"), writing(false)], "w"), "it was not proved");
        assert!(!perhaps(&[facts.clone(), vec![ended("a", false)]].concat(), "w"), "it was not written");
        facts.push(started("a", "w"));
        assert!(!perhaps(&facts, "w"));
    }
}
