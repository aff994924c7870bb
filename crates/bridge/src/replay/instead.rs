//! A recording in the place of a forward: what a recorder answers that has recorded the call before.

use super::call::call;
use super::play::{self, Speed};
use super::shelf::Shelf;
use crate::cassette::{Ending, Recording};
use crate::core::{Heard, Want};
use crate::outline::hop;
use crate::serve::{Asking, Inner};
use bytes::Bytes;
use rehearsal_journal::bridge::{Action, Done};
use rehearsal_world::clock::Clock;
use rehearsal_world::http::{Answer, Left, Reply, Request, Sent};
use rehearsal_world::task::{self, oneshot};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a recorder serves of what it recorded before.
#[derive(Debug)]
pub struct Instead {
    shelf: Mutex<Shelf>,
    /// Whether what was never recorded is forwarded.
    forwards: bool,
    /// Who is told of a call that is not.
    say: fn(&str),
}

impl Instead {
    /// Serves this shelf. Without `forwards` a call that is not on it is refused, and `say` is told why.
    #[must_use]
    pub fn new(shelf: Shelf, forwards: bool, say: fn(&str)) -> Self {
        Self { shelf: Mutex::new(shelf), forwards, say }
    }

    /// The shelf.
    pub fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers with a recording, or with a refusal where nothing may be forwarded.
///
/// # Errors
/// Gives `asking` back where the request is to be forwarded.
pub(crate) fn answer(
    inner: &Arc<Inner>,
    instead: &Instead,
    heard: &Heard,
    request: &Request,
    mut asking: Asking,
) -> Result<Answer, Asking> {
    match heard.want {
        Want::Open | Want::Models => {}
        Want::Refused(_)
        | Want::Health
        | Want::Status
        | Want::Arm(_)
        | Want::Disarm(_)
        | Want::Preflight
        | Want::Case(_) => return Err(asking),
    }
    // As it would have been written down.
    let asked = inner.setting().kept(&request.body);
    let request_hop = hop(&asked);
    let target = inner.setting().kept_text(&heard.target());
    let key = call(heard.dialect, &heard.method, &target, &asked);
    let taken = instead.shelf().take(heard.lane.as_deref(), &key);
    match taken {
        Ok(recording) => {
            asking.done.request = request_hop;
            Ok(play(inner, heard, recording, asking))
        }
        Err(_) if instead.forwards => Err(asking),
        Err(miss) => {
            (instead.say)(&miss.message);
            asking.done.request = request_hop;
            asking.done.action = Action::Denied;
            asking.done.code = Some(miss.code.to_owned());
            let (mut head, body) = miss.reply(heard.dialect);
            head.headers.extend(inner.common(heard).headers);
            asking.done.error = Some(miss.message);
            inner.keep(&mut asking.done, &request.body);
            Ok(inner.leave(*asking.done, asking.clock, head, body, false))
        }
    }
}

/// Serves a recording, and writes the end down once it has left.
fn play(inner: &Arc<Inner>, heard: &Heard, recording: Arc<Recording>, asking: Asking) -> Answer {
    let Asking { mut done, clock } = asking;
    let mut head = play::head(&recording);
    head.headers.extend(inner.common(heard).headers);
    done.action = Action::Replayed;
    done.code = None;
    done.status = Some(head.status);
    done.replayed = Some(recording.name.clone());
    done.complete = Some(recording.ending != Ending::Cut);
    let (sender, body) = play::ends(&recording);
    let ticket = done.sequence;
    let (sent, left) = (sender.sent(), inner.begin(ticket));
    let (inner, is_bare) = (Arc::clone(inner), heard.method == "HEAD");
    task::spawn(async move {
        let played = play::body(Arc::clone(&recording), sender, Speed::AT_ONCE, clock).await;
        done.error = played.err().map(|error| error.to_string());
        settle(&mut done, &recording, (sent, is_bare), left, clock).await;
        inner.end(*done);
    });
    Answer { ticket, reply: Reply::Live { head, body }, close: false }
}

/// What really left.
async fn settle(
    done: &mut Done,
    recording: &Recording,
    (sent, is_bare): (Sent, bool),
    left: oneshot::Receiver<Left>,
    clock: Clock,
) {
    // The connection says, sooner or later, that nothing more will leave.
    drop(left.await);
    let whole = recording.body.beginning(u64::MAX);
    let served = recording.body.beginning(sent.bytes());
    done.served = served.unwrap_or_else(|_| hop(&Bytes::new()));
    done.client_left = !is_bare && whole.is_ok_and(|whole| whole.bytes > done.served.bytes);
    done.took_us = clock.elapsed_us();
}
