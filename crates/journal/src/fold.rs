//! Folds events into the facts that grading and reports ask for.

use crate::event::{
    AgentExited, AgentStarted, Asked, BadJson, End, Event, Kind, Noted, Rejected, WorkspaceSeen,
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
    /// Class of the matched phrasing.
    pub class: Option<String>,
    /// The matched phrasing.
    pub phrasing: Option<String>,
    /// The step that answered or would have answered.
    pub step: Option<u64>,
    /// The request that this one repeats.
    pub attempt_of: Option<u64>,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The refusal.
    pub reject: Option<Rejected>,
    /// Where the JSON reader gave up.
    pub bad_json: Option<BadJson>,
    /// Status of an error that the script wanted.
    pub api_error: Option<u16>,
    /// The fault that the script or the mode wanted.
    pub fault: Option<String>,
    /// Status of the reply.
    pub http_status: Option<u16>,
    /// How the reply ended; none where nobody saw its end.
    pub end: Option<End>,
    /// Bytes that left, 0 where nobody saw its end.
    pub bytes_sent: u64,
}

/// A tool call and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool's name; empty for an answered id that this journal never issued.
    pub name: String,
    /// The request that it was first sent to, none where this journal never issued it.
    pub issued_in: Option<u64>,
    /// The first accepted request that answered it.
    pub answered_in: Option<u64>,
}

/// All that one journal says about its case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Id of the run.
    pub run: String,
    /// The case; none for what belongs to no case.
    pub case: Option<String>,
    /// All requests in order, those beside the conversation included.
    pub requests: Vec<Request>,
    /// Tool calls in the order in which they were issued, then foreign ids that were answered.
    pub calls: Vec<ToolCall>,
    /// Ids that accepted requests answered, each once, in the order of the first answer.
    pub answered: Vec<String>,
    /// Accepted requests by the step that answered them; further attempts count.
    pub steps: BTreeMap<u64, u64>,
    /// Notes with the request they belong to.
    pub notes: Vec<(u64, Noted)>,
    /// The agent's start.
    pub started: Option<AgentStarted>,
    /// The agent's end.
    pub exited: Option<AgentExited>,
    /// The workspace afterwards.
    pub workspace: Option<WorkspaceSeen>,
    /// Whether the journal ends in order.
    pub closed: bool,
}

/// Folds events in the order of their lines. Filter them first to judge a part, such as one phrasing.
#[must_use]
pub fn facts<'e>(events: impl IntoIterator<Item = &'e Event>) -> Facts {
    let mut facts = Facts::default();
    let mut foreign: Vec<ToolCall> = Vec::new();
    for event in events {
        match event {
            Event::Opened(opened) => {
                facts.run.clone_from(&opened.run);
                facts.case.clone_from(&opened.case);
            }
            Event::Asked(asked) => facts.take_asked(asked, &mut foreign),
            Event::Answered(answered) => {
                // An answer follows its request closely, so the search is short.
                let found =
                    facts.requests.iter_mut().rev().find(|request| request.exchange == answered.exchange);
                if let Some(request) = found {
                    request.end = Some(answered.end);
                    request.bytes_sent = answered.bytes;
                }
            }
            Event::AgentStarted(started) => facts.started = Some(started.clone()),
            Event::AgentExited(exited) => facts.exited = Some(exited.clone()),
            Event::WorkspaceSeen(seen) => facts.workspace = Some(seen.clone()),
            Event::Closed { .. } => facts.closed = true,
        }
    }
    facts.calls.append(&mut foreign);
    facts
}

impl Facts {
    fn take_asked(&mut self, asked: &Asked, foreign: &mut Vec<ToolCall>) {
        let exchange = asked.exchange;
        if asked.reject.is_none() {
            for id in &asked.answers {
                self.take_answer(id, exchange, foreign);
            }
            for (id, name) in &asked.delivered.calls {
                if !self.calls.iter().any(|call| call.id == *id) {
                    let (id, name) = (id.clone(), name.clone());
                    self.calls.push(ToolCall { id, name, issued_in: Some(exchange), answered_in: None });
                }
            }
            if let (Kind::Scenario, Some(step)) = (asked.kind, asked.step) {
                *self.steps.entry(step).or_default() += 1;
            }
        }
        self.notes.extend(asked.notes.iter().map(|note| (exchange, note.clone())));
        self.requests.push(Request {
            exchange,
            kind: asked.kind,
            route: format!("{} {}", asked.method, asked.path),
            class: asked.class.clone(),
            phrasing: asked.phrasing.clone(),
            step: asked.step,
            attempt_of: asked.attempt_of,
            stream: asked.stream,
            reject: asked.reject.clone(),
            bad_json: asked.bad_json.clone(),
            api_error: asked.delivered.api_error,
            fault: asked.delivered.fault.clone(),
            http_status: asked.http_status,
            end: None,
            bytes_sent: 0,
        });
    }

    fn take_answer(&mut self, id: &str, exchange: u64, foreign: &mut Vec<ToolCall>) {
        if self.answered.iter().any(|known| known == id) {
            return;
        }
        self.answered.push(id.to_owned());
        match self.calls.iter_mut().find(|call| call.id == id) {
            Some(call) => call.answered_in = Some(exchange),
            None => foreign.push(ToolCall {
                id: id.to_owned(),
                name: String::new(),
                issued_in: None,
                answered_in: Some(exchange),
            }),
        }
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

    /// How many requests were of a kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
        self.requests.iter().filter(|request| request.kind == kind).count() as u64
    }

    /// Requests that were refused.
    pub fn rejects(&self) -> impl Iterator<Item = (&Request, &Rejected)> {
        self.requests.iter().filter_map(|request| request.reject.as_ref().map(|reject| (request, reject)))
    }

    /// Attempts by logical call: the first request of each, and how many requests it took, 1 or more.
    #[must_use]
    pub fn attempts(&self) -> BTreeMap<u64, u64> {
        let mut attempts = BTreeMap::new();
        for request in self.asked() {
            *attempts.entry(request.attempt_of.unwrap_or(request.exchange)).or_default() += 1;
        }
        attempts
    }

    /// How often each fault was delivered, by name.
    #[must_use]
    pub fn faults(&self) -> BTreeMap<&str, u64> {
        let mut faults = BTreeMap::new();
        for fault in self.requests.iter().filter_map(|request| request.fault.as_deref()) {
            *faults.entry(fault).or_default() += 1;
        }
        faults
    }

    /// Names of the issued tools whose answers came back, in the order of the first answer.
    #[must_use]
    pub fn tools_answered(&self) -> Vec<&str> {
        let issued = |id: &String| self.calls.iter().find(|call| call.id == *id && call.issued_in.is_some());
        self.answered.iter().filter_map(issued).map(|call| call.name.as_str()).collect()
    }

    /// Calls that were sent and never answered in an accepted request.
    pub fn unanswered(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter(|call| call.answered_in.is_none())
    }

    /// Phrasings that were asked for.
    #[must_use]
    pub fn phrasings(&self) -> BTreeSet<&str> {
        self.requests.iter().filter_map(|request| request.phrasing.as_deref()).collect()
    }
}
