//! Requests that hold the prompt of a script and are still no part of it: titles, probes, chatter after the end.
//!
//! Must not know: how they are answered, what any dialect calls its keys.

use crate::talk::Placed;
use rehearsal_journal::event::SideCall;
use rehearsal_script::pick::Counts;
use rehearsal_script::scenario::{Action, Phrasing};
use rehearsal_wire::turn::{Role, Turn};

/// An answer of so few tokens is none: the client only wants to know whether there is one.
const PROBE_TOKENS: i64 = 16;

/// Why a request is no part of the script that it was found to belong to; none where it is one.
pub(crate) fn call(turn: &Turn<'_>, placed: &Placed<'_>, counts: &Counts) -> Option<SideCall> {
    if !turn.offers_tools && !turn.keeps_setting() {
        if turn.room.is_some_and(|tokens| tokens <= PROBE_TOKENS) {
            return Some(SideCall::Probe);
        }
        // A conversation that began with tools does not begin again without them.
        let begins_again = placed.stand.assistants == 0 && counts.began_with_tools(placed.phrasing);
        if !tells_of_calls(turn) && (begins_again || calls_somewhere(placed.phrasing)) {
            return Some(SideCall::NoTools);
        }
        // A summary of what was done so far: the script would call a tool, and none is there to be called.
        if goes_on(turn, placed) && calls(placed.picked.action) {
            return Some(SideCall::NoTools);
        }
    }
    (placed.picked.is_overrun() && goes_on(turn, placed)).then_some(SideCall::AfterTheEnd)
}

/// Whether the history holds tool calls or answers to them.
fn tells_of_calls(turn: &Turn<'_>) -> bool {
    turn.messages
        .iter()
        .any(|message| !message.calls.is_empty() || matches!(message.role, Role::Tool | Role::Function))
}

fn calls_somewhere(phrasing: &Phrasing) -> bool {
    phrasing
        .script
        .iter()
        .any(|step| calls(&step.action) || step.before.iter().any(|trouble| calls(&trouble.action)))
}

fn calls(action: &Action) -> bool {
    action.said().is_some_and(|said| !said.calls.is_empty())
}

/// Whether a user has the last word, and it is not the prompt. Instructions behind it do not count.
fn goes_on(turn: &Turn<'_>, placed: &Placed<'_>) -> bool {
    let mut spoken = turn.messages.iter().enumerate().rev();
    let last = spoken.find(|(_, message)| !matches!(message.role, Role::System | Role::Developer));
    last.is_some_and(|(at, message)| {
        let before = at.checked_sub(1).and_then(|before| turn.messages.get(before));
        // Words beside the answers in one message of the list are no word of a user's own.
        let beside_answers =
            before.is_some_and(|before| before.role == Role::Tool && before.index == message.index);
        message.role == Role::User && at != placed.found.newest && !beside_answers
    })
}
