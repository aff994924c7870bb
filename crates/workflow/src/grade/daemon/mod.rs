//! An orchestrator as the agent under test: what it did as a client of the daemon of its case. The rules are those of the daemon's
//! protocol for its clients; each is a check.

mod end;
mod expectation;
mod leak;
mod message;
mod question;
mod request;
mod start;
mod talk;

pub(crate) use end::most_requests;
pub(super) use end::{DAEMON_NEVER_ASKED, POLLED_WITHOUT_PAUSE, RUN_LEFT, TOO_MANY_DAEMON_REQUESTS};
pub(super) use expectation::{DAEMON_ANSWERS, DAEMON_CANCELLED, DAEMON_MESSAGES, DAEMON_RUNS};
pub(super) use leak::{MESSAGE_IN_OUTPUT, TOKEN_IN_OUTPUT};
pub(super) use message::{
    LIVE_INPUT_UNREAD, MESSAGE_ID, MESSAGE_ID_MISMATCH, MESSAGE_REPEATED, MESSAGE_RETRY_LOOP,
    MESSAGE_TO_SETTLED_RUN, MESSAGE_UNDER_ANOTHER_ID, MESSAGE_UNSUPPORTED,
};
pub(super) use question::{ANSWER_INVALID, QUESTION_ANSWERED_TWICE, QUESTION_NOT_OPEN};
pub(super) use request::{DAEMON_REFUSED, DAEMON_UNAUTHORIZED, KEY_CONFLICT, KEY_MISSING, PROTOCOL_MAJOR};
pub(super) use start::{REFUSAL_UNREAD, START_UNDER_ANOTHER_KEY};
pub(crate) use talk::is_wanted;
pub use talk::{Call, Talk};

use super::{Evidence, Found};
use crate::daemon::MOST_REQUESTS;

/// What was said to the daemon, in a case that has one.
fn talk_of<'e>(evidence: &Evidence<'e>) -> Option<&'e Talk> {
    evidence.talk
}

/// One finding for all requests that are wrong in one way, told by the first.
fn many<'c>(wrong: impl Iterator<Item = &'c Call>, what: impl Fn(&Call) -> String) -> Vec<Found> {
    let all: Vec<&Call> = wrong.collect();
    let Some(first) = all.first() else { return Vec::new() };
    let more = match all.len() {
        1 => String::new(),
        count => format!(", and {} more like it", count - 1),
    };
    vec![Found::at(what(first) + &more, all.iter().map(|call| call.exchange))]
}
