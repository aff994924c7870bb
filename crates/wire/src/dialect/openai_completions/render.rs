//! A completion, whole and in chunks: `text_completion` objects, a choice for each prompt and each of its completions.
//!
//! Only words can be completed: calls are left out, a refusal is said as text.

use super::super::openai_chat::render::{FINGERPRINT, key, usage};
use super::super::{pieces, push_line};
use crate::frames::Frames;
use crate::json::{Kind, Tape, Value, parse, write_number, write_string};
use crate::reply::{Envelope, Reply};

/// The event after which nothing follows.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// A reply as the body of one response.
pub(super) fn render(reply: &Reply, envelope: &Envelope) -> Vec<u8> {
    let mut out = Vec::with_capacity(320);
    beginning(&mut out, envelope);
    key(&mut out, "choices");
    let said = said(reply);
    for (index, prompt) in choices(envelope).iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"[" } else { b", " });
        choice(&mut out, index, &format!("{prompt}{said}"), Some(finish(reply)));
    }
    out.push(b']');
    usage(&mut out, reply);
    out.push(b'}');
    out
}

/// A reply as server-sent events: pieces of each choice, its end, usage with empty `choices` where it was asked for, `[DONE]`.
pub(super) fn stream(reply: &Reply, envelope: &Envelope) -> Frames {
    let mut before = b"data: ".to_vec();
    beginning(&mut before, envelope);
    key(&mut before, "choices");
    before.push(b'[');
    let after: &[u8] = if envelope.include_usage { b"], \"usage\": null}\n\n" } else { b"]}\n\n" };
    let mut events = Frames::default();
    let event = |events: &mut Frames, index, text: &str, finish| {
        events.write(|out| {
            out.extend_from_slice(&before);
            choice(out, index, text, finish);
            out.extend_from_slice(after);
        });
    };
    for (index, prompt) in choices(envelope).iter().enumerate() {
        let text = format!("{prompt}{}", said(reply));
        pieces(&text, envelope.piece).for_each(|piece| event(&mut events, index, piece, None));
        event(&mut events, index, "", Some(finish(reply)));
    }
    if envelope.include_usage {
        events.write(|out| {
            out.extend_from_slice(&before);
            out.push(b']');
            usage(out, reply);
            out.extend_from_slice(b"}\n\n");
        });
    }
    events.push(DONE);
    events
}

fn beginning(out: &mut Vec<u8>, envelope: &Envelope) {
    out.extend_from_slice(b"{\"id\": ");
    write_string(out, &envelope.id);
    out.extend_from_slice(b", \"object\": \"text_completion\", \"created\": ");
    write_number(out, envelope.created);
    key(out, "model");
    push_line(out, &envelope.model);
    key(out, "system_fingerprint");
    write_string(out, FINGERPRINT);
}

fn choice(out: &mut Vec<u8>, index: usize, text: &str, finish: Option<&str>) {
    out.extend_from_slice(b"{\"text\": ");
    write_string(out, text);
    key(out, "index");
    write_number(out, index as u64);
    out.extend_from_slice(b", \"logprobs\": null");
    key(out, "finish_reason");
    match finish {
        Some(reason) => write_string(out, reason),
        None => out.extend_from_slice(b"null"),
    }
    out.push(b'}');
}

fn said(reply: &Reply) -> &str {
    reply.text.as_deref().or(reply.refusal.as_deref()).unwrap_or_default()
}

/// The script's finish reason; only words end here, so that calls end as words do.
fn finish(reply: &Reply) -> &str {
    reply.finish.as_deref().filter(|reason| *reason != "tool_calls").unwrap_or("stop")
}

/// What each choice begins with: its prompt where that is to be echoed, else nothing.
fn choices(envelope: &Envelope) -> Vec<String> {
    let given = |name| {
        let (_, text) = envelope.echoed.iter().find(|(key, _)| *key == name)?;
        parse(text.as_bytes()).ok()
    };
    let echo = given("echo").is_some_and(|echo: Tape<'_>| echo.root().as_bool() == Some(true));
    let prompt = given("prompt");
    let prompts = prompt.as_ref().map(|prompt| texts(prompt.root())).unwrap_or_default();
    let prompts = if prompts.is_empty() { vec![String::new()] } else { prompts };
    let choices = envelope.choices.max(1) as usize;
    let each = |prompt: String| std::iter::repeat_n(if echo { prompt } else { String::new() }, choices);
    prompts.into_iter().flat_map(each).collect()
}

/// Each prompt; tokens have no text, but stand for a prompt, too.
fn texts(prompt: Value<'_>) -> Vec<String> {
    let text = |value: Value<'_>| value.as_str().map(|text| text.into_owned()).unwrap_or_default();
    let is_list = prompt.kind() == Kind::Array && !prompt.items().any(|item| item.kind() == Kind::Number);
    if is_list { prompt.items().map(text).collect() } else { vec![text(prompt)] }
}
