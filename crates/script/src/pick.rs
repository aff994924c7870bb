//! Which step of its script answers a request. The rules stand in docs/guide/matching.md.

pub use crate::prompt::{Found, Picker};

use crate::issued::step_of;
use crate::scenario::{Action, Advance, Pacing, Phrasing};
use rehearsal_wire::rule::Expected;
use rehearsal_wire::turn::{Role, Turn};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

/// What a request says of where its conversation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stand {
    /// All its assistant messages.
    pub assistants: usize,
    /// Those after the first message that holds the prompt.
    pub since: usize,
    /// The number behind the highest step whose calls it holds; 0 without any.
    pub returned: usize,
    /// What tells it from other requests; none where nothing is remembered, because no token tells the cases apart.
    pub trace: Option<Trace>,
}

/// What a request of a case is recognised by later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Stands for its body.
    pub body: u64,
    /// Elements of its message list.
    pub listed: usize,
    /// Bytes of all that users say before the first assistant message.
    pub opening: usize,
    /// Whether it offers tools.
    pub tools: bool,
    /// Whether the client calls it a retry.
    pub retried: bool,
}

impl Stand {
    /// Reads it off a request that holds the prompt of a phrasing. The trace is left open.
    #[must_use]
    pub fn of(phrasing: &Phrasing, turn: &Turn<'_>, found: &Found) -> Self {
        let assistants = turn.assistants().saturating_add(found.left_out);
        if phrasing.advance != Advance::Auto {
            return Self { assistants, since: assistants, returned: 0, trace: None };
        }
        let before = turn.messages[..found.first].iter();
        let before = before.filter(|message| message.role == Role::Assistant).count();
        let calls = turn.messages.iter().flat_map(|message| &message.calls).map(|call| &call.id);
        let answers = turn.messages.iter().flat_map(|message| &message.answers);
        let steps = calls.chain(answers).filter_map(|id| step_of(id, &phrasing.id));
        let returned = steps.max().map_or(0, |step| step.saturating_add(1));
        Self { assistants, since: assistants - before, returned, trace: None }
    }
}

impl Trace {
    /// What a request is recognised by.
    #[must_use]
    pub fn of(turn: &Turn<'_>, body: &[u8], retried: bool) -> Self {
        let beginning = turn.messages.iter().take_while(|message| message.role != Role::Assistant);
        let users = beginning.filter(|message| message.role == Role::User);
        let mut whole = DefaultHasher::new();
        whole.write(body);
        Self {
            body: whole.finish(),
            listed: turn.listed,
            opening: users.flat_map(|message| &message.texts).map(|text| text.len()).sum(),
            tools: turn.offers_tools,
            retried,
        }
    }
}

/// What has been used up so far: of one case, or, where no token tells the cases apart, of every phrasing for itself. A copy costs
/// nothing until one of both is changed: every request looks at one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(Arc<BTreeMap<String, Tally>>);

/// What one phrasing has used up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// The number behind the highest step that was answered. Where requests are not counted, an error or a fault is no
    /// answer: the step still stands.
    answered: usize,
    /// Requests that each step with `times` answered, in the order of the script.
    served: Vec<u32>,
    /// The request that the conversation began with.
    began: Option<Trace>,
    /// The last request that got a whole answer, and its step.
    last: Option<(Trace, usize)>,
}

impl Tally {
    /// Whether the conversation only begins with this request: what came before offered no tools, as titles do.
    fn only_begins(&self, stand: &Stand) -> bool {
        let (Some(began), Some(trace)) = (self.began, stand.trace) else { return false };
        stand.assistants == 0 && trace.tools && !began.tools
    }

    /// The step of the last request, if this is another attempt at it.
    fn repeated(&self, stand: &Stand) -> Option<usize> {
        let (trace, (last, step)) = (stand.trace?, self.last?);
        let same = trace.body == last.body || (trace.retried && trace.listed == last.listed);
        same.then_some(step)
    }

    fn by_request(&self, stand: &Stand) -> usize {
        self.repeated(stand).unwrap_or(self.answered)
    }

    /// By the history, unless that was cut short: then it holds less than was answered, and users say more before the first
    /// answer than when the conversation began, for what was cut is told there.
    fn by_history(&self, stand: &Stand) -> usize {
        let counted = stand.since.max(stand.returned);
        let cut = match (self.began, stand.trace) {
            (Some(began), Some(trace)) => began.opening < trace.opening && began.tools == trace.tools,
            (None, _) | (_, None) => false,
        };
        if cut && counted < self.answered { self.by_request(stand) } else { counted }
    }
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
    /// Whether a turn of the model arrives by it.
    whole: bool,
    /// The phrasing.
    phrasing: &'s Phrasing,
}

impl Picked<'_> {
    /// The same where its faults found nothing to break: the model's turn was played, and the fault waits for a request that it fits.
    #[must_use]
    pub fn unharmed(self) -> Self {
        Self { trouble: None, whole: true, ..self }
    }

    /// Whether the script has nothing more to say.
    #[must_use]
    pub fn is_overrun(&self) -> bool {
        *self.action == Action::End
    }
}

/// What would answer a request. Changes nothing: a refused request uses nothing up.
#[must_use]
pub fn look<'s>(phrasing: &'s Phrasing, stand: &Stand, counts: &Counts) -> Picked<'s> {
    let tally = counts.0.get(&phrasing.id).filter(|tally| !tally.only_begins(stand));
    let index = match phrasing.advance {
        Advance::Assistants => stand.assistants,
        Advance::Request => tally.map_or(0, |tally| tally.by_request(stand)),
        Advance::Auto => tally.map_or(stand.since.max(stand.returned), |tally| tally.by_history(stand)),
    };
    let served = |number: usize| tally.and_then(|tally| tally.served.get(number)).copied().unwrap_or(0);
    let script = &phrasing.script;
    let steps = phrasing.steps();
    // Past the end only what stands behind the last step is left.
    let at = if index >= steps && phrasing.forever { steps.saturating_sub(1) } else { index.min(steps) };
    let picked = |action: &'s Action, expected, pacing, trouble| Picked {
        step: index,
        action,
        expected,
        pacing,
        trouble,
        whole: action.is_turn(),
        phrasing,
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
    /// Whether the conversation of a phrasing began with a request that offered tools; false where nothing is remembered.
    #[must_use]
    pub fn began_with_tools(&self, phrasing: &Phrasing) -> bool {
        self.0.get(&phrasing.id).and_then(|tally| tally.began).is_some_and(|began| began.tools)
    }

    /// Notes that a request was answered by what [`look`] gave for it.
    pub fn commit(&mut self, picked: &Picked<'_>, stand: &Stand) {
        let tallies = Arc::make_mut(&mut self.0);
        if !tallies.contains_key(&picked.phrasing.id) {
            tallies.insert(picked.phrasing.id.clone(), Tally::default());
        }
        let Some(tally) = tallies.get_mut(&picked.phrasing.id) else { return };
        if tally.only_begins(stand) {
            *tally = Tally::default();
        }
        // Whatever began with more was a request about the conversation.
        let shorter = |trace: &Trace| tally.began.is_none_or(|began| trace.opening < began.opening);
        if stand.since == 0 || tally.began.is_none() {
            tally.began = stand.trace.filter(shorter).or(tally.began);
        }
        if let Some(number) = picked.trouble {
            if tally.served.len() <= number {
                tally.served.resize(number + 1, 0);
            }
            tally.served[number] = tally.served[number].saturating_add(1);
            // A retry that the client counts means this request now.
            tally.last = None;
            return;
        }
        let whole = picked.whole;
        tally.last = stand.trace.filter(|_| whole).map(|trace| (trace, picked.step));
        if whole || picked.phrasing.advance == Advance::Request {
            tally.answered = tally.answered.max(picked.step + 1);
        }
    }
}
