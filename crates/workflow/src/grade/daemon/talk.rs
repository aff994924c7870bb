//! What a client said to the daemon of its case and what came of it, from the journal of the case.

use rehearsal_journal::daemon::{Decided, Fact};
use rehearsal_journal::event::{Asked, End, Event};
use rehearsal_script::runs::{Mode, RunScripts};
use rehearsal_wire::json::{self, Kind};
use std::collections::BTreeMap;

/// Everything that one client said to the daemon of its case.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    /// Its requests, and what the clock brought, in order.
    pub calls: Vec<Call>,
    /// The secret of the daemon.
    pub token: String,
    /// What its runs do.
    pub scripts: RunScripts,
}

/// One request and what came of it, or what the clock brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Its number in the journal; 0 for what the clock brought.
    pub exchange: u64,
    /// Method and target.
    pub route: String,
    /// The major version of the protocol that it names.
    pub major: Option<String>,
    /// What was decided.
    pub decided: Decided,
    /// What it changed.
    pub facts: Vec<Fact>,
    /// When it was read, microseconds since the opening of the journal.
    pub asked_us: u64,
    /// When its answer had left whole; none where the client was gone before.
    pub left_us: Option<u64>,
    /// Its body.
    pub body: Vec<u8>,
}

/// Whether the body of a request is wanted: it may be one of a daemon.
pub(crate) fn is_wanted(asked: &Asked) -> bool {
    asked.phrasing.is_none() && asked.path.starts_with("/v2")
}

const MAJOR: &str = "x-claudexor-protocol-major";

impl Talk {
    /// Folds the events of a journal, each with its time; `bodies` holds those of the requests that have one.
    #[must_use]
    pub(crate) fn of<'e>(
        events: impl IntoIterator<Item = (u64, &'e Event)>,
        mut bodies: BTreeMap<u64, Vec<u8>>,
        token: String,
        scripts: RunScripts,
    ) -> Self {
        let mut calls: Vec<Call> = Vec::new();
        // A line leaves headers out that are those of the request before.
        let mut headers: Option<&[(String, String)]> = None;
        let mut asked: Option<Call> = None;
        for (t_us, event) in events {
            match event {
                Event::Asked(request) => {
                    headers = request.headers.as_deref().or(headers);
                    let named = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(MAJOR);
                    let major =
                        headers.and_then(|all| all.iter().find(named)).map(|(_, major)| major.clone());
                    asked = Some(Call {
                        exchange: request.exchange,
                        route: format!("{} {}", request.method, request.path),
                        major,
                        asked_us: t_us,
                        body: bodies.remove(&request.exchange).unwrap_or_default(),
                        ..Call::default()
                    });
                }
                Event::Daemon(Fact::Decided(decided)) => {
                    let request = asked.take().filter(|call| call.exchange == decided.exchange);
                    calls.push(Call { decided: decided.clone(), ..request.unwrap_or_default() });
                }
                Event::Daemon(fact) => {
                    if let Some(call) = calls.last_mut() {
                        call.facts.push(fact.clone());
                    }
                }
                Event::Answered(answered) if answered.end == End::Complete => {
                    let known = |call: &&mut Call| call.exchange == answered.exchange;
                    if let Some(call) = calls.iter_mut().rev().find(known) {
                        call.left_us = Some(t_us);
                    }
                }
                Event::Opened(_)
                | Event::Answered(_)
                | Event::AgentStarted(_)
                | Event::AgentExited(_)
                | Event::WorkspaceFound(_)
                | Event::CommandRan(_)
                | Event::EscapeTried(_)
                | Event::WorkspaceSeen(_)
                | Event::CassettePlayed(_)
                | Event::Judged(_)
                | Event::Bridge(_)
                | Event::Drive(_)
                | Event::Work(_)
                | Event::Closed { .. } => {}
            }
        }
        Self { calls, token, scripts }
    }

    /// The requests, without what the clock brought.
    pub(crate) fn requests(&self) -> impl DoubleEndedIterator<Item = &Call> {
        self.calls.iter().filter(|call| call.exchange > 0)
    }

    /// The requests of the protocol `/v2`, whose rules those of other protocols on the same port know nothing of.
    pub(super) fn of_v2(&self) -> impl DoubleEndedIterator<Item = &Call> {
        self.requests().filter(|call| call.path().starts_with("/v2"))
    }

    /// The requests for an operation.
    pub(super) fn of_operation(&self, operation: &'static str) -> impl DoubleEndedIterator<Item = &Call> {
        self.requests().filter(move |call| call.decided.operation == operation)
    }

    /// What happened before a request.
    pub(super) fn before(&self, call: &Call) -> &[Call] {
        let at = self.calls.iter().position(|known| known.exchange == call.exchange);
        &self.calls[..at.unwrap_or(self.calls.len())]
    }

    /// All facts in order, each with the number of the request that brought it.
    pub(super) fn facts(&self) -> impl Iterator<Item = (u64, &Fact)> {
        self.calls.iter().flat_map(|call| call.facts.iter().map(|fact| (call.exchange, fact)))
    }

    /// The runs that were started, in order, and the state of each at the end; `running` where it has none.
    #[must_use]
    pub(crate) fn runs(&self) -> Vec<(&str, &str)> {
        let mut started = Vec::new();
        let mut ended: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, fact) in self.facts() {
            match fact {
                Fact::RunStarted { run, .. } => started.push(run.as_str()),
                Fact::RunEnded { run, state, .. } => drop(ended.insert(run, state)),
                _ => {}
            }
        }
        started.into_iter().map(|run| (run, ended.get(run).copied().unwrap_or("running"))).collect()
    }

    /// Whether the client saw a run's end in these calls: in a read of it, or because it cancelled it. `came` says which answers count
    /// as seen: [`Call::arrived`] in favour of a client, [`Call::surely_arrived`] against it.
    pub(super) fn knew_its_end(calls: &[Call], run: &str, came: fn(&Call) -> bool) -> bool {
        let mut over = false;
        calls.iter().any(|call| {
            over |= call
                .facts
                .iter()
                .any(|fact| matches!(fact, Fact::RunEnded { run: known, .. } if known == run));
            let about = call.decided.run.as_deref() == Some(run);
            let cancelled = call.facts.iter().any(|fact| matches!(fact, Fact::CancelAsked { .. }));
            about && over && (call.looks() || cancelled) && came(call)
        })
    }
}

impl Call {
    /// Whether the answer can have come to the client as it was meant.
    pub(super) fn arrived(&self) -> bool {
        let slow = |word: &str| [Mode::WORDS[0], Mode::WORDS[1]].contains(&word);
        self.left_us.is_some() && self.decided.broken.as_deref().is_none_or(slow)
    }

    /// Whether the answer came to the client for sure: who did not wait for a slow one never saw it, although the system took its bytes.
    pub(super) fn surely_arrived(&self) -> bool {
        self.arrived() && self.decided.broken.is_none()
    }

    /// The path, without what follows it.
    pub(super) fn path(&self) -> &str {
        let target = self.route.split_whitespace().nth(1).unwrap_or_default();
        target.split('?').next().unwrap_or_default()
    }

    /// Whether it is a look at a run whose answer shows how it stands. Every answer about a task of A2A does, and so does that a run is
    /// no longer kept.
    fn looks(&self) -> bool {
        let operation = self.decided.operation.as_str();
        let looks = ["run.read", "run.events"].contains(&operation) || operation.starts_with("a2a.");
        let expired = self.decided.code.as_deref() == Some("run_expired_by_retention");
        (looks && self.decided.status == 200) || expired
    }

    /// Whether its answer says how the questions of a run stand.
    pub(super) fn shows_questions(&self) -> bool {
        self.looks() || ["run.answer", "run.control"].contains(&self.decided.operation.as_str())
    }

    /// Whether it is a stream of what happens in a run, to its end.
    pub(super) fn follows(&self, run: &str) -> bool {
        let streams =
            ["run.events", "a2a.stream", "a2a.subscribe"].contains(&self.decided.operation.as_str());
        let is_whole = self.decided.status == 200 && self.decided.broken.is_none();
        streams && is_whole && self.decided.run.as_deref() == Some(run)
    }

    /// The code of a refusal for good that came to the client: 4xx, but none that says "later".
    pub(super) fn refused(&self) -> Option<&str> {
        let status = self.decided.status;
        let is_final = (400..500).contains(&status) && !matches!(status, 408 | 425 | 429);
        self.decided.code.as_deref().filter(|_| is_final && self.surely_arrived())
    }

    /// A text of the body, by its name.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let tape = json::parse(&self.body).ok()?;
        Some(tape.root().get(name)?.as_str()?.into_owned())
    }

    /// The question that an answer is for.
    pub(super) fn question(&self) -> Option<&str> {
        let mut parts = self.path().split('/').filter(|part| !part.is_empty());
        parts.find(|part| *part == "interactions")?;
        parts.next()
    }

    /// The rows of an answer: the question's part, the labels, whether there is a text. None where they are no rows.
    pub(super) fn rows(&self) -> Option<Vec<Row>> {
        let tape = json::parse(&self.body).ok()?;
        let rows = tape.root().get("answers").filter(|rows| rows.kind() == Kind::Array)?;
        let text = |row: json::Value<'_>, name: &str| Some(row.get(name)?.as_str()?.into_owned());
        let row = |row: json::Value<'_>| {
            let labels = row.get("selectedLabels").filter(|labels| labels.kind() == Kind::Array);
            let labels = labels.iter().flat_map(|labels| labels.items());
            Row {
                part: text(row, "questionId"),
                labels: labels.filter_map(|label| Some(label.as_str()?.into_owned())).collect(),
                free: text(row, "freeText").is_some_and(|text| !text.trim().is_empty()),
            }
        };
        Some(rows.items().map(row).collect())
    }
}

/// One row of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The part of the question that it is for.
    pub(super) part: Option<String>,
    /// The labels that were chosen.
    pub(super) labels: Vec<String>,
    /// Whether it holds a text of its own.
    pub(super) free: bool,
}
