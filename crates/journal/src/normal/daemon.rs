//! What a stand-in for an agent-run daemon took down, without what differs between two runs that saw the same.
//!
//! - Reads of a run that changed nothing are dropped, and with them their requests: how often a client looks depends on time. The
//!   requests that stay are numbered anew.
//! - Ids that follow from a client's own keys (runs, questions, uploads, …), and those keys, become `run-1`, `key-1` and so on.
//! - Digests of prompts, messages, bodies and of the daemon's own files, which hold paths and ids, are masked, and so are projects.

use super::MASK;
use crate::daemon::{Decided, Fact, Place, Sum};
use crate::event::{Asked, Event};
use std::collections::{BTreeMap, BTreeSet};

/// How many digits of a run's id stand in the ids of its questions.
const SHORT: usize = 8;

/// What is known of a journal before it is normalised.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// Requests that only looked, sorted, each once.
    idle: Vec<u64>,
    /// Ids and keys of this run, each with the word in its place, in the order in which they came up.
    names: Vec<(String, String)>,
    /// All of them, to be looked up.
    named: BTreeSet<String>,
    /// Places of names by their first bytes: of tens of thousands a text holds few.
    beginnings: BTreeMap<Vec<u8>, Vec<usize>>,
    /// How many there are of each sort.
    counted: BTreeMap<&'static str, usize>,
}

impl Client {
    /// Looks through the events of one journal, in the order of its lines.
    pub(super) fn of<'e>(events: impl Iterator<Item = &'e Event>) -> Self {
        let mut client = Self::default();
        let mut looked: Option<u64> = None;
        for event in events {
            // What a request changed stands right behind what was decided of it.
            let changed = matches!(event, Event::Daemon(fact) if !matches!(fact, Fact::Decided(_)));
            client.idle.extend(looked.take().filter(|_| !changed));
            let Event::Daemon(fact) = event else { continue };
            client.names(fact);
            if let Fact::Decided(decided) = fact {
                looked = (decided.exchange > 0 && only_looks(decided)).then_some(decided.exchange);
            }
        }
        client.idle.extend(looked);
        client.idle.sort_unstable();
        client.idle.dedup();
        for (place, (id, _)) in client.names.iter().enumerate() {
            client.beginnings.entry(id.as_bytes()[..SHORT].to_vec()).or_default().push(place);
        }
        client
    }

    fn names(&mut self, fact: &Fact) {
        match fact {
            Fact::Decided(Decided { key: Some(key), .. }) => self.name("key", key),
            Fact::RunStarted { run, key, .. } => {
                self.name("key", key);
                self.name("run", run);
                if let Some(short) = run.get(..SHORT).filter(|short| short.len() < run.len()) {
                    // The longer id stands before its beginning, so that it is the one that is found.
                    self.named.insert(short.to_owned());
                    self.names.push((short.to_owned(), format!("run-{}", self.counted["run"])));
                }
            }
            Fact::ItemChanged { id, .. } => self.name("item", id),
            Fact::ProjectChanged { project, .. } => self.name("project", project),
            Fact::Began { .. }
            | Fact::Decided(_)
            | Fact::QuestionAsked { .. }
            | Fact::QuestionClosed { .. }
            | Fact::MessageTaken { .. }
            | Fact::CancelAsked { .. }
            | Fact::FileWritten { .. }
            | Fact::WriteRefused { .. }
            | Fact::RunEnded { .. }
            | Fact::ClockMoved { .. }
            | Fact::LineHeard(_)
            | Fact::LineSaid(_)
            | Fact::LineRefused { .. } => {}
        }
    }

    fn name(&mut self, sort: &'static str, id: &str) {
        // A short word, such as `a`, stands in too many others.
        if id.len() >= SHORT && !self.named.contains(id) {
            self.named.insert(id.to_owned());
            let count = self.counted.entry(sort).or_default();
            *count += 1;
            self.names.push((id.to_owned(), format!("{sort}-{count}")));
        }
    }

    /// Whether a request and all that was taken down of it are dropped.
    pub(super) fn drops(&self, exchange: u64) -> bool {
        self.idle.binary_search(&exchange).is_ok()
    }

    /// How many requests are dropped.
    pub(super) fn dropped(&self) -> u64 {
        self.idle.len() as u64
    }

    /// The number of a request among those that stay.
    pub(super) fn number(&self, exchange: u64) -> u64 {
        exchange - self.idle.partition_point(|idle| *idle < exchange) as u64
    }

    /// A request under its number among those that stay, behind the one that it had.
    pub(super) fn numbered(&self, asked: Asked) -> (u64, Asked) {
        let attempt_of = asked.attempt_of.map(|first| self.number(first));
        (asked.exchange, Asked { exchange: self.number(asked.exchange), attempt_of, ..asked })
    }

    /// A text with the words for this run's ids and keys.
    pub(super) fn word(&self, text: &mut String) {
        let begin = text.as_bytes().windows(SHORT).filter_map(|bytes| self.beginnings.get(bytes));
        // In the order in which they came up: the longer one first.
        let standing: BTreeSet<usize> =
            begin.flatten().copied().filter(|place| text.contains(self.names[*place].0.as_str())).collect();
        for place in standing {
            let (id, word) = &self.names[place];
            *text = text.replace(id.as_str(), word);
        }
    }

    /// A fact as it is in every run that saw the same; none for what is dropped.
    pub(super) fn fact(&self, fact: &Fact, mask: &impl Fn(&mut String)) -> Option<Fact> {
        let mut fact = fact.normal();
        match &mut fact {
            Fact::Decided(decided) => {
                if self.drops(decided.exchange) {
                    return None;
                }
                decided.exchange = self.number(decided.exchange);
                decided.run.iter_mut().chain(&mut decided.key).for_each(|text| self.word(text));
                decided.digest.iter_mut().for_each(masked);
            }
            Fact::RunStarted { run, key, prompt, .. } => {
                self.word(run);
                self.word(key);
                masked(prompt);
            }
            Fact::QuestionAsked { run, question } | Fact::QuestionClosed { run, question, .. } => {
                self.word(run);
                self.word(question);
            }
            Fact::MessageTaken { run, message, text, .. } => {
                self.word(run);
                self.word(message);
                hidden(text);
            }
            Fact::FileWritten { run, place, content, .. } => {
                self.word(run);
                if *place == Place::Run {
                    hidden(content);
                }
            }
            Fact::WriteRefused { run, why } => {
                self.word(run);
                mask(why);
            }
            Fact::CancelAsked { run, .. } | Fact::RunEnded { run, .. } => self.word(run),
            Fact::ProjectChanged { project: id, .. } | Fact::ItemChanged { id, .. } => self.word(id),
            Fact::Began { .. }
            | Fact::ClockMoved { .. }
            | Fact::LineHeard(_)
            | Fact::LineSaid(_)
            | Fact::LineRefused { .. } => {}
        }
        Some(fact)
    }
}

/// Whether nothing but a whole answer to a read of a run was decided.
fn only_looks(decided: &Decided) -> bool {
    ["run.read", "a2a.get"].contains(&decided.operation.as_str())
        && decided.status == 200
        && decided.code.is_none()
        && decided.broken.is_none()
}

fn masked(text: &mut String) {
    MASK.clone_into(text);
}

fn hidden(sum: &mut Sum) {
    *sum = Sum { bytes: 0, sha256: MASK.to_owned() };
}
