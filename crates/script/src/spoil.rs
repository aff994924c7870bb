//! Faults of words change what the model says before anything is played, so that what comes back is compared with it.

use crate::scenario::{Action, FaultCall, Phrasing, Said, Scenarios, ScriptedCall, Trouble};
use rehearsal_wire::fault::{self, Arrives, Fault, Group, Named, change_words};
use rehearsal_wire::reply::{IssuedCall, Reply};

/// Applies them in all scripts. Call it once the calls are those of the agent that is run, and only once.
pub fn spoil(scenarios: &mut Scenarios) {
    for phrasing in &mut scenarios.phrasings {
        for step in &mut phrasing.script {
            step.before.iter_mut().map(|trouble| &mut trouble.action).for_each(change);
            change(&mut step.action);
        }
    }
}

fn change(action: &mut Action) {
    let Action::Fault { faults, arrives, said: Some(said) } = action else { return };
    let named: Vec<Named<'_>> = faults.iter().filter_map(FaultCall::named).collect();
    // Ids come with the place in the script, later.
    let mut reply = said.reply(|_| String::new());
    let left: Vec<&Fault> = change_words(&named, &mut reply).iter().map(|named| named.row).collect();
    if left.is_empty() {
        // Nothing to break: the step is what it was.
        *action = Action::Say(said.clone());
        return;
    }
    *arrives = fault::arrives(&left);
    faults.retain(|call| left.iter().any(|row| row.name == call.name));
    *said = words(reply);
}

fn words(reply: Reply) -> Said {
    let call = |call: IssuedCall| ScriptedCall { name: call.name, arguments: call.arguments, shell: None };
    Said {
        thinking: reply.thinking,
        text: reply.text,
        refusal: reply.refusal,
        calls: reply.calls.into_iter().map(call).collect(),
        finish_reason: reply.finish,
        usage: reply.usage,
    }
}

/// The same phrasing with faults put over what the model says: over all of it where a turn arrives all the same, else over the
/// first `times` requests for it, so that those who try again get on. What an endpoint does not take it takes in no step.
#[must_use]
pub fn overlaid(phrasing: &Phrasing, faults: &[FaultCall], arrives: Arrives, times: u32) -> Phrasing {
    let mut phrasing = phrasing.clone();
    let is_refusal = |call: &FaultCall| call.named().is_some_and(|named| named.row.group == Group::Refusals);
    let everywhere = faults.iter().all(is_refusal);
    let mut first = true;
    for step in &mut phrasing.script {
        let Action::Say(said) = &step.action else { continue };
        let mut broken = Action::Fault { faults: faults.to_vec(), arrives, said: Some(said.clone()) };
        change(&mut broken);
        if matches!(broken, Action::Say(_)) {
            // It has nothing that they break: the next step may.
            continue;
        }
        if arrives != Arrives::Not {
            step.action = broken;
        } else if std::mem::take(&mut first) || everywhere {
            step.before.insert(0, Trouble { times, action: broken, expected: step.expected.clone() });
        }
    }
    phrasing
}
