//! Where a bridge keeps what happened: the journal that decides, the files of each exchange, and the public projection.
//!
//! ```text
//! DIR/lock                          who owns the folder
//! DIR/private/control-token.txt     DIR/private/configuration.json
//! DIR/private/journal-0001.jsonl    facts; the state is a fold over them
//! DIR/private/spent/…               one empty file a forward that a budget paid for
//! DIR/private/exchanges/0007-CASE.* the bytes of each exchange, and a readable file
//! DIR/private/traffic/              the log of what has no files yet
//! DIR/public/…                      configuration.json, state.json, events.jsonl: digests and counts
//! ```

use crate::cost;
use crate::exchange::READABLE;
use crate::projection;
use crate::setting::Setting;
use crate::state::{State, StateError};
use crate::traffic::{self, TRAFFIC, Traffic};
use crate::unpack::Unpacker;
use rehearsal_journal::bridge::{Done, Fact, Reached};
use rehearsal_journal::event::Event;
use rehearsal_world::clock;
use rehearsal_world::record::{Durable, DurableError, Sync, file_stem};
use rehearsal_world::vault::{Folder, Record, VaultError};
use rehearsal_world::{ids, process};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// File of the control token.
const TOKEN: &str = "control-token.txt";
/// File of the key of redaction marks.
const REDACTION: &str = "redaction-key.txt";
/// Shortest control token and shortest key that are trusted, in bytes.
const SECRET_LENGTH: usize = 32;
/// Folder of the bytes of exchanges.
pub const EXCHANGES: &str = "exchanges";
/// Folder of the private part.
pub const PRIVATE: &str = "private";
/// Folder of a mark for each spent case.
const SPENT: &str = "spent";
/// Longest part of a file's name that comes from a case.
const LONGEST_STEM: usize = 100;
/// Bytes of public lines that may wait.
const HELD: usize = 64 * 1024;

/// Bytes that the end of most requests takes as JSON.
const ROOM: usize = 1536;

/// Most of an answer that is looked at for what it cost, in bytes.
const LONGEST_HEARD: usize = 8 << 20;

/// Why a record folder cannot be used.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// Its files cannot be used.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// Its journal cannot.
    #[error(transparent)]
    Journal(#[from] DurableError),
    /// Its journal belongs to other cases.
    #[error("{path}: {source}")]
    State {
        /// The folder.
        path: PathBuf,
        /// What does not fit.
        source: StateError,
    },
    /// The journal knows less than the files beside it: it was removed, cut or put back.
    #[error(
        "{path}: {what}, but the journal does not know of it: it was removed, cut or replaced by an older one. Nothing is forwarded on such a record; restore the journal, or begin in another folder"
    )]
    Forgotten {
        /// The folder.
        path: PathBuf,
        /// What is there.
        what: String,
    },
    /// The system gives no random bytes.
    #[error(transparent)]
    NoRandom(#[from] ids::NoRandom),
}

/// The open record folder. One process has it.
#[derive(Debug)]
pub struct Records {
    private: Folder,
    exchanges: Folder,
    spent: Folder,
    public: Folder,
    journal: Durable,
    events: Record,
    /// Public lines that wait to be written.
    held: Vec<u8>,
    /// Ends that a killed process had not written yet, and that the public has not seen.
    recovered: Vec<Done>,
    traffic: Option<Arc<Traffic>>,
}

/// What a start found.
#[derive(Debug)]
pub struct Found {
    /// The state that the facts make.
    pub state: State,
    /// Forwards that an earlier process did not end.
    pub interrupted: usize,
}

impl Records {
    /// Opens a record folder and takes it over: `fresh` is the state before anything happened.
    ///
    /// # Errors
    /// When another process has it, its journal was changed or knows less than its files do, or nothing can be written.
    pub fn open(path: &Path, fresh: State, program: &str) -> Result<(Self, Found), RecordsError> {
        let folder = Folder::own(path)?;
        let private = folder.folder(PRIVATE)?;
        let public = folder.folder("public")?;
        let exchanges = private.folder(EXCHANGES)?;
        let spent = private.folder(SPENT)?;
        let left_over = unpack_all(&private, &exchanges)?;
        let names = exchanges.names()?;
        let (mut journal, facts) = Durable::open(&private, program)?;
        let mut state = fresh;
        for event in &facts {
            if let Event::Bridge(fact) = event {
                state.apply(fact).map_err(|source| RecordsError::State { path: path.to_owned(), source })?;
            }
        }
        nothing_forgotten(path, &state, &names, &spent.names()?)?;
        let mut known: BTreeSet<u64> = facts.iter().filter_map(ended).collect();
        let mut recovered = Vec::new();
        if let Some(mut left) = left_over {
            for done in left.ended {
                if !known.insert(done.sequence) {
                    continue;
                }
                let fact = Fact::Done(Box::new(done.clone()));
                journal.write(&Event::Bridge(fact.clone()))?;
                state.apply(&fact).map_err(|source| RecordsError::State { path: path.to_owned(), source })?;
                recovered.push(done);
            }
            left.unpacker.clear(left.last)?;
        }
        let files = Files { names: &names, exchanges: &exchanges, spent: &spent };
        let marks = files.interrupted(&state, &known)?;
        for fact in &marks {
            journal.write(&Event::Bridge(fact.clone()))?;
            state.apply(fact).map_err(|source| RecordsError::State { path: path.to_owned(), source })?;
        }
        // Files of a request that came to nothing have numbers, too.
        let highest = names.iter().filter_map(|name| name.split('-').next()?.parse().ok()).max().unwrap_or(0);
        state.sequence = state.sequence.max(highest);
        let events = public.append("events.jsonl")?;
        let traffic = if state.is_free() { Some(Arc::new(Traffic::open(&private)?)) } else { None };
        let interrupted = marks.len();
        let records =
            Self { private, exchanges, spent, public, journal, events, held: Vec::new(), recovered, traffic };
        Ok((records, Found { state, interrupted }))
    }

    /// The control token: the one that is kept, or a new one where there is none that could be trusted.
    ///
    /// # Errors
    /// When it can be neither read nor written.
    pub fn token(&self) -> Result<String, RecordsError> {
        self.secret(TOKEN)
    }

    fn secret(&self, name: &str) -> Result<String, RecordsError> {
        let kept = self.private.read(name, 4096)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let kept = kept.map(|text| text.trim().to_owned());
        if let Some(token) = kept.filter(|token| is_secret(token)) {
            return Ok(token);
        }
        let token = ids::case_token()? + &ids::case_token()?;
        self.private.replace(name, token.as_bytes(), true)?;
        Ok(token)
    }

    /// The key of redaction marks: the one that is kept, or a new one.
    ///
    /// # Errors
    /// When it can be neither read nor written.
    pub fn redaction_key(&self) -> Result<String, RecordsError> {
        self.secret(REDACTION)
    }

    /// Writes down that this process serves from now on, and what it is set to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&mut self, setting: &Setting, upstream: &str, state: &State) -> Result<(), RecordsError> {
        let private = projection::configuration(setting, upstream, true);
        let sha256 = rehearsal_journal::digest::text(&rehearsal_journal::digest::of(&private));
        self.private.replace("configuration.json", &private, false)?;
        self.public.replace(
            "configuration.json",
            &projection::configuration(setting, upstream, false),
            false,
        )?;
        let began = Fact::Began { unix_ms: clock::unix_ms(), pid: process::own_id(), setting: sha256 };
        self.journal.write(&Event::Bridge(began))?;
        for done in std::mem::take(&mut self.recovered) {
            self.held.extend_from_slice(&projection::event(setting, &done, &clock::rfc3339(done.unix_ms)));
        }
        self.flush()?;
        self.show(setting, state)
    }

    /// Writes a fact. The kernel has it when this returns.
    ///
    /// # Errors
    /// When it cannot be written: then it did not happen.
    pub fn note(&mut self, fact: Fact) -> Result<(), VaultError> {
        self.log_first()?;
        self.journal.write(&Event::Bridge(fact))
    }

    /// Makes sure that there is room for what a forward brings: where there is none now, none is made.
    ///
    /// # Errors
    /// When there is none.
    pub fn prove_room(&self) -> Result<(), VaultError> {
        self.journal.prove_room()
    }

    /// Writes that a budget is spent, and gives what waits until the disk has it.
    ///
    /// # Errors
    /// When there is no room to spare or it cannot be written: then nothing is spent.
    pub fn reserve(&mut self, fact: Fact) -> Result<Sync, VaultError> {
        self.log_first()?;
        let sync = self.journal.sync()?;
        self.journal.write_with_room(&Event::Bridge(fact))?;
        Ok(sync)
    }

    /// A handle with which a case is marked as spent, on a thread that may wait.
    #[must_use]
    pub fn marks(&self) -> Marks {
        Marks(self.spent.clone())
    }

    /// The folder of exchanges.
    #[must_use]
    pub fn exchanges(&self) -> Folder {
        self.exchanges.clone()
    }

    /// Where what no budget pays for is written first.
    #[must_use]
    pub fn traffic(&self) -> Option<Arc<Traffic>> {
        self.traffic.clone()
    }

    /// Writes a request's end down, privately and publicly: at once, or soon.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn done(&mut self, setting: &Setting, done: Done, at: &str, at_once: bool) -> Result<(), VaultError> {
        self.held.extend_from_slice(&projection::event(setting, &done, at));
        let log = self.traffic.as_ref().filter(|_| !at_once && done.forwarded);
        let logged = match (log, &done.files) {
            (Some(log), Some(name)) => {
                let mut json = Vec::with_capacity(ROOM);
                drop(serde_json::to_writer(&mut json, &done));
                log.write_soon(traffic::Hop::Done, done.sequence, name, &json).map(drop)
            }
            _ => Ok(()),
        };
        self.journal.write_soon(&Event::Bridge(Fact::Done(Box::new(done))));
        if at_once || self.held.len() > HELD {
            self.flush()?
        }
        logged
    }

    /// Writes all that waits.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), VaultError> {
        let logged = self.log_first();
        self.journal.flush()?;
        if !self.held.is_empty() {
            self.events.write(&self.held)?;
            self.held.clear();
        }
        logged
    }

    /// The journal says nothing of an exchange before the log has all of it.
    fn log_first(&self) -> Result<(), VaultError> {
        self.traffic.as_ref().map_or(Ok(()), |log| log.flush().map(drop))
    }

    /// Writes the public state.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&self, setting: &Setting, state: &State) -> Result<(), RecordsError> {
        let at = clock::rfc3339(clock::unix_ms());
        Ok(self.public.replace("state.json", &projection::state(setting, state, &at, false), false)?)
    }
}

/// The marks of spent cases.
#[derive(Clone, Debug)]
pub struct Marks(Folder);

impl Marks {
    /// Marks what a forward spends, a case or one of many, once and for ever: false where it was marked before.
    ///
    /// # Errors
    /// When the disk does not promise to keep the mark.
    pub fn set(&self, sequence: u64, case: Option<&str>) -> Result<bool, VaultError> {
        match self.0.create(&mark(sequence, case)) {
            Err(error) if error.is_taken() => return Ok(false),
            made => drop(made?),
        }
        self.0.sync()?;
        Ok(true)
    }
}

/// What an earlier process left in the log of traffic.
struct Left {
    unpacker: Unpacker,
    last: u64,
    /// The ends of exchanges that the journal may not know.
    ended: Vec<Done>,
}

/// Makes the files of what an earlier process left in the log of traffic.
fn unpack_all(private: &Folder, exchanges: &Folder) -> Result<Option<Left>, VaultError> {
    let traffic = private.folder(TRAFFIC)?;
    let Some(last) = traffic::segments(&traffic)?.last().copied() else { return Ok(None) };
    let mut unpacker = Unpacker::new(traffic, exchanges.clone())?;
    while !unpacker.unpack((last, u64::MAX), usize::MAX)? {}
    unpacker.interrupt()?;
    // One that cannot be read was cut by a kill.
    let ended = unpacker.ended().iter().filter_map(|done| serde_json::from_slice(done).ok()).collect();
    Ok(Some(Left { unpacker, last, ended }))
}

/// What an earlier process left behind.
struct Files<'f> {
    names: &'f [String],
    exchanges: &'f Folder,
    spent: &'f Folder,
}

impl Files<'_> {
    /// What says of the forwards that it did not end how far they came. `known` are requests that ended or were marked before.
    fn interrupted(&self, state: &State, known: &BTreeSet<u64>) -> Result<Vec<Fact>, VaultError> {
        let mut marks = Vec::new();
        for (sequence, begun) in &state.begun {
            // It may have been killed between the journal's line and the mark.
            self.spent.append(&mark(*sequence, begun.case.as_deref()))?;
            marks.push(self.mark(*sequence, begun.reached)?);
        }
        // Where no budget pays, nothing but its files says that there was one: the last of them is written just before its end.
        let readable = self.names.iter().filter(|name| name.ends_with(&format!(".{READABLE}")));
        let sequences: BTreeSet<u64> =
            readable.filter_map(|name| name.split('-').next()?.parse().ok()).collect();
        for sequence in sequences.iter().filter(|it| !known.contains(it) && !state.begun.contains_key(it)) {
            marks.push(self.mark(*sequence, Reached::Sent)?);
        }
        Ok(marks)
    }

    fn mark(&self, sequence: u64, reached: Reached) -> Result<Fact, VaultError> {
        let is_it = |name: &&String| name.starts_with(&number(sequence)) && name.ends_with(".response");
        let response = self.names.iter().find(is_it);
        let response = response.map(|name| self.exchanges.read_from(name)).transpose()?;
        let kept = response.as_ref().map_or(0, Record::len);
        let response = response.map(|response| response.read_at(0, LONGEST_HEARD)).transpose()?;
        let tokens = response.and_then(|response| cost::of(&response));
        Ok(Fact::Interrupted { sequence, reached, kept, tokens })
    }
}

/// The number of the request that a line ends.
fn ended(event: &Event) -> Option<u64> {
    match event {
        Event::Bridge(Fact::Done(done)) => Some(done.sequence),
        Event::Bridge(Fact::Interrupted { sequence, .. }) => Some(*sequence),
        _ => None,
    }
}

/// Whether the journal knows of all that its neighbours show.
fn nothing_forgotten(
    path: &Path,
    state: &State,
    names: &[String],
    marks: &[String],
) -> Result<(), RecordsError> {
    let forgotten = |what| Err(RecordsError::Forgotten { path: path.to_owned(), what });
    let of_cases = state.cases.keys().filter(|case| state.is_spent(case)).map(|case| mark(0, Some(case)));
    let of_many = state.reserved.iter().map(|sequence| mark(*sequence, None));
    let known: BTreeSet<String> = of_cases.chain(of_many).collect();
    for name in marks {
        if !known.contains(name) {
            return forgotten(format!("private/{SPENT}/{name} says that a forward was made"));
        }
    }
    // Whoever serves says so before anything else.
    if let Some(name) = names.first().filter(|_| !state.began) {
        return forgotten(format!("private/{EXCHANGES}/{name} is there"));
    }
    Ok(())
}

/// Whether a text can be a control token or a key of redaction marks that a record made.
#[must_use]
pub fn is_secret(text: &str) -> bool {
    text.len() >= SECRET_LENGTH && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The name of a mark: that of the case, or the number of one forward of many.
fn mark(sequence: u64, case: Option<&str>) -> String {
    case.map_or_else(|| format!("{sequence:04}"), |case| format!("case-{}", stem(case)))
}

/// A sequence number as files begin with it, the dash behind it included.
#[must_use]
pub fn number(sequence: u64) -> String {
    format!("{sequence:04}-")
}

/// A case's name as part of a file's name.
#[must_use]
pub fn stem(case: &str) -> String {
    let stem = file_stem(case);
    if stem.len() <= LONGEST_STEM {
        return stem;
    }
    let sum = rehearsal_journal::digest::text(&rehearsal_journal::digest::of(case.as_bytes()));
    format!("{}-{}", &stem[..LONGEST_STEM - 17], &sum[..16])
}
