//! Batches: each request of one is decided at once, by the script like any other, and told when the client asks a second time.
//!
//! Must not know: what dialects call things, sockets.

use crate::compose::{self, Form, Sent};
use crate::core::{Decision, Heard, Lane, Setting, Used, asked, finish};
use crate::dice::Dice;
use crate::refusal::{before_the_body, no_key, refuse};
use crate::route;
use crate::stored::Store;
use crate::talk::Talk;
use crate::visit::percent_decoded;
use rehearsal_journal::event::{Asked, Kind};
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_wire::dialect::batch::{Batch, Batches, Entry, Outcome, Stage, Visit};
use rehearsal_wire::dialect::{Dialect, ErrorBody};
use rehearsal_wire::json;
use rehearsal_wire::reject::Reject;
use std::sync::Arc;

/// How often the client asks until a batch has ended.
const READS: u32 = 2;

/// A request of a batch, decided.
#[derive(Debug)]
pub struct Part<'s> {
    /// Its event.
    pub(crate) asked: Box<Asked>,
    /// Its body.
    pub(crate) body: Vec<u8>,
    /// What it will be told.
    pub(crate) told: Vec<u8>,
    /// What it used up of the script.
    pub(crate) used: Option<Used<'s>>,
}

/// A batch that a lane keeps.
#[derive(Clone, Debug)]
pub struct StoredBatch {
    pub(crate) id: String,
    /// Seconds since 1970.
    pub(crate) created: u64,
    pub(crate) outcomes: Vec<(String, Outcome)>,
    /// How often the client asked how far it is.
    pub(crate) reads: u32,
    pub(crate) cancelled: bool,
}

impl StoredBatch {
    fn stage(&self) -> Stage {
        match (self.reads >= READS, self.cancelled) {
            (true, _) => Stage::Ended,
            (false, true) => Stage::Cancelling,
            (false, false) => Stage::Running,
        }
    }

    /// Bytes of all that it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        let of = |outcome: &Outcome| match outcome {
            Outcome::Succeeded(body) | Outcome::Errored(body) => body.len(),
            Outcome::Cancelled => 0,
        };
        self.outcomes.iter().map(|(name, outcome)| name.len() + of(outcome) + 64).sum()
    }

    fn shown<'b>(&'b self, results: &'b str) -> Batch<'b> {
        Batch { id: &self.id, created: self.created, stage: self.stage(), outcomes: &self.outcomes, results }
    }
}

/// What is asked of batches, on a lane.
struct Asking<'a, 's> {
    setting: &'s Setting,
    lane: &'a Lane,
    heard: Heard<'a>,
    dialect: &'static Dialect,
    batches: &'static Batches,
}

/// Decides.
pub(crate) fn decide<'s>(
    setting: &'s Setting,
    lane: &Lane,
    heard: Heard<'_>,
    (dialect, batches, visit, id): (&'static Dialect, &'static Batches, Visit, &str),
) -> Decision<'s> {
    let asking = Asking { setting, lane, heard, dialect, batches };
    let early = match visit {
        Visit::Begin => before_the_body(setting, heard, dialect),
        Visit::List | Visit::Read | Visit::Results | Visit::Cancel | Visit::Delete => {
            no_key(setting, heard, dialect)
        }
    };
    if let Some(reject) = early {
        return asking.refused(&reject);
    }
    match visit {
        Visit::Begin => asking.begin(),
        Visit::List => asking.list(),
        Visit::Read | Visit::Results | Visit::Cancel | Visit::Delete => {
            let id = percent_decoded(id);
            match lane.shelf.get(&id) {
                Some(batch) => asking.of(visit, batch),
                None => asking.refused(&(batches.missing)(&id)),
            }
        }
    }
}

impl<'s> Asking<'_, 's> {
    fn dice(&self) -> Dice {
        Dice::new(self.setting.seed).with_text("batch").with(self.lane.shelf.begun() as u64)
    }

    fn refused(&self, reject: &Reject) -> Decision<'static> {
        let decision = refuse(asked(Kind::Aside), Some(self.dialect), reject);
        Decision { sent: decision.sent.with_ids(self.dialect, self.dice()), ..decision }
    }

    fn answered(&self, body: Vec<u8>, store: Option<Store>) -> Decision<'static> {
        let sent = compose::answer(self.dialect, body).with_ids(self.dialect, self.dice());
        Decision { store, ..finish(asked(Kind::Aside), sent) }
    }

    fn begin(&self) -> Decision<'s> {
        let tape = match json::parse(self.heard.body) {
            Ok(tape) => tape,
            Err(broken) => {
                return self.refused(&Reject::of_no_place("json", 400, None, broken.to_string()));
            }
        };
        let entries = match (self.batches.requests)(&tape) {
            Ok(entries) => entries,
            Err(reject) => return self.refused(&reject),
        };
        // Each sees the lane as those before it leave it.
        let mut lane = self.lane.clone();
        let (mut parts, mut outcomes) =
            (Vec::with_capacity(entries.len()), Vec::with_capacity(entries.len()));
        for Entry { name, body } in &entries {
            let (part, outcome) = self.part(&mut lane, body.text());
            parts.push(part);
            outcomes.push((name.clone().into_owned(), outcome));
        }
        let id = (self.batches.id)(self.dice().bits());
        let batch = StoredBatch { id, created: compose::EPOCH, outcomes, reads: 0, cancelled: false };
        let body = (self.batches.told)(&batch.shown(""));
        Decision { parts, ..self.answered(body, Some(Store::Batch(Arc::new(batch)))) }
    }

    /// Decides one request.
    fn part(&self, lane: &mut Lane, body: &str) -> (Part<'s>, Outcome) {
        let heard = Heard { body: body.as_bytes(), ..self.heard };
        let Setting { seed, .. } = self.setting;
        let decision = Talk {
            setting: self.setting,
            lane,
            heard,
            dialect: self.dialect,
            dice: Dice::new(*seed),
            named: "",
            framing: None,
        }
        .decide();
        let Decision { asked, sent, used, .. } = decision;
        if let Some(used) = &used {
            used.commit(&mut lane.counts);
        }
        let outcome = self.outcome(sent);
        let told = match &outcome {
            Outcome::Succeeded(body) | Outcome::Errored(body) => body.clone(),
            Outcome::Cancelled => Vec::new(),
        };
        (Part { asked, body: body.as_bytes().to_vec(), told, used }, outcome)
    }

    /// What a reply comes to in a batch, where nothing is streamed and no wire can break.
    fn outcome(&self, sent: Sent) -> Outcome {
        match (sent.status, whole(sent.form)) {
            (Some(200), Some(body)) => Outcome::Succeeded(body),
            (Some(_), Some(body)) => Outcome::Errored(body),
            (_, None) | (None, _) => {
                let message = "a batch has no streams, and faults of the wire cannot be played in one";
                let reject = Reject::of_no_place("batch", 400, None, message);
                Outcome::Errored((self.dialect.error)(&ErrorBody::from(&reject)))
            }
        }
    }

    fn list(&self) -> Decision<'static> {
        let batches: Vec<_> = self.lane.shelf.batches().rev().collect();
        let urls: Vec<_> = batches.iter().map(|batch| self.results(&batch.id)).collect();
        let shown: Vec<_> = batches.iter().zip(&urls).map(|(batch, url)| batch.shown(url)).collect();
        self.answered((self.batches.list)(&shown), None)
    }

    fn of(&self, visit: Visit, batch: &Arc<StoredBatch>) -> Decision<'static> {
        let ended = batch.stage() == Stage::Ended;
        match visit {
            Visit::Read if !ended => self.told(StoredBatch { reads: batch.reads + 1, ..(**batch).clone() }),
            Visit::Cancel if !ended => {
                let outcomes = batch.outcomes.iter().map(|(name, _)| (name.clone(), Outcome::Cancelled));
                // The next who asks finds it ended.
                let reads = READS - 1;
                self.told(StoredBatch {
                    outcomes: outcomes.collect(),
                    reads,
                    cancelled: true,
                    ..(**batch).clone()
                })
            }
            Visit::Begin | Visit::List | Visit::Read | Visit::Cancel => {
                self.answered((self.batches.told)(&batch.shown(&self.results(&batch.id))), None)
            }
            Visit::Results | Visit::Delete if !ended => self.refused(&(self.batches.unfinished)(&batch.id)),
            Visit::Results => {
                let lines =
                    batch.outcomes.iter().flat_map(|(name, outcome)| (self.batches.line)(name, outcome));
                let sent = compose::body(self.batches.lines_type, lines.collect());
                finish(asked(Kind::Aside), sent.with_ids(self.dialect, self.dice()))
            }
            Visit::Delete => {
                self.answered((self.batches.deleted)(&batch.id), Some(Store::DropBatch(batch.id.clone())))
            }
        }
    }

    /// Tells how far a batch is now, and keeps that.
    fn told(&self, batch: StoredBatch) -> Decision<'static> {
        let body = (self.batches.told)(&batch.shown(&self.results(&batch.id)));
        self.answered(body, Some(Store::Batch(Arc::new(batch))))
    }

    /// Where the results of a batch are to be had: below the place that this request named.
    fn results(&self, id: &str) -> String {
        let host = self.heard.header("host").map(String::from_utf8_lossy).unwrap_or_default();
        let target = self.heard.head.target();
        let lane = match route::split(&target).token {
            Some(token) => format!("/t/{token}"),
            None => String::new(),
        };
        let path = self.heard.path;
        let end = path.find(id).map_or(path.len(), |at| at.saturating_sub(1));
        format!("http://{host}{lane}{}/{id}/results", &path[..end])
    }
}

/// The body of a whole reply, also of one that only waits before it leaves.
fn whole(form: Form) -> Option<Vec<u8>> {
    match form {
        Form::Whole(_, body) => Some(body),
        Form::Frames(..) => None,
        Form::Acts(Plan { acts, after: After::KeepAlive }) => match acts.as_slice() {
            [Act::Wait(_), Act::Write(bytes)] => {
                let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
                Some(bytes[end + 4..].to_vec())
            }
            _ => None,
        },
        Form::Acts(_) => None,
    }
}
