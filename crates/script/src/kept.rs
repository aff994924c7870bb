//! Requests that hold only what is new since an earlier reply: its id says which step of which conversation it was, so that
//! nothing need be remembered.

use crate::issued::{ReplyId, call_id};
use crate::prompt::{Found, Picker};
use crate::scenario::{Action, Phrasing, Scenarios};
use rehearsal_wire::turn::{Call, KEPT, Message, Role, Turn};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Picker {
    /// Puts the reply that a request goes on from before its messages, as the history of a request that holds all would
    /// have it: behind the instructions, with the answers to its calls right after it. Without such a reply nothing changes.
    ///
    /// Calls that a request only refers to, by their ids without name and arguments, get what the script issued.
    pub fn recall(&self, scenarios: &Scenarios, turn: &mut Turn<'_>) {
        self.put_before(scenarios, turn);
        let calls = turn.messages.iter_mut().flat_map(|message| &mut message.calls);
        for call in calls.filter(|call| call.name.is_empty() && call.arguments.is_empty()) {
            if let Some(issued) = self.issued(scenarios, &call.id) {
                (call.name, call.arguments) = (issued.name.clone().into(), issued.arguments.clone().into());
            }
        }
    }

    /// Puts the kept reply before the messages.
    fn put_before(&self, scenarios: &Scenarios, turn: &mut Turn<'_>) {
        let Some(kept) = &turn.kept else { return };
        let calls = match ReplyId::of(&kept.id) {
            ReplyId::Aside => Some((None, Vec::new())),
            ReplyId::Foreign => None,
            ReplyId::Step(name, step) => {
                self.index.get(name).and_then(|at| said(&scenarios.phrasings[at], step))
            }
        };
        // What the script does not know may have made the calls that are answered here.
        let (text, calls) = calls.unwrap_or_else(|| (None, unknown(turn)));
        let texts = text.into_iter().map(Cow::Owned).collect();
        let reply = Message { index: KEPT, role: Role::Assistant, texts, calls, answers: Vec::new() };
        let made: BTreeSet<_> = reply.calls.iter().map(|call| call.id.clone()).collect();
        let answers = |message: &Message<'_>| {
            message.role == Role::Tool && message.answers.iter().any(|id| made.contains(id))
        };
        let own = std::mem::take(&mut turn.messages);
        let (answers, mut own): (Vec<_>, Vec<_>) = own.into_iter().partition(answers);
        let is_instruction = |message: &Message<'_>| matches!(message.role, Role::System | Role::Developer);
        let place = own.iter().position(|message| !is_instruction(message)).unwrap_or(own.len());
        let rest = own.split_off(place);
        turn.messages = own;
        turn.messages.push(reply);
        turn.messages.extend(answers);
        turn.messages.extend(rest);
    }

    /// The conversation that the kept reply belongs to, if it is one of the case's (`only`), or any without a case.
    pub(crate) fn by_kept(
        &self,
        scenarios: &Scenarios,
        turn: &Turn<'_>,
        only: Option<usize>,
    ) -> Option<Found> {
        let ReplyId::Step(name, step) = ReplyId::of(&turn.kept.as_ref()?.id) else { return None };
        let phrasing = self.index.get(name)?;
        let part_of = scenarios.phrasings.get(phrasing)?.part_of;
        if only.is_some_and(|case| phrasing != case && part_of != Some(case)) {
            return None;
        }
        let at = turn.messages.iter().position(|message| message.index == KEPT)?;
        Some(Found { phrasing, newest: at, first: at, left_out: step })
    }
}

/// What a phrasing said at a step: words and calls; none where a fault chose its own words.
fn said<'t>(phrasing: &Phrasing, step: usize) -> Option<(Option<String>, Vec<Call<'t>>)> {
    let Some(said) = phrasing.said_at(step) else {
        let last = phrasing.steps().saturating_sub(1);
        let step = phrasing.script.get(if phrasing.forever { step.min(last) } else { step })?;
        let is_fault = matches!(step.action, Action::Fault { .. });
        return (!is_fault).then_some((None, Vec::new()));
    };
    let call = |(index, call): (usize, &crate::scenario::ScriptedCall)| Call {
        index,
        id: call_id(&phrasing.id, step, index).into(),
        name: call.name.clone().into(),
        arguments: call.arguments.clone().into(),
        custom: false,
    };
    Some((said.text.clone(), said.calls.iter().enumerate().map(call).collect()))
}

/// Calls that nobody knows, from the answers to them.
fn unknown<'t>(turn: &Turn<'t>) -> Vec<Call<'t>> {
    let made: BTreeSet<_> =
        turn.messages.iter().flat_map(|message| &message.calls).map(|call| &call.id).collect();
    let answered = turn.messages.iter().flat_map(|message| &message.answers);
    let orphans = answered.filter(|id| !made.contains(id));
    let call = |(index, id): (usize, &Cow<'t, str>)| Call {
        index,
        id: id.clone(),
        name: Cow::Borrowed(""),
        arguments: Cow::Borrowed(""),
        custom: false,
    };
    orphans.collect::<BTreeSet<_>>().into_iter().enumerate().map(call).collect()
}
