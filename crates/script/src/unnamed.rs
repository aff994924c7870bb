//! Calls that came back without ids, as some APIs allow: the script knows which of its own they are by their place, their
//! tools and their arguments.

use crate::issued::call_id;
use crate::prompt::Picker;
use crate::scenario::{Phrasing, Scenarios, ScriptedCall};
use rehearsal_wire::json::{Likeness, likeness, parse};
use rehearsal_wire::rule::ID_PREFIX;
use rehearsal_wire::turn::{Call, Message, Role, Turn};
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Picker {
    /// Gives calls that came without ids, and the answers to them, the ids that they were issued under. What cannot be told
    /// keeps the id that its reader made. Does nothing where all calls came with ids.
    pub fn name_calls(&self, scenarios: &Scenarios, turn: &mut Turn<'_>, only: Option<usize>) {
        if !turn.unnamed {
            return;
        }
        let Some(found) = self.matched(scenarios, turn, only) else { return };
        let phrasing = &scenarios.phrasings[found.phrasing];
        let (mut next, mut names) = (0, BTreeMap::new());
        for message in &turn.messages[found.first..] {
            if message.role != Role::Assistant {
                continue;
            }
            let step = step_of(phrasing, next, message).unwrap_or(next);
            pair(phrasing, step, message, &mut names);
            next = step + 1;
        }
        for message in &mut turn.messages {
            let calls = message.calls.iter_mut().map(|call| &mut call.id);
            for id in calls.chain(&mut message.answers) {
                if let Some(issued) = names.get(&**id) {
                    *id = Cow::Owned(issued.clone());
                }
            }
        }
    }
}

/// The step that a turn was: the first from `next` on that made these calls, else the first that called these tools. A history
/// that was cut short may begin behind the first step.
fn step_of(phrasing: &Phrasing, next: usize, message: &Message<'_>) -> Option<usize> {
    if message.calls.is_empty() {
        return None;
    }
    // A script without an end says its last step again and again.
    let last = if phrasing.forever { phrasing.steps().max(next + 1) } else { phrasing.steps() };
    let made = |step: usize| phrasing.said_at(step).map(|said| said.calls.as_slice()).unwrap_or_default();
    let find = |same: fn(&ScriptedCall, &Call<'_>) -> bool| {
        (next..last).find(|step| {
            let made = made(*step);
            made.len() == message.calls.len()
                && made.iter().zip(&message.calls).all(|(one, other)| same(one, other))
        })
    };
    find(is_same).or_else(|| find(has_same_tool))
}

fn has_same_tool(made: &ScriptedCall, call: &Call<'_>) -> bool {
    made.name == call.name
}

fn is_same(made: &ScriptedCall, call: &Call<'_>) -> bool {
    let alike = || {
        let (one, other) = (parse(made.arguments.as_bytes()), parse(call.arguments.as_bytes()));
        matches!((one, other), (Ok(one), Ok(other)) if likeness(one.root(), other.root()) != Likeness::Different)
    };
    has_same_tool(made, call) && (made.arguments == call.arguments || alike())
}

/// Pairs the calls of a turn with those of its step, in order: each with the next of its tool.
fn pair(phrasing: &Phrasing, step: usize, message: &Message<'_>, names: &mut BTreeMap<String, String>) {
    let Some(said) = phrasing.said_at(step) else { return };
    let mut made = said.calls.iter().enumerate();
    for call in message.calls.iter().filter(|call| !call.id.starts_with(ID_PREFIX)) {
        let Some((k, _)) = made.find(|(_, made)| has_same_tool(made, call)) else { return };
        names.insert(call.id.to_string(), call_id(&phrasing.id, step, k));
    }
}
