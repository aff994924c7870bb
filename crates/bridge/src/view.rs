//! The readable file of an exchange: what was asked and answered, decoded, for people; and what only a look at the whole tells.
//!
//! The bytes beside it are the record; this is made from them, and says their digests. Secrets are masked, bodies are shown as JSON
//! where they are JSON.

use crate::core::Heard;
use crate::exchange::Exchange;
use crate::front::Front;
use crate::outline::is_key;
use crate::passing::Header;
use crate::pipe;
use crate::pretty::{self, Node, print};
use crate::relay::{Outcome, Question};
use crate::replay::call::call_of;
use crate::setting::Setting;
use rehearsal_journal::bridge::Done;
use rehearsal_journal::redact::{self, REDACTED};
use rehearsal_wire::dialect::heard::{self, Heard as Spoken};
use rehearsal_wire::json::{Tape, Value, parse, written};
use rehearsal_wire::reply::IssuedCall;
use rehearsal_wire::sse::SseReader;
use rehearsal_world::clock;
use rehearsal_world::http::Request;

/// Version of the readable file's form, and with it of the recording's.
pub(crate) const VERSION: u32 = 1;

/// A body longer than this is not shown, only counted and digested.
const LONGEST: usize = 8 << 20;

/// All that there is to look at.
pub(crate) struct Seen<'s> {
    pub(crate) heard: &'s Heard,
    pub(crate) request: &'s Request,
    pub(crate) question: &'s Question,
    pub(crate) exchange: &'s Exchange,
    pub(crate) front: &'s Front,
    pub(crate) outcome: &'s Outcome,
    pub(crate) setting: &'s Setting,
}

/// What only a look at the whole tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) tokens: Option<u64>,
    pub(crate) choices_unchanged: Option<bool>,
}

/// The readable file.
pub(crate) fn readable(seen: &Seen<'_>, done: &Done) -> (Vec<u8>, Told) {
    let Seen { heard, question, exchange, outcome, setting, .. } = seen;
    let response = decoded(exchange, outcome);
    let content_type = pipe::value(&outcome.headers, "content-type").unwrap_or_default();
    let spoken = match (heard.dialect, &response) {
        (Some(dialect), Some(body)) if heard.method == "POST" => {
            Some(heard::hear(dialect, &content_type, body))
        }
        _ => None,
    };
    let usage = spoken.as_ref().map(|spoken| spoken.reply.usage);
    let told = Told {
        tokens: usage.map(|usage| usage.prompt + usage.completion).filter(|tokens| *tokens > 0),
        choices_unchanged: setting.names.as_ref().and(unchanged(seen, response.as_deref())),
    };
    let forward = done.upstream_request.as_ref();
    let document = object([
        ("version", u64::from(VERSION).into()),
        ("sequence", done.sequence.into()),
        ("case", done.case.as_ref().into()),
        ("at", clock::rfc3339(done.unix_ms).into()),
        ("dialect", heard.dialect.map(|dialect| dialect.name).into()),
        ("request", asked(seen, done)),
        (
            "forward",
            object([
                ("method", setting.kept_text(&question.method).into()),
                ("target", setting.kept_text(&redact::target(&question.target)).into()),
                ("headers", headers(seen, passed(&question.headers))),
                ("bytes", forward.map(|hop| hop.bytes).into()),
                ("sha256", forward.map(|hop| &hop.sha256).into()),
            ]),
        ),
        (
            "response",
            outcome.status.map(|status| answered(seen, status, response.as_deref(), spoken.as_ref())).into(),
        ),
        ("served", served(seen, done)),
        ("complete", done.complete.into()),
        ("error", done.error.as_ref().into()),
    ]);
    (print(&document), told)
}

/// What the provider answered.
fn answered(seen: &Seen<'_>, status: u16, response: Option<&[u8]>, spoken: Option<&Spoken>) -> Node {
    let Seen { exchange, outcome, setting, .. } = seen;
    object([
        ("status", u64::from(status).into()),
        ("headers", headers(seen, passed(&outcome.headers))),
        ("headUs", outcome.head_us.into()),
        ("pieces", pieces(&outcome.pieces)),
        ("bytes", exchange.response.len().into()),
        ("sha256", exchange.response.hop().sha256.into()),
        ("said", spoken.map(|spoken| kept(setting, said(spoken))).into()),
        (
            "body",
            response.map(|response| kept(setting, body(response, parse(response).ok().as_ref()))).into(),
        ),
    ])
}

/// What the client got of it.
fn served(seen: &Seen<'_>, done: &Done) -> Node {
    object([
        ("status", done.status.map(u64::from).into()),
        ("bytes", done.served.bytes.into()),
        ("sha256", (&done.served.sha256).into()),
        ("file", seen.exchange.served.is_some().into()),
        ("pieces", pieces(seen.front.pieces())),
        ("clientLeft", done.client_left.into()),
    ])
}

/// What the client asked.
fn asked(seen: &Seen<'_>, done: &Done) -> Node {
    let Seen { heard, request, .. } = seen;
    let asked = seen.setting.kept(&request.body);
    let target = seen.setting.kept_text(&redact::target(&heard.target()));
    let tape = parse(&asked).ok();
    let key = call_of(heard.dialect, &heard.method, &target, (&asked, tape.as_ref()));
    object([
        ("method", seen.setting.kept_text(&heard.method).into()),
        ("target", target.into()),
        ("headers", headers(seen, request.head.headers())),
        ("bytes", done.request.bytes.into()),
        ("sha256", (&done.request.sha256).into()),
        ("call", kept(seen.setting, key.shown())),
        ("body", kept(seen.setting, body(&asked, tape.as_ref()))),
    ])
}

/// A part of the file without what must not be written: what is whole only here, as words of a stream are, and what was escaped.
fn kept(setting: &Setting, node: Node) -> Node {
    if setting.redactor.is_none() {
        return node;
    }
    match node {
        Node::Null | Node::Bool(_) | Node::Number(_) => node,
        Node::Text(text) => Node::Text(setting.kept_text(&text)),
        Node::Raw(text) => {
            let kept = setting.kept_text(&text);
            // A pattern may match more than a value.
            if parse(kept.as_bytes()).is_ok() { Node::Raw(kept) } else { Node::Text(kept) }
        }
        Node::List(nodes) => Node::List(nodes.into_iter().map(|node| kept(setting, node)).collect()),
        Node::Object(entries) => {
            Node::Object(entries.into_iter().map(|(key, node)| (key, kept(setting, node))).collect())
        }
    }
}

fn object<const N: usize>(entries: [(&'static str, Node); N]) -> Node {
    Node::Object(entries.into())
}

/// When each piece came and how long it was.
fn pieces(pieces: &[(u64, u64)]) -> Node {
    Node::List(pieces.iter().map(|(us, bytes)| Node::List(vec![(*us).into(), (*bytes).into()])).collect())
}

/// Headers of a message that was passed on.
fn passed(headers: &[Header]) -> impl Iterator<Item = (&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
}

/// Headers as they came, keys masked.
fn headers<'h>(seen: &Seen<'_>, headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> Node {
    let shown = |(name, value): (&str, &[u8])| {
        let value = if is_key(name) {
            REDACTED.to_owned()
        } else {
            seen.setting.kept_own(seen.question.keys.shown(value))
        };
        Node::List(vec![seen.setting.kept_text(name).into(), value.into()])
    };
    Node::List(headers.map(shown).collect())
}

/// The provider's body without its coding; none where it is too long or its coding is not known.
fn decoded(exchange: &Exchange, outcome: &Outcome) -> Option<Vec<u8>> {
    outcome.status?;
    if exchange.response.len() > LONGEST as u64 {
        return None;
    }
    let raw = exchange.response.read(LONGEST).ok()?;
    let codings = pipe::codings(&outcome.headers).ok()?;
    // What a cut body gave is shown, too.
    Some(pipe::decoded(&codings, raw, LONGEST))
}

/// A body for people: JSON as such, where it is some, a stream as its events, any other text as text.
fn body(bytes: &[u8], tape: Option<&Tape<'_>>) -> Node {
    if bytes.is_empty() || bytes.len() > LONGEST {
        return Node::Null;
    }
    // It stands two levels deep.
    if let Some(tape) = tape {
        return pretty::raw(tape.root(), 2);
    }
    let mut reader = SseReader::new(LONGEST);
    let _too_long = reader.feed(bytes);
    let events: Vec<Node> =
        std::iter::from_fn(|| reader.next_event()).map(|event| document(&event.data)).collect();
    if !events.is_empty() {
        return Node::List(events);
    }
    // As in `hear`: most are UTF-8.
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned().into(),
    }
}

/// The data of an event on one line.
fn document(data: &str) -> Node {
    match parse(data.as_bytes()) {
        Ok(tape) => Node::Raw(written(tape.root())),
        Err(_) => data.into(),
    }
}

/// What the model said.
fn said(spoken: &Spoken) -> Node {
    let reply = &spoken.reply;
    let mut entries = Vec::new();
    let mut put = |key, node: Node| entries.push((key, node));
    for (key, text) in [
        ("id", &spoken.id),
        ("model", &spoken.model),
        ("thinking", &reply.thinking),
        ("text", &reply.text),
        ("refusal", &reply.refusal),
        ("ended", &spoken.ended),
    ] {
        if let Some(text) = text {
            put(key, text.into());
        }
    }
    if !reply.calls.is_empty() {
        let call = |call: &IssuedCall| {
            object([
                ("id", (&call.id).into()),
                ("name", (&call.name).into()),
                ("arguments", (&call.arguments).into()),
            ])
        };
        put("calls", Node::List(reply.calls.iter().map(call).collect()));
    }
    put(
        "usage",
        object([("prompt", reply.usage.prompt.into()), ("completion", reply.usage.completion.into())]),
    );
    if let Some(error) = &spoken.error {
        let fields = [
            ("type", error.kind.as_ref().into()),
            ("code", error.code.as_ref().into()),
            ("message", (&error.message).into()),
        ];
        put("error", object(fields));
    }
    put("whole", spoken.done.into());
    if !spoken.notes.is_empty() {
        put("notes", spoken.notes.clone().into());
    }
    Node::Object(entries)
}

/// Whether the generated parts left as they came, byte for byte; none where there is nothing to compare.
fn unchanged(seen: &Seen<'_>, response: Option<&[u8]>) -> Option<bool> {
    let served = seen.exchange.served.as_ref().filter(|served| served.len() <= LONGEST as u64)?;
    let served = served.read(LONGEST).ok()?;
    let (came, left) = (generated(response?), generated(&served));
    // A client that left early has the beginning.
    Some(came.starts_with(&left) || left.starts_with(&came))
}

/// The generated parts of a body, or of each event of a stream, as they stand in it.
fn generated(body: &[u8]) -> Vec<String> {
    let part = |text: &[u8]| {
        let tape = parse(text).ok()?;
        tape.root().get("choices").map(Value::text).map(str::to_owned)
    };
    if let Some(part) = part(body) {
        return vec![part];
    }
    let mut events = SseReader::new(LONGEST);
    // An event that is too long has no part to compare.
    let _too_long = events.feed(body);
    std::iter::from_fn(|| events.next_event()).filter_map(|event| part(event.data.as_bytes())).collect()
}
