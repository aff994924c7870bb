//! Decides over lines and times: what a client's line does to its sessions, and which lines leave for it.
//!
//! Must not know: standard input and output, clocks.

use super::line::{self, Fault, Incoming};
use super::session::{MOST_SAID, Session, prompt, words};
use super::turn::{Asked, Client, Stage, Turn, Want};
use crate::run::{Beginning, Run};
use crate::setting::Setting;
use rehearsal_journal::daemon::{Fact, Line, Sum};
use rehearsal_script::runs::Quirk;
use rehearsal_wire::json::{self, Tape, Value};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most sessions that are kept.
pub(super) const MOST_SESSIONS: usize = 10_000;

/// What comes of a line, in its order.
#[derive(Debug, PartialEq)]
pub(super) enum Out {
    /// This is taken down.
    Fact(Fact),
    /// This leaves, with a line feed.
    Line(String),
}

/// A request of ours that is not answered yet.
#[derive(Debug)]
struct Open {
    session: String,
    asked: Asked,
    method: String,
}

/// The agent that a client talks with.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) setting: Setting,
    /// Whether clients must authenticate.
    pub(super) auth: bool,
    pub(super) client: Option<Client>,
    pub(super) known: bool,
    pub(super) sessions: BTreeMap<String, Session>,
    open: BTreeMap<u64, Open>,
    /// Requests of ours whose answer is of no account any more.
    past: BTreeSet<u64>,
    requests: u64,
    /// How many sessions there were.
    pub(super) count: u64,
    /// What a scripted clock shows.
    pub(super) clock_ms: Option<u64>,
    pub(super) out: Vec<Out>,
}

impl Front {
    pub(super) fn new(setting: Setting, auth: bool) -> Self {
        let clock_ms = setting.scripted_clock.then_some(Setting::CLOCK_MS);
        Self {
            setting,
            auth,
            client: None,
            known: !auth,
            sessions: BTreeMap::new(),
            open: BTreeMap::new(),
            past: BTreeSet::new(),
            requests: 0,
            count: 0,
            clock_ms,
            out: Vec::new(),
        }
    }

    /// Takes a line.
    pub(super) fn heard(&mut self, bytes: &[u8], now_ms: u64) -> Vec<Out> {
        let fact = self.out.len();
        self.out.push(Out::Fact(Fact::LineHeard(Line {
            method: None,
            id: None,
            session: None,
            line: Sum::of(bytes),
        })));
        let tape = match std::str::from_utf8(bytes) {
            Ok(_) => json::parse(bytes).map_err(|broken| broken.to_string()),
            Err(_) => Err("the line is not UTF-8 text".to_owned()),
        };
        match tape {
            Err(why) => self.answer("null", None, &Err(Fault::parse(why))),
            Ok(Tape { lone_surrogate: Some(at), .. }) => {
                let why = format!("half a surrogate pair, which is no text, stands at byte {at}");
                self.answer("null", None, &Err(Fault::parse(why)));
            }
            Ok(tape) => match line::read(&tape) {
                Err((id, fault)) => self.answer(&id, None, &Err(fault)),
                Ok(incoming) => {
                    self.name(fact, &incoming);
                    self.take(incoming, now_ms);
                }
            },
        }
        std::mem::take(&mut self.out)
    }

    /// Lets the clock bring what is due.
    pub(super) fn tick(&mut self, now_ms: u64) -> Vec<Out> {
        let due = |session: &Session| session.turn.as_ref().and_then(|turn| turn.run.due_ms());
        let is_due = |(_, session): &(&String, &Session)| due(session).is_some_and(|due| due <= now_ms);
        let ids: Vec<String> = self.sessions.iter().filter(is_due).map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.go_on(&id, now_ms);
        }
        std::mem::take(&mut self.out)
    }

    /// When the clock brings something next, milliseconds since 1970.
    pub(super) fn next_due(&self) -> Option<u64> {
        self.sessions.values().filter_map(|session| session.turn.as_ref()?.run.due_ms()).min()
    }

    /// The client is gone: nothing goes on.
    pub(super) fn left(&mut self, now_ms: u64) -> Vec<Out> {
        let ids: Vec<String> = self.sessions.keys().cloned().collect();
        for id in ids {
            let Some(turn) = self.sessions.get_mut(&id).and_then(|session| session.turn.as_mut()) else {
                continue;
            };
            turn.run.cancel(Some("the client left".to_owned()), false, now_ms);
            let facts = turn.run.take_facts();
            self.out.extend(facts.into_iter().map(Out::Fact));
        }
        std::mem::take(&mut self.out)
    }

    /// Says in the fact of a line what it is.
    fn name(&mut self, at: usize, incoming: &Incoming<'_>) {
        let session = |params: Option<Value<'_>>| words(params, "sessionId").ok();
        let (method, id, session) = match incoming {
            Incoming::Request { id, method, params } => {
                (Some(method.clone()), Some(id.clone()), session(*params))
            }
            Incoming::Notification { method, params } => (Some(method.clone()), None, session(*params)),
            Incoming::Response { id, .. } => {
                let open = number(*id).and_then(|id| self.open.get(&id));
                let known = open.map(|open| (open.method.clone(), open.session.clone()));
                let (method, session) = known.unzip();
                (method, Some(line::text(*id)), session)
            }
        };
        if let Some(Out::Fact(Fact::LineHeard(line))) = self.out.get_mut(at) {
            (line.method, line.id, line.session) = (method, id, session);
        }
    }

    fn take(&mut self, incoming: Incoming<'_>, now_ms: u64) {
        match incoming {
            Incoming::Request { id, method, params } => {
                if let Some(outcome) = self.request(&id, &method, params, now_ms) {
                    self.answer(&id, Some(&method), &outcome);
                }
            }
            Incoming::Notification { method, params } => match method.as_str() {
                "session/cancel" => {
                    if let Ok(id) = words(params, "sessionId") {
                        self.cancel(&id, now_ms);
                    }
                }
                "$/cancel_request" => self.recall(params, now_ms),
                _ => self.refuse(&Fault::method(&method)),
            },
            Incoming::Response { id, outcome } => self.response(id, outcome, now_ms),
        }
    }

    /// Begins a turn. `None` where the answer comes with its end.
    pub(super) fn prompt(
        &mut self,
        id: &str,
        params: Option<Value<'_>>,
        now_ms: u64,
    ) -> Option<Result<serde_json::Value, Fault>> {
        let text = match prompt(params) {
            Ok(text) => text,
            Err(fault) => return Some(Err(fault)),
        };
        let (name, session, setting) = match self.session(params) {
            Ok(found) => found,
            Err(fault) => return Some(Err(fault)),
        };
        if session.closed {
            return Some(Err(Fault::params("the session is closed: load or resume it first")));
        }
        if session.turn.is_some() {
            return Some(Err(Fault::request("a prompt is under way in this session")));
        }
        if std::mem::take(&mut session.spoiled) {
            return Some(Ok(json!({"stopReason": "cancelled"})));
        }
        session.prompts += 1;
        session.title.get_or_insert_with(|| text.chars().take(60).collect());
        say(session, true, text.clone());
        let script = setting.script_of(&text);
        if script.refuse.is_some() {
            return Some(Ok(json!({"stopReason": "refusal"})));
        }
        let of = format!("{name} {}", session.prompts);
        let beginning = Beginning {
            calls: true,
            key: of.clone(),
            ..Beginning::new(setting.id("run", &of, 16), Arc::new(script), text, setting)
        };
        let run = Run::begin(beginning, now_ms);
        session.turn = Some(Turn::new(id.to_owned(), run));
        self.go_on(&name, now_ms);
        None
    }

    fn cancel(&mut self, id: &str, now_ms: u64) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let quirks = session.turn.as_ref().map_or(&session.quirks, |turn| &turn.quirks).clone();
        if quirks.contains(&Quirk::IgnoresCancel) {
            return;
        }
        if session.turn.is_none() {
            session.spoiled = quirks.contains(&Quirk::SpoilsNext);
            return;
        }
        let all: Vec<String> = match quirks.contains(&Quirk::CancelsAll) {
            true => self.sessions.keys().cloned().collect(),
            false => vec![id.to_owned()],
        };
        for id in all {
            if let Some(turn) = self.sessions.get_mut(&id).and_then(|session| session.turn.as_mut()) {
                turn.run.cancel(None, false, now_ms);
                self.go_on(&id, now_ms);
            }
        }
    }

    /// A request of the client's is not wanted any more.
    fn recall(&mut self, params: Option<Value<'_>>, now_ms: u64) {
        let Some(wanted) = params.and_then(|params| params.get("requestId")).map(line::text) else { return };
        let is_it = |session: &Session| session.turn.as_ref().is_some_and(|turn| turn.id == wanted);
        let Some(id) = self.sessions.iter().find(|(_, session)| is_it(session)).map(|(id, _)| id.clone())
        else {
            return;
        };
        if let Some(turn) = self.sessions.get_mut(&id).and_then(|session| session.turn.as_mut()) {
            turn.recalled = true;
            turn.run.cancel(None, false, now_ms);
        }
        self.go_on(&id, now_ms);
    }

    fn response(&mut self, id: Value<'_>, outcome: Result<Value<'_>, i64>, now_ms: u64) {
        let number = number(id);
        let Some(open) = number.and_then(|id| self.open.remove(&id)) else {
            // One that came too late is no mistake.
            if !number.is_some_and(|id| self.past.remove(&id)) {
                let word = "unknown_response";
                let why = format!("no request of ours has the id {}", line::text(id));
                self.out.push(Out::Fact(Fact::LineRefused { code: word.to_owned(), why }));
            }
            return;
        };
        let client = self.client.unwrap_or_default();
        let Some(session) = self.sessions.get_mut(&open.session) else { return };
        let stage = Stage { session: &open.session, cwd: &session.cwd, client, now_ms };
        let Some(turn) = &mut session.turn else { return };
        let mut wants = Vec::new();
        let taken = turn.answered(&open.asked, outcome, stage, &mut wants);
        if let Err(fault) = taken {
            self.refuse(&fault);
        }
        self.want(&open.session, wants);
        self.go_on(&open.session, now_ms);
    }

    /// Lets the turn of a session go on as far as it can.
    pub(super) fn go_on(&mut self, id: &str, now_ms: u64) {
        let client = self.client.unwrap_or_default();
        let Some(session) = self.sessions.get_mut(id) else { return };
        let stage = Stage { session: id, cwd: &session.cwd, client, now_ms };
        let Some(turn) = &mut session.turn else { return };
        let wants = turn.go_on(stage);
        let facts = turn.run.take_facts();
        self.out.extend(facts.into_iter().map(Out::Fact));
        self.want(id, wants);
    }

    fn want(&mut self, id: &str, wants: Vec<Want>) {
        for want in wants {
            match want {
                Want::Tell(line) => self.tell(id, line),
                Want::Ask(asked, method, params) => {
                    self.requests += 1;
                    let number = self.requests;
                    let line = line::request(number, &method, &params);
                    self.said(Some(&method), Some(number.to_string()), Some(id), line);
                    self.open.insert(number, Open { session: id.to_owned(), asked, method });
                }
                Want::Revoke => {
                    for number in self.give_up(id) {
                        let params = json!({"requestId": number});
                        let line = line::notification("$/cancel_request", &params);
                        self.said(Some("$/cancel_request"), None, Some(id), line);
                    }
                }
                Want::End(text, outcome) => self.end(id, text, outcome),
            }
        }
    }

    /// No answer to what a session asked is waited for any more.
    fn give_up(&mut self, id: &str) -> Vec<u64> {
        let of_it = self.open.iter().filter(|(_, open)| open.session == id);
        let numbers: Vec<u64> = of_it.map(|(number, _)| *number).collect();
        for number in &numbers {
            self.open.remove(number);
            self.past.insert(*number);
            if self.past.len() > MOST_SESSIONS {
                self.past.pop_first();
            }
        }
        numbers
    }

    fn end(&mut self, id: &str, text: String, outcome: Option<Result<serde_json::Value, Fault>>) {
        self.give_up(id);
        let Some(session) = self.sessions.get_mut(id) else { return };
        let Some(turn) = session.turn.take() else { return };
        session.quirks = turn.quirks;
        if !text.is_empty() {
            say(session, false, text);
        }
        if let Some(outcome) = outcome {
            let line = line::answer(&turn.id, &outcome);
            self.said(Some("session/prompt"), Some(turn.id), Some(id), line);
        }
    }

    /// Tells a client of something in a session, with what a noisy agent prints before it.
    pub(super) fn tell(&mut self, id: &str, line: String) {
        let turn = self.sessions.get(id).and_then(|session| session.turn.as_ref());
        if turn.is_some_and(|turn| turn.quirks.contains(&Quirk::Noise)) {
            let noise = format!("[info] agent: {} bytes for {id}", line.len());
            self.said(None, None, Some(id), noise);
        }
        self.said(Some("session/update"), None, Some(id), line);
    }

    fn answer(&mut self, id: &str, method: Option<&str>, outcome: &Result<serde_json::Value, Fault>) {
        if let Err(fault) = outcome {
            self.refuse(fault);
        }
        let line = line::answer(id, outcome);
        self.said(method, Some(id.to_owned()), None, line);
    }

    fn refuse(&mut self, fault: &Fault) {
        let (code, why) = (fault.word.to_owned(), fault.message.clone());
        self.out.push(Out::Fact(Fact::LineRefused { code, why }));
    }

    fn said(&mut self, method: Option<&str>, id: Option<String>, session: Option<&str>, line: String) {
        let (method, session) = (method.map(str::to_owned), session.map(str::to_owned));
        let fact = Line { method, id, session, line: Sum::of(line.as_bytes()) };
        self.out.push(Out::Fact(Fact::LineSaid(fact)));
        self.out.push(Out::Line(line));
    }
}

/// Keeps what was said, for whoever loads the session.
fn say(session: &mut Session, by_user: bool, text: String) {
    if session.said.len() < MOST_SAID {
        session.said.push((by_user, text));
    }
}

fn number(id: Value<'_>) -> Option<u64> {
    u64::try_from(id.as_i64()?).ok()
}

#[cfg(test)]
mod tests;
