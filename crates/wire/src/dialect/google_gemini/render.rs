//! A whole reply: one compact JSON object with one candidate for each choice.

use super::super::{object_text, push_line};
use super::read::field;
use super::thought;
use crate::json::{Value, parse, write_number, write_string};
use crate::reply::{Envelope, IssuedCall, Reply};

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    let parts = parts(reply, envelope);
    chunk(&mut out, &parts, Some(reply), (reply, envelope));
    out
}

/// A part of what the model says.
pub(super) enum Part<'r> {
    /// What it thought.
    Thought(&'r str),
    /// Words, and the signature that ends a reply which was thought about.
    Text(&'r str, Option<String>),
    /// A call, and the signature that the first one of a reply has.
    Call(&'r IssuedCall, Option<String>),
}

/// What a reply says, part by part. Words beside calls are left out where there are none.
pub(super) fn parts<'r>(reply: &'r Reply, envelope: &Envelope) -> Vec<Part<'r>> {
    let thought = reply.thinking.as_deref();
    let shown = thought.filter(|_| includes_thoughts(envelope)).map(Part::Thought);
    let seal = thought.filter(|_| reply.calls.is_empty()).map(thought::signature);
    let nothing = reply.calls.is_empty() && reply.refusal.is_none();
    let text = reply.text.as_deref().or(nothing.then_some(""));
    let text = text.filter(|text| nothing || !text.is_empty()).map(|text| Part::Text(text, seal));
    let call =
        |(k, call): (usize, &'r IssuedCall)| Part::Call(call, (k == 0).then(|| thought::signature(&call.id)));
    shown.into_iter().chain(text).chain(reply.calls.iter().enumerate().map(call)).collect()
}

/// Whether a request wants to see what the model thought.
fn includes_thoughts(envelope: &Envelope) -> bool {
    envelope.echoed.iter().filter_map(|(_, text)| parse(text.as_bytes()).ok()).any(|setting| {
        let thinking = field(setting.root(), "thinkingConfig");
        thinking.and_then(|thinking| field(thinking, "includeThoughts")).and_then(Value::as_bool)
            == Some(true)
    })
}

/// One response: these parts, and how the reply ended where it did.
pub(super) fn chunk(
    out: &mut Vec<u8>,
    parts: &[Part<'_>],
    ended: Option<&Reply>,
    (reply, envelope): (&Reply, &Envelope),
) {
    out.extend_from_slice(b"{\"candidates\":[");
    for choice in 0..envelope.choices {
        if choice > 0 {
            out.push(b',');
        }
        out.push(b'{');
        if !parts.is_empty() {
            out.extend_from_slice(b"\"content\":{\"parts\":[");
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                part.write(out);
            }
            out.extend_from_slice(b"],\"role\":\"model\"},");
        }
        if let Some(reply) = ended {
            finished(out, reply);
        }
        out.extend_from_slice(b"\"index\":");
        write_number(out, u64::from(choice));
        out.push(b'}');
    }
    out.push(b']');
    usage(out, reply);
    out.extend_from_slice(b",\"modelVersion\":");
    push_line(out, &envelope.model);
    out.extend_from_slice(b",\"responseId\":");
    write_string(out, &envelope.id);
    out.push(b'}');
}

impl Part<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Thought(text) => {
                out.extend_from_slice(b"{\"text\":");
                write_string(out, text);
                out.extend_from_slice(b",\"thought\":true}");
            }
            Self::Text(text, seal) => {
                out.extend_from_slice(b"{\"text\":");
                write_string(out, text);
                signed(out, seal.as_deref());
            }
            Self::Call(call, seal) => {
                out.extend_from_slice(b"{\"functionCall\":{\"id\":");
                write_string(out, &call.id);
                out.extend_from_slice(b",\"name\":");
                write_string(out, &call.name);
                out.extend_from_slice(b",\"args\":");
                push_line(out, object_text(&call.arguments));
                out.push(b'}');
                signed(out, seal.as_deref());
            }
        }
    }
}

/// The end of a part, its signature before it.
fn signed(out: &mut Vec<u8>, seal: Option<&str>) {
    if let Some(seal) = seal {
        out.extend_from_slice(b",\"thoughtSignature\":");
        write_string(out, seal);
    }
    out.push(b'}');
}

/// Why it ended, with the comma behind it. A refusal has no words in this API but those of the reason.
fn finished(out: &mut Vec<u8>, reply: &Reply) {
    out.extend_from_slice(b"\"finishReason\":");
    write_string(out, finish_reason(reply));
    out.push(b',');
    if let Some(words) = &reply.refusal {
        out.extend_from_slice(b"\"finishMessage\":");
        write_string(out, words);
        out.push(b',');
    }
}

/// The reason: the script's, said as this API says it, else what follows from what is said.
fn finish_reason(reply: &Reply) -> &str {
    match reply.finish.as_deref() {
        Some("stop" | "tool_calls" | "function_call") => "STOP",
        Some("length") => "MAX_TOKENS",
        Some("content_filter") => "SAFETY",
        // A word of this API itself.
        Some(reason) => reason,
        None if reply.refusal.is_some() => "SAFETY",
        None => "STOP",
    }
}

/// The usage, with the comma before it.
fn usage(out: &mut Vec<u8>, reply: &Reply) {
    let prompt = reply.usage.prompt;
    for (before, tokens) in [
        (&b",\"usageMetadata\":{\"promptTokenCount\":"[..], prompt),
        (b",\"candidatesTokenCount\":", reply.usage.completion),
        (b",\"totalTokenCount\":", prompt.saturating_add(reply.usage.completion)),
        (b",\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":", prompt),
    ] {
        out.extend_from_slice(before);
        write_number(out, tokens);
    }
    out.extend_from_slice(b"}]}");
}
