//! The walk behind check 10 of the original stub: each call is answered once, at once, and nothing else is.
//!
//! Its three rows ask which break they hold; one walk serves them all.

use super::{Asked, say};
use crate::reject::Reject;
use crate::turn::{Call, Role, Spot, Turn};

/// How calls and answers fail to pair, a rule each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// A call without an answer.
    Missing,
    /// An answer without a call.
    Unknown,
    /// A call answered twice.
    Twice,
}

/// The first break that a rule holds, and which it is.
pub(super) fn check(asked: &Asked<'_>, held: impl Fn(Pair) -> bool) -> Result<(), (Pair, Box<Reject>)> {
    match first_break(asked.turn, held) {
        None => Ok(()),
        Some(Break { index, fault }) => {
            let (what, fix) = fault.words();
            Err((fault.pair(), say::gate(say::PAIRING, (asked.turn.point)(Spot::Message(index)), &what, fix)))
        }
    }
}

/// The first place where calls and answers do not pair.
pub(super) struct Break<'t> {
    /// The message at fault, as an index into the list as sent.
    pub(super) index: usize,
    /// What is wrong there.
    pub(super) fault: Fault<'t>,
}

/// How calls and answers fail to pair.
pub(super) enum Fault<'t> {
    /// A tool result with no turn of calls before it.
    Orphan(&'t str),
    /// A tool result whose id the turn before it never made.
    UnknownId(&'t str),
    /// A call answered twice.
    AnsweredTwice(&'t str),
    /// Another message, or the end, while calls are open.
    Unanswered(Vec<&'t str>),
}

impl Fault<'_> {
    fn pair(&self) -> Pair {
        match self {
            Self::Orphan(_) | Self::UnknownId(_) => Pair::Unknown,
            Self::AnsweredTwice(_) => Pair::Twice,
            Self::Unanswered(_) => Pair::Missing,
        }
    }

    fn words(&self) -> (String, &'static str) {
        match self {
            Self::Orphan(id) => (
                format!(
                    "this tool result answers {}, but no assistant message with tool calls stands before it",
                    say::quoted(id)
                ),
                "keep the assistant message that made the call",
            ),
            Self::UnknownId(id) => (
                format!(
                    "this tool result answers {}, which the assistant message before it did not call",
                    say::quoted(id)
                ),
                "answer with the id of the call",
            ),
            Self::AnsweredTwice(id) => {
                (format!("{} is answered a second time", say::quoted(id)), "answer each call once")
            }
            Self::Unanswered(ids) => (
                format!("no tool result answered {} before this point", list(ids)),
                "answer each call in the messages right after it",
            ),
        }
    }
}

/// Ids for a message, quoted.
pub(super) fn list(ids: &[&str]) -> String {
    ids.iter().map(|id| say::quoted(id)).collect::<Vec<_>>().join(", ")
}

/// Walks the conversation once; an id twice in one turn needs one answer, answers may come in any order. Breaks that are
/// not held are passed over.
pub(super) fn first_break<'t>(turn: &'t Turn<'_>, held: impl Fn(Pair) -> bool) -> Option<Break<'t>> {
    let mut calls = Calls::default();
    for message in &turn.messages {
        let index = message.index;
        if message.role != Role::Tool {
            if calls.open > 0 && held(Pair::Missing) {
                return Some(Break { index, fault: Fault::Unanswered(calls.unanswered()) });
            }
            calls.take(&message.calls);
            continue;
        }
        for id in &message.answers {
            let fault = match calls.answer(id) {
                Answer::Fits => continue,
                Answer::Twice => Fault::AnsweredTwice(id),
                Answer::Unknown if calls.ids.is_empty() => Fault::Orphan(id),
                Answer::Unknown => Fault::UnknownId(id),
            };
            if held(fault.pair()) {
                return Some(Break { index, fault });
            }
        }
    }
    let end = turn.messages.last().map_or(0, |message| message.index);
    let missing = calls.open > 0 && held(Pair::Missing);
    missing.then(|| Break { index: end, fault: Fault::Unanswered(calls.unanswered()) })
}

/// Ids of one turn that are sought one by one. More are sorted: a peer may send a hundred thousand.
const FEW: usize = 16;

/// The calls of the last turn that made some.
#[derive(Default)]
struct Calls<'t> {
    /// Each id once, and whether it was answered; in order, or sorted where they are many.
    ids: Vec<(&'t str, bool)>,
    /// The calls themselves.
    made: &'t [Call<'t>],
    /// How many wait for their answer.
    open: usize,
}

enum Answer {
    Fits,
    Twice,
    Unknown,
}

impl<'t> Calls<'t> {
    fn take(&mut self, made: &'t [Call<'_>]) {
        self.made = made;
        self.ids.clear();
        if made.len() > FEW {
            self.ids.extend(made.iter().map(|call| (&*call.id, false)));
            self.ids.sort_unstable();
            self.ids.dedup();
        } else {
            for call in made {
                if !self.ids.iter().any(|(id, _)| *id == call.id) {
                    self.ids.push((&call.id, false));
                }
            }
        }
        self.open = self.ids.len();
    }

    fn place(&self, sought: &str) -> Option<usize> {
        if self.made.len() > FEW {
            return self.ids.binary_search_by(|(id, _)| (*id).cmp(sought)).ok();
        }
        self.ids.iter().position(|(id, _)| *id == sought)
    }

    fn answer(&mut self, sought: &str) -> Answer {
        let Some(place) = self.place(sought) else { return Answer::Unknown };
        if std::mem::replace(&mut self.ids[place].1, true) {
            return Answer::Twice;
        }
        self.open -= 1;
        Answer::Fits
    }

    /// What waits for its answer, each once, in the order of the calls.
    fn unanswered(mut self) -> Vec<&'t str> {
        let mut ids = Vec::with_capacity(self.open);
        for call in self.made {
            // Marking it keeps a second call of its id out.
            if matches!(self.answer(&call.id), Answer::Fits) {
                ids.push(&*call.id);
            }
        }
        ids
    }
}
