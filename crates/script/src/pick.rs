//! Which phrasing a request belongs to, and which of its steps answers.

use crate::find::Finder;
use crate::fold::fold;
use crate::issued::Index;
use crate::scenario::{Action, Advance, Pacing, Phrasing, Scenarios};
use rehearsal_wire::rule::Expected;
use rehearsal_wire::turn::{Role, Turn};
use std::collections::BTreeMap;

/// The markers and ids of a suite, ready for requests. Make it once; it belongs to the scenarios that it was made from.
#[derive(Clone, Debug)]
pub struct Picker {
    markers: Finder,
    /// The lower-cased prompts.
    prompts: Vec<String>,
    pub(crate) index: Index,
}

impl Picker {
    /// Prepares a suite.
    #[must_use]
    pub fn new(scenarios: &Scenarios) -> Self {
        let phrasings = &scenarios.phrasings;
        Self {
            markers: Finder::new(phrasings.iter().map(|phrasing| phrasing.marker_folded.clone()).collect()),
            prompts: phrasings.iter().map(|phrasing| fold(&phrasing.prompt).into_owned()).collect(),
            index: Index::new(phrasings),
        }
    }

    /// The phrasing that a request belongs to: user texts from the last message to the first, in each the first registered
    /// marker that stands in it, letter case of no account. With `only` (the case of a token) no other phrasing can be
    /// meant, and its prompt does as well as its marker.
    #[must_use]
    pub fn matched(&self, scenarios: &Scenarios, turn: &Turn<'_>, only: Option<usize>) -> Option<usize> {
        let said_by_user = turn.messages.iter().rev().filter(|message| message.role == Role::User);
        for text in said_by_user.flat_map(|message| &message.texts) {
            let text = fold(text);
            let found = match only {
                None => self.markers.first_in(&text),
                Some(case) => {
                    let marker =
                        scenarios.phrasings.get(case).map(|phrasing| phrasing.marker_folded.as_str());
                    let prompt = self.prompts.get(case).map(String::as_str);
                    [marker, prompt].into_iter().flatten().any(|sought| text.contains(sought)).then_some(case)
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// What has been used up so far: of one case, or, where no token tells the cases apart, of every phrasing for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<String, Tally>);

/// What one phrasing has used up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Requests that a step with an index answered.
    answered: usize,
    /// Requests that each step with `times` answered, in the order of the script.
    served: Vec<u32>,
}

/// What answers a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked<'s> {
    /// The step's index; for a step with `times` that of the step before which it stands.
    pub step: usize,
    /// What happens. [`Action::End`] past the end of the script.
    pub action: &'s Action,
    /// What the request must hold; nothing is expected past the end.
    pub expected: Option<&'s Expected>,
    /// How fast a streamed answer leaves.
    pub pacing: Pacing,
    /// Number of the step with `times` that answers, over the whole script.
    trouble: Option<usize>,
    /// Id of the phrasing.
    phrasing: &'s str,
}

impl Picked<'_> {
    /// Whether the script has nothing more to say.
    #[must_use]
    pub fn is_overrun(&self) -> bool {
        *self.action == Action::End
    }
}

/// What would answer a request with so many assistant messages. Changes nothing: a refused request uses nothing up.
#[must_use]
pub fn look<'s>(phrasing: &'s Phrasing, assistants: usize, counts: &Counts) -> Picked<'s> {
    let tally = counts.0.get(&phrasing.id);
    let index = match phrasing.advance {
        Advance::Auto | Advance::Assistants => assistants,
        Advance::Request => tally.map_or(0, |tally| tally.answered),
    };
    let served = |number: usize| tally.and_then(|tally| tally.served.get(number)).copied().unwrap_or(0);
    let script = &phrasing.script;
    let steps = phrasing.steps();
    // Past the end only what stands behind the last step is left.
    let at = if index >= steps && phrasing.forever { steps.saturating_sub(1) } else { index.min(steps) };
    let picked = |action, expected, pacing, trouble| Picked {
        step: index,
        action,
        expected,
        pacing,
        trouble,
        phrasing: &phrasing.id,
    };
    let past = || picked(&Action::End, None, Pacing::default(), None);
    let Some(step) = script.get(at) else { return past() };
    let first = script[..at].iter().map(|step| step.before.len()).sum::<usize>();
    for (i, trouble) in step.before.iter().enumerate() {
        if served(first + i) < trouble.times {
            return picked(&trouble.action, Some(&trouble.expected), step.pacing, Some(first + i));
        }
    }
    if step.action == Action::End {
        return past();
    }
    picked(&step.action, Some(&step.expected), step.pacing, None)
}

impl Counts {
    /// Notes that a request was answered by what [`look`] gave for it.
    pub fn commit(&mut self, picked: &Picked<'_>) {
        let tally = self.0.entry(picked.phrasing.to_owned()).or_default();
        match picked.trouble {
            Some(number) => {
                if tally.served.len() <= number {
                    tally.served.resize(number + 1, 0);
                }
                tally.served[number] = tally.served[number].saturating_add(1);
            }
            None => tally.answered += 1,
        }
    }
}
