//! What a fault does to an answer, and how several do it together.
//!
//! An answer is made in stages: words, the answer around them, its documents, their lines, the pieces in which they leave, the
//! end. Each work belongs to one stage; faults are applied stage by stage, within a stage in the order in which they are named.

use super::answer::{Answer, Event, Flow};
use super::param::Params;
use super::wanted::{Faulted, Wanted};
use super::{Arrives, Fault};
use crate::dialect::Dialect;
use crate::json::Value;
use crate::reply::{Envelope, Reply};

/// One piece of work. All but the first tell whether they found what they break; where they did not, nothing was changed.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// The whole plan is the fault's own: it goes together with no other.
    Plan(fn(&Wanted<'_>) -> Faulted),
    /// What the model says. It becomes what the script says: calls that come back are compared with it.
    Words(fn(&mut Reply, &Params<'_>) -> bool),
    /// Status, headers, form.
    Answer(fn(&mut Answer, &Given<'_>) -> bool),
    /// The documents, one by one.
    Documents(fn(&mut Vec<Event>, &Given<'_>) -> bool),
    /// The lines in which they stand.
    Lines(fn(&mut Vec<Event>, &Given<'_>) -> bool),
    /// Where the bytes are parted, and when they leave.
    Pieces(fn(&mut Flow, &Given<'_>) -> bool),
    /// How much arrives, and what comes then.
    End(fn(&mut Flow, &Given<'_>) -> bool),
}

impl Work {
    /// The number of its stage.
    const fn stage(self) -> usize {
        match self {
            Self::Plan(_) => 0,
            Self::Words(_) => 1,
            Self::Answer(_) => 2,
            Self::Documents(_) => 3,
            Self::Lines(_) => 4,
            Self::Pieces(_) => 5,
            Self::End(_) => 6,
        }
    }
}

/// What a work may look at.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g> {
    /// The dialect that is spoken.
    pub dialect: &'g Dialect,
    /// What the model says.
    pub reply: &'g Reply,
    /// What that travels in.
    pub envelope: &'g Envelope,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The request; none where nobody asked, and bytes are only shown.
    pub request: Option<Value<'g>>,
    /// What the file sets.
    pub params: Params<'g>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of the faulted reply, from 1.
    pub ordinal: u64,
}

impl Given<'_> {
    /// Whether the request asks for something; where nobody asked, it is taken to.
    #[must_use]
    pub fn asks(&self, finds: impl FnOnce(Value<'_>) -> bool) -> bool {
        self.request.is_none_or(finds)
    }

    /// Whether server-sent events were asked for: a stream may have another framing, which knows no fields.
    #[must_use]
    pub fn sse(&self) -> bool {
        self.stream && self.dialect.type_of_stream(self.envelope.framing).starts_with("text/event-stream")
    }
}

/// A fault with its parameters, as a file or a command line names it.
#[derive(Clone, Copy, Debug)]
pub struct Named<'n> {
    /// The row.
    pub row: &'static Fault,
    /// What is set: name, value as JSON text.
    pub params: &'n [(String, String)],
}

/// Why two faults do not go together, as one sentence; none where all do.
#[must_use]
pub fn clash(rows: &[&'static Fault]) -> Option<String> {
    let has = |row: &Fault, stage: usize| row.works.iter().any(|work| work.stage() == stage);
    for (i, second) in rows.iter().enumerate() {
        for first in &rows[..i] {
            let together = |stage| has(first, stage) && has(second, stage);
            let why = if first.name == second.name {
                "one fault is named twice"
            } else if has(first, 0) || has(second, 0) {
                "one of them is a whole answer of its own"
            } else if together(2) {
                "both put another answer in the place of the reply"
            } else if [first, second].iter().any(|row| has(row, 2))
                && [first, second].iter().any(|row| [1, 3, 4].iter().any(|stage| has(row, *stage)))
            {
                "one changes the reply that the other replaces"
            } else if together(5) {
                "both say in which pieces the bytes leave"
            } else if together(6) {
                "both say how the answer ends"
            } else {
                continue;
            };
            return Some(format!("`{}` and `{}` do not go together: {why}", first.name, second.name));
        }
    }
    None
}

/// What reaches a correct client when these break an answer together.
#[must_use]
pub fn arrives(rows: &[&Fault]) -> Arrives {
    let any = |arrives| rows.iter().any(|row| row.arrives == arrives);
    if any(Arrives::Not) {
        Arrives::Not
    } else if any(Arrives::Otherwise) {
        Arrives::Otherwise
    } else {
        Arrives::AsSaid
    }
}

/// Changes what the model says, before a request comes; gives the faults that are left to be played. Those of words alone are left
/// out where they found nothing to change.
pub fn change_words<'n>(faults: &[Named<'n>], reply: &mut Reply) -> Vec<Named<'n>> {
    let mut left = Vec::new();
    for named in faults {
        let mut changed = false;
        for work in named.row.works {
            if let Work::Words(change) = work {
                changed |= change(reply, &Params(named.params));
            }
        }
        if changed || !named.row.only_words() {
            left.push(*named);
        }
    }
    left
}

/// The reply as the faults let it leave; its words are changed already. None where the request asks for nothing that they could
/// break (a fault of streams where none was asked for, one that its dialect cannot have).
#[must_use]
pub fn play(faults: &[Named<'_>], wanted: &Wanted<'_>) -> Option<Faulted> {
    let mut faults = faults.to_vec();
    faults.retain(|named| named.row.dialects.include(wanted.dialect.name));
    if let [Named { row, params }] = *faults
        && let [Work::Plan(plan)] = row.works
    {
        return Some(plan(&Wanted { params, ..wanted.clone() }));
    }
    let mut canned;
    let reply = match wanted.reply {
        Some(reply) => reply,
        None => {
            canned = Reply { text: Some("This is all there is to say.".to_owned()), ..Reply::default() };
            faults = change_words(&faults, &mut canned);
            &canned
        }
    };
    let given = |params| Given {
        dialect: wanted.dialect,
        reply,
        envelope: wanted.envelope,
        stream: wanted.stream,
        request: wanted.request,
        params: Params(params),
        seed: wanted.seed,
        ordinal: wanted.ordinal,
    };
    let mut broke: Vec<bool> = faults.iter().map(|named| named.row.only_words()).collect();
    let mut answer = Answer::unharmed(wanted.dialect, reply, wanted.envelope, wanted.head, wanted.stream);
    each(&faults, &mut broke, 2..=4, |work, params| match work {
        Work::Answer(change) => change(&mut answer, &given(params)),
        Work::Documents(change) | Work::Lines(change) => change(&mut answer.events, &given(params)),
        Work::Plan(_) | Work::Words(_) | Work::Pieces(_) | Work::End(_) => false,
    });
    let mut flow = answer.flow();
    each(&faults, &mut broke, 5..=6, |work, params| match work {
        Work::Pieces(change) | Work::End(change) => change(&mut flow, &given(params)),
        Work::Plan(_) | Work::Words(_) | Work::Answer(_) | Work::Documents(_) | Work::Lines(_) => false,
    });
    let rows = || faults.iter().zip(&broke).filter(|(_, broke)| **broke).map(|(named, _)| named.row);
    rows().next()?;
    let arrives = rows().all(|row| row.arrives != Arrives::Not);
    let status = Some(answer.head.status);
    Some(Faulted {
        names: rows().map(|row| row.name).collect(),
        status,
        retry_after_ms: answer.head.retry_after_ms(),
        plan: flow.plan(&answer),
        delivered: arrives.then(|| reply.clone()),
    })
}

/// Applies the works of some stages, in the order of the stages.
fn each<'n>(
    faults: &[Named<'n>],
    broke: &mut [bool],
    stages: std::ops::RangeInclusive<usize>,
    mut apply: impl FnMut(Work, &'n [(String, String)]) -> bool,
) {
    for stage in stages {
        for (named, broke) in faults.iter().zip(&mut *broke) {
            for work in named.row.works.iter().filter(|work| work.stage() == stage) {
                *broke |= apply(*work, named.params);
            }
        }
    }
}
