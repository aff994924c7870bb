//! Check 10 of the original stub: each call is answered once, at once, and nothing else is.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};
use crate::turn::{Call, Role, Turn};
pub(super) const ROW: Rule = Rule {
    name: "pairing",
    summary: "calls without an answer, answers without a call",
    codes: &["gate_pairing"],
    stage: Stage::Gate,
    dialects: CHAT,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"call_1","content":"x"}]}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    match first_break(asked.turn) {
        None => Ok(()),
        Some(Break { index, fault }) => {
            let (what, fix) = fault.words();
            Err(say::gate(say::PAIRING, format!("/messages/{index}"), &what, fix))
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
    /// A tool message with no turn of calls before it.
    Orphan(&'t str),
    /// A tool message whose id the turn before it never made.
    UnknownId(&'t str),
    /// A call answered twice.
    AnsweredTwice(&'t str),
    /// Another message, or the end, while calls are open.
    Unanswered(Vec<&'t str>),
}

impl Fault<'_> {
    fn words(&self) -> (String, &'static str) {
        match self {
            Self::Orphan(id) => (
                format!(
                    "this tool message answers {}, but no assistant message with tool_calls stands before it",
                    say::quoted(id)
                ),
                "keep the assistant message that made the call",
            ),
            Self::UnknownId(id) => (
                format!(
                    "this tool message answers {}, which the assistant message before it did not call",
                    say::quoted(id)
                ),
                "answer with the id of the call",
            ),
            Self::AnsweredTwice(id) => {
                (format!("{} is answered a second time", say::quoted(id)), "answer each call once")
            }
            Self::Unanswered(ids) => (
                format!("no tool message answered {} before this point", list(ids)),
                "answer each call in the messages right after it",
            ),
        }
    }
}

/// Ids for a message, quoted.
pub(super) fn list(ids: &[&str]) -> String {
    ids.iter().map(|id| say::quoted(id)).collect::<Vec<_>>().join(", ")
}

/// Walks the conversation once; an id twice in one turn needs one answer, answers may come in any order.
pub(super) fn first_break<'t>(turn: &'t Turn<'_>) -> Option<Break<'t>> {
    let mut turn_calls: Option<&'t [Call<'_>]> = None;
    let mut open: Vec<&'t str> = Vec::new();
    for message in &turn.messages {
        let index = message.index;
        if message.role != Role::Tool {
            if !open.is_empty() {
                return Some(Break { index, fault: Fault::Unanswered(open) });
            }
            turn_calls = (!message.calls.is_empty()).then_some(&message.calls);
            for call in &message.calls {
                if !open.contains(&&*call.id) {
                    open.push(&call.id);
                }
            }
            continue;
        }
        for id in &message.answers {
            let fault = match turn_calls {
                None => Fault::Orphan(id),
                Some(calls) => match open.iter().position(|other| other == id) {
                    Some(place) => {
                        open.remove(place);
                        continue;
                    }
                    None if calls.iter().any(|call| call.id == *id) => Fault::AnsweredTwice(id),
                    None => Fault::UnknownId(id),
                },
            };
            return Some(Break { index, fault });
        }
    }
    let end = turn.messages.last().map_or(0, |message| message.index);
    (!open.is_empty()).then_some(Break { index: end, fault: Fault::Unanswered(open) })
}
