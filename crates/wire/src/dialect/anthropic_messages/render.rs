//! A whole message: one compact JSON object.

use super::super::{object_text, push_line};
use super::{ids, thought};
use crate::json::{Kind, parse, write_number, write_string};
use crate::reply::{Envelope, IssuedCall, Reply};

/// The key of a request by which thinking is asked for.
pub(super) const THINKING: &str = "thinking";

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let mut out = Vec::with_capacity(512 + spoken(reply));
    opening(&mut out, envelope);
    for (at, block) in blocks(reply, envelope).iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        block.write(&mut out);
    }
    out.extend_from_slice(b"],");
    stopped(&mut out, reply);
    key(&mut out, "usage");
    usage(&mut out, reply, reply.usage.completion);
    out.push(b'}');
    out
}

/// From the brace of the message to the bracket of its content.
pub(super) fn opening(out: &mut Vec<u8>, envelope: &Envelope) {
    out.extend_from_slice(b"{\"model\":");
    push_line(out, &envelope.model);
    key(out, "id");
    write_string(out, &envelope.id);
    out.extend_from_slice(b",\"type\":\"message\",\"role\":\"assistant\",\"content\":[");
}

/// Why the message ends: members of an object, the first without a comma before it.
pub(super) fn stopped(out: &mut Vec<u8>, reply: &Reply) {
    out.extend_from_slice(b"\"stop_reason\":");
    write_string(out, stop_reason(reply));
    out.extend_from_slice(b",\"stop_sequence\":null,\"stop_details\":");
    match &reply.refusal {
        Some(words) => {
            out.extend_from_slice(b"{\"type\":\"refusal\",\"category\":null,\"explanation\":");
            write_string(out, words);
            out.push(b'}');
        }
        None => out.extend_from_slice(b"null"),
    }
}

/// The stop reason: the script's, said as this API says it, else what follows from what is said.
fn stop_reason(reply: &Reply) -> &str {
    match reply.finish.as_deref() {
        Some("stop") => "end_turn",
        Some("length") => "max_tokens",
        Some("tool_calls" | "function_call") => "tool_use",
        Some("content_filter") => "refusal",
        // A word of this API itself.
        Some(reason) => reason,
        None if reply.refusal.is_some() => "refusal",
        None if reply.calls.is_empty() => "end_turn",
        None => "tool_use",
    }
}

/// The usage, of which so many tokens were put out until now.
pub(super) fn usage(out: &mut Vec<u8>, reply: &Reply, put_out: u64) {
    out.extend_from_slice(b"{\"input_tokens\":");
    write_number(out, reply.usage.prompt);
    out.extend_from_slice(
        b",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\
          \"cache_creation\":{\"ephemeral_5m_input_tokens\":0,\"ephemeral_1h_input_tokens\":0},\"output_tokens\":",
    );
    write_number(out, put_out);
    out.extend_from_slice(b",\"service_tier\":\"standard\"}");
}

/// One block of the content.
pub(super) enum Block<'r> {
    /// A thought and its signature. The text is empty where the request wants it left out.
    Thinking(&'r str, String),
    /// Words.
    Text(&'r str),
    /// A call.
    Call(&'r IssuedCall),
}

/// What a reply says, block by block. The API knows no empty text block, so none is sent.
pub(super) fn blocks<'r>(reply: &'r Reply, envelope: &Envelope) -> Vec<Block<'r>> {
    let thought = reply.thinking.as_deref().and_then(|text| match wanted(envelope) {
        Thinking::Shown => Some(Block::Thinking(text, thought::signature(text))),
        Thinking::Hidden => Some(Block::Thinking("", thought::signature(""))),
        Thinking::None => None,
    });
    let text = reply.text.as_deref().filter(|text| !text.is_empty()).map(Block::Text);
    thought.into_iter().chain(text).chain(reply.calls.iter().map(Block::Call)).collect()
}

/// What a request wants to see of thoughts.
enum Thinking {
    None,
    Shown,
    Hidden,
}

fn wanted(envelope: &Envelope) -> Thinking {
    let said = envelope.echoed.iter().find(|(key, _)| *key == THINKING);
    let Some(Ok(tape)) = said.map(|(_, text)| parse(text.as_bytes())) else { return Thinking::None };
    let is = |key: &str, word: &str| tape.root().get(key).is_some_and(|value| value.is_str(word));
    if tape.root().kind() != Kind::Object || is("type", "disabled") {
        Thinking::None
    } else if is("display", "omitted") {
        Thinking::Hidden
    } else {
        Thinking::Shown
    }
}

impl Block<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Thinking(text, signature) => {
                out.extend_from_slice(b"{\"type\":\"thinking\",\"thinking\":");
                write_string(out, text);
                key(out, "signature");
                write_string(out, signature);
            }
            Self::Text(text) => {
                out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
                write_string(out, text);
            }
            Self::Call(call) => {
                named(out, call);
                out.extend_from_slice(object_text(&call.arguments).as_bytes());
            }
        }
        out.push(b'}');
    }
}

/// A call up to its input.
pub(super) fn named(out: &mut Vec<u8>, call: &IssuedCall) {
    out.extend_from_slice(b"{\"type\":\"tool_use\",\"id\":");
    write_string(out, &ids::spelt(&call.id));
    key(out, "name");
    write_string(out, &call.name);
    key(out, "input");
}

/// Bytes of everything that the model says, for sizing.
pub(super) fn spoken(reply: &Reply) -> usize {
    let calls: usize =
        reply.calls.iter().map(|call| call.id.len() + call.name.len() + call.arguments.len() + 96).sum();
    let texts = [&reply.thinking, &reply.text, &reply.refusal];
    calls + texts.into_iter().flatten().map(|text| text.len() + 160).sum::<usize>()
}

/// A further key of an object.
pub(super) fn key(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}
