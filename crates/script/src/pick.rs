//! Which phrasing a request belongs to, and which of its steps answers.

use crate::find::Finder;
use crate::fold::fold;
use crate::issued::Index;
use crate::scenario::{Action, Advance, Pacing, Phrasing, Scenarios};
use rehearsal_wire::rule::Expected;
use rehearsal_wire::turn::{Role, Turn};

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

/// What a case has used up so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
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
}

impl Picked<'_> {
    /// Whether the script has nothing more to say.
    #[must_use]
    pub fn is_overrun(&self) -> bool {
        *self.action == Action::End
    }

    /// Whether a step with `times` answers.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        self.trouble.is_some()
    }
}

/// What would answer a request with so many assistant messages. Changes nothing: a refused request uses nothing up.
#[must_use]
pub fn look<'s>(phrasing: &'s Phrasing, assistants: usize, counts: &Counts) -> Picked<'s> {
    let index = match phrasing.advance {
        Advance::Assistants => assistants,
        Advance::Request => counts.answered,
    };
    let script = &phrasing.script;
    let steps = phrasing.steps();
    // Past the end only what stands behind the last step is left.
    let at = if index >= steps && phrasing.forever { steps.saturating_sub(1) } else { index.min(steps) };
    let Some(step) = script.get(at) else { return past(index) };
    let first = script[..at].iter().map(|step| step.before.len()).sum::<usize>();
    for (i, trouble) in step.before.iter().enumerate() {
        if counts.served.get(first + i).copied().unwrap_or(0) < trouble.times {
            let (action, expected) = (&trouble.action, Some(&trouble.expected));
            return Picked { step: index, action, expected, pacing: step.pacing, trouble: Some(first + i) };
        }
    }
    if step.action == Action::End {
        return past(index);
    }
    Picked {
        step: index,
        action: &step.action,
        expected: Some(&step.expected),
        pacing: step.pacing,
        trouble: None,
    }
}

fn past<'s>(index: usize) -> Picked<'s> {
    Picked { step: index, action: &Action::End, expected: None, pacing: Pacing::default(), trouble: None }
}

impl Counts {
    /// Notes that a request was answered by what [`look`] gave for it.
    pub fn commit(&mut self, picked: &Picked<'_>) {
        match picked.trouble {
            Some(number) => {
                if self.served.len() <= number {
                    self.served.resize(number + 1, 0);
                }
                self.served[number] = self.served[number].saturating_add(1);
            }
            None => self.answered += 1,
        }
    }
}
