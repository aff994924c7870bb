//! Replies that a lane keeps for clients that ask for them later. A pure value with a bound: the oldest go first.

use crate::batch::StoredBatch;
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::reply::{Envelope, Progress, Reply};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// Most replies that a lane keeps, and most bytes of them.
const MOST: usize = 1000;
const MOST_BYTES: usize = 16 << 20;
/// Most batches.
const MOST_BATCHES: usize = 100;

/// A reply that is kept, with what is needed to tell it again.
#[derive(Clone, Debug)]
pub struct StoredReply {
    /// Who told it.
    pub(crate) dialect: &'static Dialect,
    /// What was said.
    pub(crate) reply: Reply,
    /// What it travels in, whole.
    pub(crate) envelope: Envelope,
    /// The conversation that it belongs to, where the request named one.
    pub(crate) conversation: Option<String>,
    /// The body of the request.
    pub(crate) request: Vec<u8>,
    /// How far it is told to be, for one that is made in the background; none for others.
    pub(crate) background: Option<Progress>,
}

impl StoredReply {
    /// How far a client is told that it is.
    pub(crate) fn progress(&self) -> Progress {
        self.background.unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        let Reply { thinking, text, refusal, calls, .. } = &self.reply;
        let texts: usize = [thinking, text, refusal].into_iter().flatten().map(String::len).sum();
        let calls: usize =
            calls.iter().map(|call| call.id.len() + call.name.len() + call.arguments.len()).sum();
        let echoed: usize = self.envelope.echoed.iter().map(|(_, text)| text.len()).sum();
        texts + calls + echoed + self.request.len() + 512
    }
}

/// What a request changes in what is kept.
#[derive(Clone, Debug)]
pub enum Store {
    /// Keeps a reply.
    Keep(Arc<StoredReply>),
    /// Notes how far a reply was told to be.
    Tell(String, Progress),
    /// Forgets one.
    Forget(String),
    /// Begins a conversation.
    Begin(String),
    /// Keeps a batch in the place of the one with its id.
    Batch(Arc<StoredBatch>),
    /// Forgets a batch.
    DropBatch(String),
}

/// Batches that a lane keeps, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    batches: Vec<Arc<StoredBatch>>,
    begun: usize,
}

impl Shelf {
    /// How many were ever begun.
    pub(crate) fn begun(&self) -> usize {
        self.begun
    }

    pub(crate) fn batches(&self) -> impl DoubleEndedIterator<Item = &Arc<StoredBatch>> {
        self.batches.iter()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Arc<StoredBatch>> {
        self.batches.iter().find(|batch| batch.id == id)
    }

    fn put(&mut self, batch: Arc<StoredBatch>) {
        if let Some(known) = self.batches.iter_mut().find(|known| known.id == batch.id) {
            *known = batch;
            return;
        }
        self.begun += 1;
        self.batches.push(batch);
        let bytes = |shelf: &Self| shelf.batches.iter().map(|batch| batch.bytes()).sum::<usize>();
        while self.batches.len() > MOST_BATCHES || self.batches.len() > 1 && bytes(self) > MOST_BYTES {
            self.batches.remove(0);
        }
    }
}

/// Conversations by their ids, each with the id of its last reply, if it has one.
pub(crate) type Talks = BTreeMap<String, Option<String>>;

/// Everything that a lane keeps.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    replies: HashMap<Arc<str>, Arc<StoredReply>>,
    /// Ids, the oldest first.
    order: VecDeque<Arc<str>>,
    bytes: usize,
    talks: Arc<Talks>,
    shelf: Arc<Shelf>,
}

impl Stored {
    pub(crate) fn talks(&self) -> Arc<Talks> {
        Arc::clone(&self.talks)
    }

    pub(crate) fn shelf(&self) -> Arc<Shelf> {
        Arc::clone(&self.shelf)
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<StoredReply>> {
        self.replies.get(id).cloned()
    }

    pub(crate) fn change(&mut self, change: Store) {
        match change {
            Store::Keep(reply) => self.keep(reply),
            Store::Tell(id, progress) => {
                if let Some(reply) = self.replies.get_mut(&*id) {
                    Arc::make_mut(reply).background = Some(progress);
                }
            }
            Store::Forget(id) => self.forget(&id),
            Store::Begin(id) => {
                let talks = Arc::make_mut(&mut self.talks);
                if talks.len() < MOST {
                    talks.insert(id, None);
                }
            }
            Store::Batch(batch) => Arc::make_mut(&mut self.shelf).put(batch),
            Store::DropBatch(id) => Arc::make_mut(&mut self.shelf).batches.retain(|batch| batch.id != id),
        }
    }

    fn keep(&mut self, reply: Arc<StoredReply>) {
        if let Some(talk) = &reply.conversation {
            let talks = Arc::make_mut(&mut self.talks);
            if talks.len() < MOST || talks.contains_key(talk) {
                talks.insert(talk.clone(), Some(reply.envelope.id.clone()));
            }
        }
        let bytes = reply.bytes();
        if bytes > MOST_BYTES {
            return;
        }
        let id: Arc<str> = reply.envelope.id.as_str().into();
        // One look-up for a new id, as nearly all are.
        if let Some(before) = self.replies.insert(Arc::clone(&id), reply) {
            self.bytes -= before.bytes();
            self.order.retain(|known| *known != id);
        }
        self.bytes += bytes;
        self.order.push_back(id);
        while self.replies.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.take(&oldest);
        }
    }

    fn forget(&mut self, id: &str) {
        if self.take(id) {
            self.order.retain(|known| **known != *id);
        }
    }

    fn take(&mut self, id: &str) -> bool {
        let taken = self.replies.remove(id);
        self.bytes -= taken.as_ref().map_or(0, |reply| reply.bytes());
        taken.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, MOST_BYTES, Store, Stored, StoredReply};
    use rehearsal_wire::dialect::DIALECTS;
    use rehearsal_wire::reply::{Envelope, Progress, Reply};
    use std::sync::Arc;

    fn reply(id: &str, request: usize) -> Store {
        let envelope = Envelope::plain(id.to_owned(), 0, "\"m\"".to_owned());
        let request = vec![b' '; request];
        Store::Keep(Arc::new(StoredReply {
            dialect: &DIALECTS[0],
            reply: Reply::default(),
            envelope,
            conversation: None,
            request,
            background: None,
        }))
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_or_too_much() {
        let mut stored = Stored::default();
        for number in 0..MOST + 10 {
            stored.change(reply(&format!("r{number}"), 10));
        }
        assert_eq!(stored.replies.len(), MOST);
        assert!(stored.get("r9").is_none() && stored.get("r10").is_some());
        stored.change(reply("large", MOST_BYTES - 2000));
        assert!(stored.replies.len() < 5 && stored.bytes <= MOST_BYTES);
        stored.change(reply("too large", MOST_BYTES));
        assert!(stored.get("too large").is_none() && stored.get("large").is_some());
    }

    #[test]
    fn no_more_conversations_are_known_than_replies() {
        let mut stored = Stored::default();
        for number in 0..MOST + 10 {
            let Store::Keep(mut kept) = reply(&format!("r{number}"), 10) else { unreachable!() };
            Arc::make_mut(&mut kept).conversation = Some(format!("c{number}"));
            stored.change(Store::Keep(kept));
        }
        assert_eq!(stored.talks().len(), MOST);
        let Store::Keep(mut kept) = reply("later", 10) else { unreachable!() };
        Arc::make_mut(&mut kept).conversation = Some("c0".to_owned());
        stored.change(Store::Keep(kept));
        assert_eq!(stored.talks()["c0"].as_deref(), Some("later"));
    }

    #[test]
    fn what_is_kept_again_or_forgotten_counts_once_or_no_more() {
        let mut stored = Stored::default();
        for _ in 0..5 {
            stored.change(reply("a", 100));
        }
        assert_eq!((stored.replies.len(), stored.order.len()), (1, 1));
        stored.change(Store::Tell("a".to_owned(), Progress::Running));
        assert_eq!(stored.get("a").map(|reply| reply.progress()), Some(Progress::Running));
        stored.change(Store::Forget("a".to_owned()));
        stored.change(Store::Forget("a".to_owned()));
        stored.change(Store::Tell("a".to_owned(), Progress::Running));
        assert_eq!((stored.replies.is_empty(), stored.order.len(), stored.bytes), (true, 0, 0));
    }
}
