//! Recordings as an app of the HTTP server: finds the one that answers, writes the request down, serves it.
//!
//! Must not know: how a provider is reached. There is no way from here to one.

use super::call::call;
use super::miss;
use super::play::{self, Speed};
use super::shelf::Shelf;
use crate::cassette::Recording;
use crate::redactor::Redactor;
use bytes::Bytes;
use rehearsal_journal::event::{Answered, Asked, Kind, Rejected};
use rehearsal_journal::{digest, redact};
use rehearsal_wire::dialect::{Dialect, place};
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::host::is_ours;
use rehearsal_wire::json::parse;
use rehearsal_wire::rule::Header;
use rehearsal_wire::target::{Target, query, split};
use rehearsal_world::clock::Clock;
use rehearsal_world::http::{Answer, App, Left, Refusal, Reply, Request};
use rehearsal_world::record::Recorder;
use rehearsal_world::task;
use rehearsal_world::vault::VaultError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The paths of the health.
const HEALTH: &[&str] = &["/health", "/_bridge/health"];

/// The app.
#[derive(Debug)]
pub struct Replay {
    shelf: Mutex<Shelf>,
    recorder: Arc<Recorder>,
    speed: Speed,
    /// The one origin of web pages that may ask.
    origin: Option<String>,
    /// Who is told of a miss.
    say: fn(&str),
    /// Whether whoever asks has been found by the secret name of a lane: it names no recordings and no case, and a web page that
    /// does not know it cannot ask.
    behind_secret: bool,
    /// What was left out of the recordings, if anything: requests are looked for, and written down, without it, too.
    redactor: Option<Redactor>,
    /// The last recording that could not be read any more.
    lost: Arc<Mutex<Option<VaultError>>>,
}

/// What a request gets.
struct Decided {
    asked: Box<Asked>,
    sent: Sent,
}

enum Sent {
    Whole(ResponseHead, Vec<u8>),
    Recording(Arc<Recording>),
}

/// A request as it is looked at.
struct Heard<'h> {
    method: String,
    lane: Option<&'h str>,
    path: &'h str,
    /// Path and query.
    target: String,
    dialect: Option<&'static Dialect>,
}

impl Replay {
    /// An app that serves a shelf and writes each request down. Call it inside the runtime.
    #[must_use]
    pub fn new(
        shelf: Shelf,
        recorder: Arc<Recorder>,
        speed: Speed,
        origin: Option<String>,
        say: fn(&str),
    ) -> Self {
        recorder.keep_fresh();
        Self {
            shelf: Mutex::new(shelf),
            recorder,
            speed,
            origin,
            say,
            behind_secret: false,
            redactor: None,
            lost: Arc::default(),
        }
    }

    /// The same for requests that were sent here because of the name of their lane, which is a secret: whatever host and origin
    /// they name, and without any thought of the lane.
    #[must_use]
    pub fn behind_secret(self) -> Self {
        Self { behind_secret: true, ..self }
    }

    /// The same for recordings out of which something was left.
    #[must_use]
    pub fn redacting(self, redactor: Option<Redactor>) -> Self {
        Self { redactor, ..self }
    }

    /// The shelf: what was served and what never was.
    pub fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What could not be read, if anything.
    #[must_use]
    pub fn lost(&self) -> Option<VaultError> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn decide(&self, head: &RequestHead, body: &Bytes) -> Decided {
        let target = head.target();
        let heard = hear(head, &target);
        let refuse = |kind, status, code: &str, message: &str| {
            let mut asked = Asked::of(kind);
            asked.reject = Some(rejected(code, message));
            let (head, body) = miss::reply(heard.dialect, status, code, message);
            sent(asked, head, body)
        };
        let host = head.get("host").filter(|_| !self.behind_secret).unwrap_or_default();
        if !(host.is_empty() || std::str::from_utf8(host).is_ok_and(|host| is_ours(host, &[]))) {
            let message =
                "The Host header names another machine. Use the address that the replay was started with.";
            return refuse(Kind::WrongPath, 403, "host_not_allowed", message);
        }
        let origin = head.get("origin").map(String::from_utf8_lossy);
        let foreign = |origin: &str| !self.behind_secret && self.origin.as_deref() != Some(origin);
        if origin.as_deref().is_some_and(foreign) {
            let message = "This origin may not ask. `--origin` names the one that may.";
            return refuse(Kind::WrongPath, 403, "origin_not_allowed", message);
        }
        if HEALTH.contains(&heard.path) && matches!(heard.method.as_str(), "GET" | "HEAD") {
            let head = ResponseHead::new(200).with("content-type", "application/json");
            return sent(Asked::of(Kind::Aside), head, self.health());
        }
        if origin.is_some() && heard.method == "OPTIONS" {
            return sent(Asked::of(Kind::Aside), preflight(), Vec::new());
        }
        self.find(&heard, body)
    }

    /// Looks for a recording.
    fn find(&self, heard: &Heard<'_>, body: &Bytes) -> Decided {
        let (target, body) = (self.kept_text(&heard.target), self.kept(body));
        let key = call(heard.dialect, &heard.method, &target, &body);
        let lane = heard.lane.filter(|_| !self.behind_secret).map(|lane| self.kept_text(lane));
        let taken = self.shelf().take(lane.as_deref(), &key);
        let kind = if taken.is_ok() { Kind::Scenario } else { Kind::WrongPath };
        let mut asked = Asked::of(kind);
        asked.stream = key.stream;
        asked.n_assistant = key.turn;
        if let Some(dialect) = heard.dialect
            && let Ok(tape) = parse(&body)
        {
            asked.n_messages = (dialect.read)(&tape).listed as u64;
        }
        match taken {
            Ok(recording) => {
                let head = play::head(&recording);
                asked.phrasing.clone_from(&recording.case);
                asked.class = Some(recording.name.clone());
                asked.step = Some(key.turn);
                asked.http_status = Some(head.status);
                asked.delivered.api_error = Some(head.status).filter(|status| *status >= 400);
                asked.delivered.retry_after_ms = head.retry_after_ms();
                Decided { asked: Box::new(asked), sent: Sent::Recording(recording) }
            }
            Err(miss) => {
                (self.say)(&miss.message);
                asked.reject = Some(rejected(miss.code, &miss.message));
                let (head, body) = miss.reply(heard.dialect);
                sent(asked, head, body)
            }
        }
    }

    /// A body as it may be written down.
    fn kept(&self, body: &Bytes) -> Bytes {
        self.redactor.as_ref().map_or_else(|| body.clone(), |redactor| redactor.bytes(body).into())
    }

    fn kept_text(&self, text: &str) -> String {
        self.redactor.as_ref().map_or_else(|| text.to_owned(), |redactor| redactor.text(text).into_owned())
    }

    /// Writes a head into what is taken down, as it may be written.
    fn tell(&self, asked: &mut Asked, head: &RequestHead) {
        asked.method = head.method().into_owned();
        asked.path = self.kept_text(&redact::target(&head.target()));
        let text = |value: &[u8]| self.kept_text(&String::from_utf8_lossy(value));
        let mut headers =
            head.headers().map(|(name, value)| (name.to_owned(), text(value))).collect::<Vec<_>>();
        redact::headers(&mut headers);
        asked.headers = Some(headers);
    }

    fn health(&self) -> Vec<u8> {
        let shelf = self.shelf();
        let value = serde_json::json!({
            "status": "ok",
            "scope": "replay",
            "recordings": shelf.len(),
            "unused": shelf.unused().count(),
            "misses": shelf.misses(),
        });
        drop(shelf);
        let mut body = value.to_string().into_bytes();
        body.push(b'\n');
        body
    }

    /// Headers of every answer to the origin that may ask.
    fn allow(&self, head: &mut ResponseHead) {
        head.push("cache-control", "no-store");
        if let Some(origin) = &self.origin {
            head.push("access-control-allow-origin", origin.clone());
            head.push("vary", "Origin");
        }
    }

    async fn deliver(
        &self,
        decided: Decided,
        conn: u64,
        (head, body): (Option<RequestHead>, Bytes),
        close: bool,
    ) -> Answer {
        let clock = Clock::start();
        let Decided { mut asked, sent } = decided;
        asked.conn = conn;
        let written = match (&self.redactor, head) {
            (Some(_), Some(head)) => {
                self.tell(&mut asked, &head);
                self.recorder.asked(asked, None, self.kept(&body))
            }
            (Some(_), None) => self.recorder.asked(asked, None, self.kept(&body)),
            (None, head) => self.recorder.asked(asked, head, body),
        };
        let ticket = written.exchange;
        if let Err(error) = self.recorder.commit(written).await {
            // Nothing may be answered as if it had been written down.
            let words = format!("The journal cannot be written: {error}");
            let (head, body) = miss::reply(None, 503, "journal_unavailable", &words);
            return Answer { ticket, reply: Reply::Whole { head, body }, close: true };
        }
        let reply = match sent {
            Sent::Whole(mut head, body) => {
                self.allow(&mut head);
                Reply::Whole { head, body }
            }
            Sent::Recording(recording) => self.play(recording, clock).await,
        };
        Answer { ticket, reply, close }
    }

    async fn play(&self, recording: Arc<Recording>, clock: Clock) -> Reply {
        play::await_head(&recording, self.speed, clock).await;
        let mut head = play::head(&recording);
        self.allow(&mut head);
        let (sender, body) = play::ends(&recording);
        let (speed, lost) = (self.speed, Arc::clone(&self.lost));
        task::spawn(async move {
            if let Err(error) = play::body(recording, sender, speed, clock).await {
                *lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        Reply::Live { head, body }
    }
}

impl App for Replay {
    /// Bodies are made by tasks of the runtime that has the sockets.
    const ASIDE: usize = usize::MAX;

    async fn answer(&self, request: Request) -> Answer {
        let Request { conn, head, body } = request;
        let decided = self.decide(&head, &body);
        self.deliver(decided, conn, (Some(head), body), false).await
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        let why = refusal.why.to_string();
        let mut asked = Asked::of(Kind::Unreadable);
        asked.reject = Some(rejected("unreadable", &why));
        let (head, body) = miss::reply(None, refusal.status, "unreadable_request", &why);
        let decided = sent(asked, head, body);
        self.deliver(decided, refusal.conn, (refusal.head, refusal.body), true).await
    }

    fn left(&self, ticket: u64, left: Left) {
        let sha256 = digest::text(&left.sha256);
        self.recorder.answered(Answered { exchange: ticket, bytes: left.bytes, sha256, end: left.end });
    }
}

fn hear<'h>(head: &RequestHead, target: &'h str) -> Heard<'h> {
    let Target { token, path } = split(target);
    let headers: Vec<Header<'_>> = head.header_list();
    let method = head.method().into_owned();
    let found = place::find(&method, path, &headers);
    let asks = query(target);
    let whole = if asks.is_empty() { path.to_owned() } else { format!("{path}?{asks}") };
    Heard { lane: token, path, target: whole, dialect: found.map(|found| found.dialect), method }
}

fn preflight() -> ResponseHead {
    ResponseHead::new(204)
        .with("access-control-allow-methods", "GET, POST, DELETE, OPTIONS")
        .with("access-control-allow-headers", "*, Authorization")
        .with("access-control-max-age", "0")
}

fn sent(mut asked: Asked, head: ResponseHead, body: Vec<u8>) -> Decided {
    asked.http_status = Some(head.status);
    Decided { asked: Box::new(asked), sent: Sent::Whole(head, body) }
}

/// A refusal as the journal has it.
fn rejected(code: &str, message: &str) -> Rejected {
    let is_miss = matches!(code, miss::MISS | miss::USED_UP);
    Rejected {
        // Rules are spelt otherwise than codes that clients see.
        rule: if is_miss { code.replace('_', "-") } else { code.to_owned() },
        kind: "not_found_error".to_owned(),
        code: Some(code.to_owned()),
        param: None,
        pointer: String::new(),
        message: message.to_owned(),
    }
}
