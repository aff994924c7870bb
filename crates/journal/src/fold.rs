//! Folds events into the facts that grading asks for.

use crate::event::{
    AgentExited, AgentStarted, Asked, CassettePlayed, CommandRan, End, EscapeTried, Event, Kind, Noted,
    Rejected, SideCall, WorkspaceSeen,
};
use std::collections::{BTreeMap, BTreeSet};

/// One request, as far as a judge cares.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its number in the journal, from 1.
    pub exchange: u64,
    /// What kind of request it was.
    pub kind: Kind,
    /// Method and target, secrets masked.
    pub route: String,
    /// The step that answered or would have answered.
    pub step: Option<u64>,
    /// The scripted conversation that it belongs to: id of a phrasing.
    pub phrasing: Option<String>,
    /// The request that this one repeats.
    pub attempt_of: Option<u64>,
    /// Why it is no part of the script although it holds its prompt.
    pub side_call: Option<SideCall>,
    /// The refusal.
    pub reject: Option<Rejected>,
    /// Status of the reply; none where nothing was sent.
    pub http_status: Option<u16>,
    /// Status of an error that the script wanted.
    pub api_error: Option<u16>,
    /// The faults that the script or the mode wanted, joined by `+`.
    pub fault: Option<String>,
    /// How long the answer asked the client to wait before it tries again, milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Assistant messages in it.
    pub n_assistant: u64,
    /// When it was read, microseconds since the opening of the journal.
    pub asked_us: u64,
    /// When its answer had left as it was meant to; none where the client was gone before, or the journal ends.
    pub left_us: Option<u64>,
}

/// A tool call and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The request whose reply made it first.
    pub issued_in: u64,
    /// The first accepted request that answered it.
    pub answered_in: Option<u64>,
}

/// All that one journal says about its case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// All requests in order, those beside the conversation included.
    pub requests: Vec<Request>,
    /// What is worth knowing and no ground for refusal, with the request it stands in.
    pub notes: Vec<(u64, Noted)>,
    /// Tool calls in the order in which they were issued.
    pub calls: Vec<ToolCall>,
    /// Ids that accepted requests answered, each once, in the order of the first answer.
    pub answered: Vec<String>,
    /// The agent's start.
    pub started: Option<AgentStarted>,
    /// The agent's end.
    pub exited: Option<AgentExited>,
    /// The workspace before the agent started.
    pub workspace_before: Option<WorkspaceSeen>,
    /// The workspace afterwards.
    pub workspace: Option<WorkspaceSeen>,
    /// Watched commands in the order in which they ran.
    pub commands: Vec<CommandRan>,
    /// Attempts to leave this machine, in order.
    pub escapes: Vec<EscapeTried>,
    /// What was asked for of the cassette, where one played the provider.
    pub played: Option<CassettePlayed>,
}

/// Folds events in the order of their lines, each with its time in microseconds. Filter them first to judge a part, such as
/// one phrasing.
#[must_use]
pub fn facts<'e>(events: impl IntoIterator<Item = (u64, &'e Event)>) -> Facts {
    let (mut facts, mut known) = (Facts::default(), Known::default());
    for (t_us, event) in events {
        match event {
            Event::Asked(asked) => facts.take_asked(asked, t_us, &mut known),
            Event::Answered(answered) if answered.end == End::Complete => {
                if let Some(at) = known.requests.get(&answered.exchange) {
                    facts.requests[*at].left_us = Some(t_us);
                }
            }
            Event::AgentStarted(started) => facts.started = Some(started.clone()),
            Event::AgentExited(exited) => facts.exited = Some(exited.clone()),
            Event::WorkspaceFound(found) => facts.workspace_before = Some(found.clone()),
            Event::WorkspaceSeen(seen) => facts.workspace = Some(seen.clone()),
            Event::CommandRan(ran) => facts.commands.push(ran.clone()),
            Event::EscapeTried(tried) => facts.escapes.push(tried.clone()),
            Event::CassettePlayed(played) => facts.played = Some(played.clone()),
            // What nobody judges by: how a journal begins and ends, how a case was judged.
            Event::Opened(_)
            | Event::Answered(_)
            | Event::Judged(_)
            | Event::Bridge(_)
            | Event::Daemon(_)
            | Event::Drive(_)
            | Event::Work(_)
            | Event::Closed { .. } => {}
        }
    }
    facts
}

/// Where things stand in the facts so far. Each request brings its whole history again, in which all this is looked up.
#[derive(Default)]
struct Known {
    /// The last request of each number.
    requests: BTreeMap<u64, usize>,
    /// Calls by their ids.
    calls: BTreeMap<String, usize>,
    /// Ids that were answered.
    answered: BTreeSet<String>,
}

impl Facts {
    fn take_asked(&mut self, asked: &Asked, t_us: u64, known: &mut Known) {
        let exchange = asked.exchange;
        if asked.reject.is_none() {
            for id in &asked.answers {
                if known.answered.contains(id) {
                    continue;
                }
                known.answered.insert(id.clone());
                self.answered.push(id.clone());
                if let Some(at) = known.calls.get(id) {
                    self.calls[*at].answered_in = Some(exchange);
                }
            }
            for (id, name) in &asked.delivered.calls {
                if !known.calls.contains_key(id) {
                    known.calls.insert(id.clone(), self.calls.len());
                    let (id, name) = (id.clone(), name.clone());
                    self.calls.push(ToolCall { id, name, issued_in: exchange, answered_in: None });
                }
            }
        }
        known.requests.insert(exchange, self.requests.len());
        self.notes.extend(asked.notes.iter().map(|note| (exchange, note.clone())));
        self.requests.push(Request {
            exchange,
            kind: asked.kind,
            route: format!("{} {}", asked.method, asked.path),
            step: asked.step,
            phrasing: asked.phrasing.clone(),
            attempt_of: asked.attempt_of,
            side_call: asked.side_call,
            reject: asked.reject.clone(),
            http_status: asked.http_status,
            api_error: asked.delivered.api_error,
            fault: asked.delivered.fault.clone(),
            retry_after_ms: asked.delivered.retry_after_ms,
            n_assistant: asked.n_assistant,
            asked_us: t_us,
            left_us: None,
        });
    }

    /// Takes answers to ids that nobody issued for answers to the calls of these requests, in order: such calls reached the client
    /// under other ids than the journal knows.
    pub fn pair_renamed(&mut self, renamed: impl Fn(&Request) -> bool) {
        let Self { requests, calls, answered, .. } = self;
        let known: BTreeSet<String> = calls.iter().map(|call| call.id.clone()).collect();
        let mut foreign = answered.iter_mut().filter(|id| !known.contains(*id));
        // The first request of each number whose calls are renamed.
        let mut places: BTreeMap<u64, usize> = BTreeMap::new();
        for (at, request) in requests.iter().enumerate().filter(|(_, request)| renamed(request)) {
            places.entry(request.exchange).or_insert(at);
        }
        for call in calls.iter_mut().filter(|call| call.answered_in.is_none()) {
            let Some(at) = places.get(&call.issued_in) else { continue };
            let after = requests[at + 1..].iter().find(|request| request.reject.is_none());
            let Some((after, id)) = after.and_then(|after| Some((after, foreign.next()?))) else { return };
            id.clone_from(&call.id);
            call.answered_in = Some(after.exchange);
        }
    }

    /// The first request of each number.
    #[must_use]
    pub fn by_number(&self) -> BTreeMap<u64, &Request> {
        self.requests.iter().rev().map(|request| (request.exchange, request)).collect()
    }

    /// Requests that count for the agent: all but those beside the conversation.
    pub fn asked(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| request.kind != Kind::Aside)
    }

    /// Requests that belong to the script, further attempts included.
    pub fn scripted(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| match request.kind {
            Kind::Scenario | Kind::Overrun | Kind::Hostile => true,
            Kind::Background | Kind::BadJson | Kind::WrongPath | Kind::Unreadable | Kind::Aside => false,
        })
    }

    /// Requests that were refused.
    pub fn rejects(&self) -> impl Iterator<Item = (&Request, &Rejected)> {
        self.requests.iter().filter_map(|request| request.reject.as_ref().map(|reject| (request, reject)))
    }

    /// Names of the issued tools whose answers came back, in the order of the first answer.
    #[must_use]
    pub fn tools_answered(&self) -> Vec<&str> {
        let names: BTreeMap<&str, &str> =
            self.calls.iter().rev().map(|call| (call.id.as_str(), call.name.as_str())).collect();
        self.answered.iter().filter_map(|id| names.get(id.as_str()).copied()).collect()
    }

    /// Calls that were sent and never answered in an accepted request.
    pub fn unanswered(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter(|call| call.answered_in.is_none())
    }
}

/// What became of a file of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there before.
    Made,
    /// Its bytes are others.
    Changed,
    /// It is gone.
    Deleted,
}

impl Change {
    /// Past tense, for sentences.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}

/// What differs between two looks at a workspace, by digest, in the order of the later look, then what is gone. What was read
/// before and cannot be read now is changed. Where a look was cut short, absence there says nothing.
#[must_use]
pub fn changes<'s>(before: &'s WorkspaceSeen, after: &'s WorkspaceSeen) -> Vec<(&'s str, Change)> {
    let sums = |seen: &'s WorkspaceSeen| -> BTreeMap<&'s str, Option<&'s str>> {
        let unread = seen.unread.iter().map(|path| (path.as_str(), None));
        unread.chain(seen.files.iter().map(|(path, _, sum)| (path.as_str(), Some(sum.as_str())))).collect()
    };
    let (was, is) = (sums(before), sums(after));
    let now = is.iter().filter_map(|(path, sum)| match was.get(path) {
        Some(known) => (known != sum).then_some((*path, Change::Changed)),
        None => (!before.capped).then_some((*path, Change::Made)),
    });
    let gone = was.keys().filter(|path| !after.capped && !is.contains_key(*path));
    now.chain(gone.map(|path| (*path, Change::Deleted))).collect()
}
