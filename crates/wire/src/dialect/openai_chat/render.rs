//! A whole completion: one JSON object with `", "` and `": "` between its parts.

use super::logprobs;
use crate::json::{write_number, write_string};
use crate::reply::{Envelope, IssuedCall, Reply};

/// What the real API calls the backend configuration; ours never changes.
pub(in crate::dialect) const FINGERPRINT: &str = "fp_rehearsal";

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let choices = envelope.choices.max(1);
    // With room for the head before it.
    let mut out = Vec::with_capacity(320 + choices as usize * (272 + spoken(reply)));
    out.extend_from_slice(b"{\"id\": ");
    write_string(&mut out, &envelope.id);
    out.extend_from_slice(b", \"object\": \"chat.completion\", \"created\": ");
    write_number(&mut out, envelope.created);
    key(&mut out, "model");
    out.extend_from_slice(envelope.model.as_bytes());
    key(&mut out, "choices");
    out.extend_from_slice(b"[{\"index\": 0");
    let first = out.len();
    message(&mut out, reply, envelope);
    key(&mut out, "finish_reason");
    write_string(&mut out, finish(reply, envelope));
    key(&mut out, "logprobs");
    logprobs::whole(&mut out, reply, envelope);
    out.push(b'}');
    // The others say the same.
    let said = first..out.len();
    for index in 1..choices {
        out.extend_from_slice(b", {\"index\": ");
        write_number(&mut out, u64::from(index));
        out.extend_from_within(said.clone());
    }
    out.push(b']');
    usage(&mut out, reply);
    key(&mut out, "system_fingerprint");
    write_string(&mut out, FINGERPRINT);
    out.push(b'}');
    out
}

fn message(out: &mut Vec<u8>, reply: &Reply, envelope: &Envelope) {
    out.extend_from_slice(b", \"message\": {\"role\": \"assistant\", \"content\": ");
    optional(out, reply.text.as_deref());
    key(out, "refusal");
    optional(out, reply.refusal.as_deref());
    if let Some(call) = legacy_call(reply, envelope) {
        key(out, "function_call");
        function(out, call);
    } else if !reply.calls.is_empty() {
        key(out, "tool_calls");
        for (i, call) in reply.calls.iter().enumerate() {
            out.extend_from_slice(if i == 0 { b"[{\"id\": " } else { b", {\"id\": " });
            write_string(out, &call.id);
            out.extend_from_slice(b", \"type\": \"function\", \"function\": ");
            function(out, call);
            out.push(b'}');
        }
        out.push(b']');
    }
    out.push(b'}');
}

fn function(out: &mut Vec<u8>, call: &IssuedCall) {
    out.extend_from_slice(b"{\"name\": ");
    write_string(out, &call.name);
    key(out, "arguments");
    write_string(out, &call.arguments);
    out.push(b'}');
}

/// The one call that goes out as `function_call`, if that is spoken; several calls have no legacy form.
pub(super) fn legacy_call<'r>(reply: &'r Reply, envelope: &Envelope) -> Option<&'r IssuedCall> {
    match reply.calls.as_slice() {
        [call] if envelope.legacy_functions => Some(call),
        _ => None,
    }
}

/// The finish reason: the script's, else what follows from the calls.
pub(super) fn finish<'r>(reply: &'r Reply, envelope: &Envelope) -> &'r str {
    match &reply.finish {
        Some(reason) => reason,
        None if legacy_call(reply, envelope).is_some() => "function_call",
        None if reply.calls.is_empty() => "stop",
        None => "tool_calls",
    }
}

/// Bytes of everything that the model says, for sizing.
pub(super) fn spoken(reply: &Reply) -> usize {
    let calls: usize =
        reply.calls.iter().map(|call| call.id.len() + call.name.len() + call.arguments.len() + 96).sum();
    calls + reply.text.as_ref().map_or(4, String::len) + reply.refusal.as_ref().map_or(4, String::len)
}

/// The tokens that were spent, behind other parts of an object.
pub(in crate::dialect) fn usage(out: &mut Vec<u8>, reply: &Reply) {
    out.extend_from_slice(b", \"usage\": {\"prompt_tokens\": ");
    write_number(out, reply.usage.prompt);
    key(out, "completion_tokens");
    write_number(out, reply.usage.completion);
    key(out, "total_tokens");
    write_number(out, reply.usage.prompt.saturating_add(reply.usage.completion));
    out.push(b'}');
}

pub(in crate::dialect) fn key(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b", \"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\": ");
}

pub(super) fn optional(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => write_string(out, text),
        None => out.extend_from_slice(b"null"),
    }
}
