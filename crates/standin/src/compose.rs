//! Decisions as bytes: heads, bodies, stream frames and plans of acts.

use crate::dice::Dice;
use crate::stored::StoredReply;
use rehearsal_journal::event::Delivered;
use rehearsal_script::drill::Drill;
use rehearsal_script::issued::call_id;
use rehearsal_script::pick::Picked;
use rehearsal_script::scenario::{Action, ApiError, FaultCall, Pacing, Said};
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_wire::dialect::{DIALECTS, Dialect, ErrorBody, Keep, ModelEntry, Origin, push_hex};
use rehearsal_wire::fault::{self, Fault, Faulted, Named, Wanted, chunked};
use rehearsal_wire::frames::Frames;
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::json::{Tape, Value};
use rehearsal_wire::reject::Reject;
use rehearsal_wire::reply::{Envelope, IssuedCall, PIECE, Progress, Reply, Usage};
use rehearsal_wire::turn::Turn;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Replies are dated from 2026-01-01T00:00:00Z, a second a step.
pub(crate) const EPOCH: u64 = 1_767_225_600;
/// The model's name where a request names none; also in every canned reply of a fault.
const MODEL: &str = "gate-openai-model";

/// A reply, ready for the wire.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its status; none where nothing is sent.
    pub status: Option<u16>,
    /// Its form.
    pub form: Form,
    /// The reply in it that the lane keeps, if it keeps it.
    pub kept: Option<Arc<StoredReply>>,
}

/// How a reply leaves.
#[derive(Clone, Debug)]
pub enum Form {
    /// A head and a whole body.
    Whole(ResponseHead, Vec<u8>),
    /// A head and the frames of a stream, all in one write.
    Frames(ResponseHead, Frames),
    /// Acts on the raw socket.
    Acts(Plan),
}

impl Sent {
    fn whole(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        let head = ResponseHead::new(status).with("content-type", content_type);
        Self { status: Some(status), form: Form::Whole(head, body), kept: None }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        match &mut self.form {
            Form::Whole(head, _) | Form::Frames(head, _) => head.push(name, value),
            Form::Acts(_) => {}
        }
        self
    }

    /// Adds the headers by which a provider names its request, and those that it always sends.
    pub(crate) fn with_ids(self, dialect: &Dialect, dice: Dice) -> Self {
        let named = match dialect.request_id {
            Some(header) => self.with_header(header, request_id(dice)),
            None => self,
        };
        dialect.headers.iter().fold(named, |sent, (name, value)| sent.with_header(name, *value))
    }
}

/// The id of a request.
fn request_id(dice: Dice) -> String {
    let mut id = String::with_capacity("req_".len() + 32);
    id.push_str("req_");
    push_hex(&mut id, dice.bits(), 16);
    push_hex(&mut id, dice.with(1).bits(), 16);
    id
}

pub(crate) fn health(mode: &str) -> Sent {
    Sent::whole(200, "application/json", format!("{{\"ok\": true, \"mode\": \"{mode}\"}}").into_bytes())
}

pub(crate) fn stats(mode: &str, hits: u64) -> Sent {
    Sent::whole(
        200,
        "application/json",
        format!("{{\"mode\": \"{mode}\", \"chat_hits\": {hits}}}").into_bytes(),
    )
}

/// Which faults lie over the scripts.
pub(crate) fn faults(name: Option<&str>) -> Sent {
    let mut text = b"{\"fault\": ".to_vec();
    match name {
        Some(name) => rehearsal_wire::json::write_string(&mut text, name),
        None => text.extend_from_slice(b"null"),
    }
    text.push(b'}');
    Sent::whole(200, "application/json", text)
}

pub(crate) fn models(dialect: &Dialect) -> Sent {
    let entries: Vec<_> = dialect.lists.iter().map(|id| entry(id)).collect();
    Sent::whole(200, dialect.content_type, (dialect.models)(&entries))
}

pub(crate) fn model(dialect: &Dialect, id: &str) -> Sent {
    Sent::whole(200, dialect.content_type, (dialect.model)(&entry(id)))
}

/// A reply without a body.
pub(crate) fn nothing() -> Sent {
    Sent { status: Some(204), form: Form::Whole(ResponseHead::new(204), Vec::new()), kept: None }
}

fn entry(id: &str) -> ModelEntry<'_> {
    ModelEntry { id, created: EPOCH, owned_by: "rehearsal" }
}

/// An answer that follows from the body alone.
pub(crate) fn answer(dialect: &Dialect, body: Vec<u8>) -> Sent {
    self::body(dialect.content_type, body)
}

/// A whole body of this type.
pub(crate) fn body(content_type: &'static str, body: Vec<u8>) -> Sent {
    Sent::whole(200, content_type, body)
}

/// A reply as a stream, without the first so many frames.
pub(crate) fn streamed(dialect: &Dialect, reply: &Reply, envelope: &Envelope, skipped: usize) -> Sent {
    let frames = (dialect.stream)(reply, envelope).skip(skipped);
    let kind = dialect.type_of_stream(envelope.framing);
    let head = ResponseHead::new(200).with("content-type", kind).with("cache-control", "no-cache");
    Sent { status: Some(200), form: Form::Frames(head, frames), kept: None }
}

/// A refusal in the dialect's own error form; in the first dialect's where the request named none.
pub(crate) fn refusal(dialect: Option<&Dialect>, reject: &Reject) -> Sent {
    let dialect = dialect.unwrap_or(&DIALECTS[0]);
    Sent::whole(reject.status, dialect.content_type, (dialect.error)(&ErrorBody::from(reject)))
}

/// The same with the headers by which the provider names the request.
pub(crate) fn refusal_with_ids(dialect: &Dialect, reject: &Reject, dice: Dice) -> Sent {
    let id = request_id(dice);
    let body = (dialect.error)(&ErrorBody { request_id: Some(&id), ..ErrorBody::from(reject) });
    Sent::whole(reject.status, dialect.content_type, body).with_ids(dialect, dice)
}

/// What a reply must know of who asked.
pub(crate) struct Asker<'a> {
    pub(crate) dialect: &'static Dialect,
    /// The body of the request, and what was read of it.
    pub(crate) body: &'a [u8],
    pub(crate) tape: &'a Tape<'a>,
    pub(crate) turn: &'a Turn<'a>,
    pub(crate) dice: Dice,
    pub(crate) seed: u64,
}

impl Asker<'_> {
    /// The answer to what belongs to no script.
    pub(crate) fn background(&self, text: &str) -> Sent {
        self.small_talk(text)
    }

    /// The same under faults.
    pub(crate) fn background_under(&self, drill: &Drill, text: &str, ordinal: u64) -> (Sent, Delivered) {
        let usage = Usage { prompt: 1, completion: 1 };
        let mut reply = Reply { text: Some(text.to_owned()), usage, ..Reply::default() };
        let named: Vec<Named<'_>> = drill.faults.iter().filter_map(FaultCall::named).collect();
        let named = fault::change_words(&named, &mut reply);
        self.broken(&named, Some(&reply), Pacing::default(), ordinal, None)
    }

    /// The answer past the end of a script.
    pub(crate) fn overrun(&self, phrasing: &str, step: usize) -> Sent {
        self.small_talk(&format!("GATE-SCRIPT-EXHAUSTED {phrasing} step {step}"))
    }

    fn small_talk(&self, text: &str) -> Sent {
        let usage = Usage { prompt: 1, completion: 1 };
        let reply = Reply { text: Some(text.to_owned()), usage, ..Reply::default() };
        self.reply(reply, Pacing::default(), None)
    }

    /// The answer of a step, and what it is meant to deliver. `ordinal` counts the faulted replies of the lane before this one.
    pub(crate) fn step(&self, phrasing: &str, picked: &Picked<'_>, ordinal: u64) -> (Sent, Delivered) {
        let speak = |said: &Said| said.reply(|k| call_id(phrasing, picked.step, k));
        match picked.action {
            Action::Say(said) => {
                let reply = speak(said);
                let delivered = delivered(&reply);
                (self.reply(reply, picked.pacing, Some((phrasing, picked.step))), delivered)
            }
            Action::Error(error) => {
                let sent = self.error(error);
                let retry_after_ms = match &sent.form {
                    Form::Whole(head, _) => head.retry_after_ms(),
                    Form::Frames(..) | Form::Acts(_) => None,
                };
                let api_error = Some(error.status);
                (sent, Delivered { api_error, retry_after_ms, ..Delivered::default() })
            }
            Action::Fault { faults, said, .. } => {
                let reply = said.as_ref().map(speak);
                let named: Vec<Named<'_>> = faults.iter().filter_map(FaultCall::named).collect();
                self.broken(&named, reply.as_ref(), picked.pacing, ordinal, Some((phrasing, picked.step)))
            }
            Action::End => (self.small_talk("ok"), Delivered::default()),
        }
    }

    /// What some faults let leave of a reply; the reply itself where it has nothing that they break.
    fn broken(
        &self,
        faults: &[Named<'_>],
        reply: Option<&Reply>,
        pacing: Pacing,
        ordinal: u64,
        step: Option<(&str, usize)>,
    ) -> (Sent, Delivered) {
        let envelope = self.envelope(pacing.piece, step);
        let wanted = Wanted {
            dialect: self.dialect,
            reply,
            envelope: &envelope,
            stream: self.turn.stream,
            request: Some(self.tape.root()),
            head: &ResponseHead::new(200),
            params: &[],
            seed: self.seed,
            ordinal: ordinal + 1,
        };
        let keep = self.keep();
        match (fault::play(faults, &wanted), reply) {
            (Some(faulted), _) => {
                let whole = faulted.delivered.as_ref().filter(|_| keep != Keep::Not);
                let kept = whole.map(|reply| self.kept(reply.clone(), envelope.clone(), keep));
                let (sent, delivered) = sent(faulted);
                (Sent { kept, ..sent }, delivered)
            }
            (None, Some(reply)) => (self.reply(reply.clone(), pacing, step), delivered(reply)),
            (None, None) => (self.small_talk("ok"), Delivered::default()),
        }
    }

    /// What a reply travels in; `step` is the place in a script that it comes from.
    fn envelope(&self, piece: usize, step: Option<(&str, usize)>) -> Envelope {
        let model = match (self.turn.model, &self.turn.addressed) {
            (Some(value), _) => given_back(value),
            (None, Some(name)) => rehearsal_wire::json::quoted(name),
            (None, None) => rehearsal_wire::json::quoted(MODEL),
        };
        Envelope {
            id: (self.dialect.id)(&Origin { step, bits: self.dice.bits(), kept: self.keep() != Keep::Not }),
            created: EPOCH + self.turn.listed as u64,
            model,
            choices: self.turn.choices,
            include_usage: self.turn.include_usage,
            logprobs: self.turn.logprobs,
            legacy_functions: self.turn.legacy_functions,
            echoed: self.echoed(),
            progress: Progress::Whole,
            piece: if piece == 0 { PIECE } else { piece },
            framing: self.turn.framing,
        }
    }

    /// What the request says under the keys that the dialect gives back; of a key that stands twice, the last.
    fn echoed(&self) -> Vec<(&'static str, String)> {
        let mut said: Vec<(&'static str, String)> = Vec::new();
        if self.dialect.echoes.is_empty() {
            return said;
        }
        // The walk goes over the request, which has few keys, not over all that could be given back.
        for (key, value) in self.tape.root().entries() {
            let Some(key) = key.as_str() else { continue };
            let Some(name) = self.dialect.echoes.iter().find(|name| ***name == *key) else { continue };
            let text = given_back(value);
            match said.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = text,
                None => said.push((name, text)),
            }
        }
        said
    }

    fn reply(&self, reply: Reply, pacing: Pacing, step: Option<(&str, usize)>) -> Sent {
        let envelope = self.envelope(pacing.piece, step);
        let keep = self.keep();
        let later = keep == Keep::Background && !self.turn.stream;
        let sent = if later {
            let queued = Envelope { progress: Progress::Queued, ..envelope.clone() };
            self.told(&reply, &queued, pacing)
        } else {
            self.told(&reply, &envelope, pacing)
        };
        let kept = (keep != Keep::Not).then(|| self.kept(reply, envelope, keep));
        Sent { kept, ..sent }
    }

    fn keep(&self) -> Keep {
        self.dialect.keeping.map_or(Keep::Not, |keeping| (keeping.keep)(self.tape))
    }

    /// What the lane keeps of a reply.
    fn kept(&self, reply: Reply, envelope: Envelope, keep: Keep) -> Arc<StoredReply> {
        let made = if self.turn.stream { Progress::Whole } else { Progress::Queued };
        Arc::new(StoredReply {
            dialect: self.dialect,
            reply,
            envelope,
            conversation: self.dialect.keeping.and_then(|keeping| (keeping.conversation)(self.tape)),
            // A copy: what it was read into may be much larger, and must not be kept with it.
            request: self.body.to_vec(),
            background: (keep == Keep::Background).then_some(made),
        })
    }

    fn told(&self, reply: &Reply, envelope: &Envelope, pacing: Pacing) -> Sent {
        if !self.turn.stream {
            let body = (self.dialect.render)(reply, envelope);
            let sent = Sent::whole(200, self.dialect.content_type, body).with_ids(self.dialect, self.dice);
            return if pacing.ttft.is_zero() { sent } else { sent.delayed(pacing.ttft) };
        }
        let sent = streamed(self.dialect, reply, envelope, 0).with_ids(self.dialect, self.dice);
        if pacing.ttft.is_zero() && pacing.tokens_per_second == 0 { sent } else { sent.paced(pacing) }
    }

    fn error(&self, error: &ApiError) -> Sent {
        let retry_after = error.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
        let body = (self.dialect.error)(&ErrorBody {
            status: error.status,
            message: &error.message,
            kind: error.kind.as_deref(),
            param: error.param.as_deref(),
            code: error.code.as_deref(),
            request_id: Some(&request_id(self.dice)),
            retry_after: retry_after.map(|(_, value)| value.as_str()),
        });
        let mut sent =
            Sent::whole(error.status, self.dialect.content_type, body).with_ids(self.dialect, self.dice);
        if let Form::Whole(head, _) = &mut sent.form {
            for (name, value) in &error.headers {
                // A scripted header replaces ours of the same name.
                head.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
                head.push(name.clone(), value.clone());
            }
        }
        sent
    }
}

/// A value of the request as JSON text: as it came, unless it holds an escape. Who looks for words in it must not meet one in
/// their place.
fn given_back(value: Value<'_>) -> String {
    let plain = Some(value.text()).filter(|text| !text.contains('\\'));
    plain.map_or_else(|| rehearsal_wire::json::written(value), str::to_owned)
}

/// A reply that a fault of the whole server sends, whatever was asked.
pub(crate) fn canned_fault(
    dialect: &'static Dialect,
    row: &'static Fault,
    seed: u64,
    ordinal: u64,
) -> (Sent, Delivered) {
    let dice = Dice::new(seed).with_text(row.name).with(ordinal);
    let id = (dialect.id)(&Origin { step: None, bits: dice.bits(), kept: false });
    let envelope = Envelope::plain(id, EPOCH, format!("\"{MODEL}\""));
    let wanted = Wanted {
        dialect,
        reply: None,
        envelope: &envelope,
        stream: false,
        request: None,
        head: &ResponseHead::new(200),
        params: &[],
        seed,
        ordinal: ordinal + 1,
    };
    let Some(faulted) = fault::play(&[Named { row, params: &[] }], &wanted) else {
        unreachable!("only faults that are a whole plan of their own are modes");
    };
    sent(faulted)
}

fn sent(faulted: Faulted) -> (Sent, Delivered) {
    let mut delivered = faulted.delivered.as_ref().map(delivered).unwrap_or_default();
    delivered.fault = Some(faulted.names.join("+"));
    delivered.retry_after_ms = faulted.retry_after_ms;
    (Sent { status: faulted.status, form: Form::Acts(faulted.plan), kept: None }, delivered)
}

fn delivered(reply: &Reply) -> Delivered {
    let ends_in_calls = !reply.calls.is_empty();
    Delivered {
        calls: reply.calls.iter().map(|IssuedCall { id, name, .. }| (id.clone(), name.clone())).collect(),
        finish_reason: Some(match &reply.finish {
            Some(reason) => reason.clone().into(),
            None => if ends_in_calls { "tool_calls" } else { "stop" }.into(),
        }),
        api_error: None,
        fault: None,
        retry_after_ms: None,
    }
}

impl Sent {
    /// The same reply after a wait.
    fn delayed(self, wait: Duration) -> Self {
        let Form::Whole(head, body) = self.form else { return self };
        let mut bytes = head.with("content-length", body.len().to_string()).to_bytes();
        bytes.extend_from_slice(&body);
        let acts = vec![Act::Wait(wait), Act::Write(bytes)];
        Self { form: Form::Acts(Plan { acts, after: After::KeepAlive }), ..self }
    }

    /// The same stream with a write for each frame; the head leaves with the first. Clocks tick in milliseconds, so shorter waits
    /// are saved up.
    fn paced(self, pacing: Pacing) -> Self {
        const TICK: Duration = Duration::from_millis(1);
        /// Bytes that framing adds to a chunk, and to the last one.
        const FRAMING: usize = 16;
        let Form::Frames(head, frames) = self.form else { return self };
        if frames.is_empty() {
            return Self { form: Form::Frames(head, frames), ..self };
        }
        let step = match pacing.tokens_per_second {
            0 => Duration::ZERO,
            rate => Duration::from_secs(1) / rate,
        };
        let mut head = head.with("transfer-encoding", "chunked").to_bytes();
        let mut owed = pacing.ttft;
        let last = frames.len() - 1;
        let whole = step.saturating_mul(u32::try_from(last).unwrap_or(u32::MAX)).saturating_add(owed);
        // A wait takes a tick of a millisecond or more, and no frame has two.
        let waits = usize::try_from(whole.as_millis()).unwrap_or(usize::MAX).min(frames.len());
        let mut acts = Vec::with_capacity(frames.len() + waits);
        for (i, frame) in frames.iter().enumerate() {
            // As large as it must be: many streams may wait at once.
            let mut bytes = std::mem::take(&mut head);
            bytes.reserve_exact(frame.len() + FRAMING);
            chunked::chunk(&mut bytes, frame);
            if i == last {
                bytes.extend_from_slice(chunked::LAST);
            }
            if owed >= TICK {
                acts.push(Act::Wait(owed));
                owed = Duration::ZERO;
            }
            acts.push(Act::Write(bytes));
            owed += step;
        }
        Self { form: Form::Acts(Plan { acts, after: After::KeepAlive }), ..self }
    }
}
