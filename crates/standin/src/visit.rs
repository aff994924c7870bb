//! What becomes of a request for a reply that the lane keeps: it is told again, cancelled, forgotten; and of one that goes on
//! in a conversation that the lane keeps.
//!
//! Must not know: scripts, rules.

use crate::compose;
use crate::core::{Decision, Heard, Lane, Setting, asked, finish};
use crate::dice::Dice;
use crate::refusal::{no_key, refuse};
use crate::route;
use crate::stored::{Store, StoredReply};
use rehearsal_journal::event::Kind;
use rehearsal_wire::dialect::{Begun, Dialect, Keeping, Visit};
use rehearsal_wire::json;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::reply::Progress;
use rehearsal_wire::turn::{Kept, Turn};

/// A request that names a conversation goes on from its last reply.
pub(crate) fn join(dialect: &Dialect, lane: &Lane, request: &json::Tape<'_>, turn: &mut Turn<'_>) {
    let named = dialect.keeping.and_then(|keeping| (keeping.conversation)(request));
    let Some(named) = named.filter(|_| turn.kept.is_none()) else { return };
    let id = match lane.talks.get(&named) {
        Some(None) => return,
        Some(Some(last)) => last.clone(),
        None => named,
    };
    turn.kept = Some(Kept { id: id.into(), pointer: "/conversation", with_setting: false });
}

/// Decides.
pub(crate) fn decide(
    setting: &Setting,
    heard: Heard<'_>,
    (dialect, visit, id): (&'static Dialect, Visit, &str),
    lane: &Lane,
) -> Decision<'static> {
    let dice = Dice::new(setting.seed).with_text(id);
    let Some(keeping) = dialect.keeping else {
        unreachable!("{} has routes to kept replies and keeps none", dialect.name);
    };
    let no = |reject: Reject| {
        let decision = refuse(asked(Kind::Aside), Some(dialect), &reject);
        Decision { sent: decision.sent.with_ids(dialect, dice), ..decision }
    };
    if let Some(reject) = no_key(setting, heard, dialect) {
        return no(reject);
    }
    if visit == Visit::Begin {
        let bits = dice.with(lane.talks.len() as u64).bits();
        let Begun { id, body } = (keeping.begun)(bits, compose::EPOCH, json::parse(heard.body).as_ref().ok());
        let sent = compose::answer(dialect, body);
        let store = Some(Store::Begin(id));
        return Decision { store, ..finish(asked(Kind::Aside), sent.with_ids(dialect, dice)) };
    }
    let Some(kept) = lane.kept.as_deref() else { return no((keeping.missing)(&percent_decoded(id))) };
    let target = heard.head.target();
    let query = route::query(&target);
    match visit {
        Visit::Cancel if kept.background.is_none() => {
            no(Reject::of_no_place("kept-reply", 400, None, keeping.synchronous))
        }
        Visit::Begin | Visit::Read | Visit::Delete | Visit::Cancel | Visit::Items => {
            let (sent, store) = told(&keeping, visit, query, kept);
            Decision { store, ..finish(asked(Kind::Aside), sent.with_ids(dialect, dice)) }
        }
    }
}

fn told(keeping: &Keeping, visit: Visit, query: &str, kept: &StoredReply) -> (compose::Sent, Option<Store>) {
    let StoredReply { dialect, reply, envelope, request, .. } = kept;
    let id = || envelope.id.clone();
    let whole = |body| compose::answer(dialect, body);
    let at = |progress| {
        let envelope = rehearsal_wire::reply::Envelope { progress, ..envelope.clone() };
        whole((dialect.render)(reply, &envelope))
    };
    match visit {
        Visit::Begin => unreachable!("it is answered before a reply is looked for"),
        Visit::Read => {
            if let Some(first) = (keeping.streams_from)(query) {
                let whole = kept.background.is_some().then(|| Store::Tell(id(), Progress::Whole));
                return (compose::streamed(dialect, reply, envelope, first), whole);
            }
            // What is made in the background is further each time that somebody asks.
            let progress = match kept.progress() {
                Progress::Queued => Progress::Running,
                Progress::Running | Progress::Whole => Progress::Whole,
                Progress::Cancelled => Progress::Cancelled,
            };
            let moved = progress != kept.progress();
            (at(progress), moved.then(|| Store::Tell(id(), progress)))
        }
        Visit::Cancel => {
            let progress = match kept.progress() {
                Progress::Whole => Progress::Whole,
                Progress::Queued | Progress::Running | Progress::Cancelled => Progress::Cancelled,
            };
            (at(progress), Some(Store::Tell(id(), progress)))
        }
        Visit::Delete => (whole((keeping.deleted)(&envelope.id)), Some(Store::Forget(id()))),
        Visit::Items => {
            let body = json::parse(request).map(|tape| (keeping.items)(&tape, &envelope.id, query));
            (whole(body.unwrap_or_default()), None)
        }
    }
}

/// A part of a path as it was meant: ids may hold letters that a client escapes.
pub(crate) fn percent_decoded(part: &str) -> String {
    let bytes = part.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let hex = part.get(at + 1..at + 3).filter(|_| byte == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(meant) => {
                out.push(meant);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn escapes_in_a_path_are_read_and_broken_ones_stay() {
        for (part, meant) in [
            ("resp_a", "resp_a"),
            ("a%20b%C3%A9", "a bé"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("é%41", "éA"),
        ] {
            assert_eq!(percent_decoded(part), meant);
        }
    }
}
