//! Judges what came: the status, then the form, then how it ended, then the words.

use super::end::{self, End};
use super::facts::Facts;
use super::form::{self, Form};
use super::{Call, Leniency, QUOTED, Reading, Received, Tokens, Told};
use crate::endpoint::class::{self, Class, Failed};
use crate::endpoint::complaint::{self, Complaint};
use crate::endpoint::mask::Mask;
use rehearsal_wire::dialect::heard::{Heard, hear};
use rehearsal_wire::json;
use std::collections::BTreeSet;

/// Most bytes of a body that a failure keeps.
const KEPT: usize = 2 << 10;

/// An answer whose status is no success, or one that only looks like it.
pub(super) fn of_status(status: u16, received: &Received, reading: &Reading<'_>) -> Failed {
    let mask = reading.mask;
    if !(400..600).contains(&status) {
        let (class, reason) = match status {
            300..=399 => (Class::Redirect, "redirect_not_followed"),
            _ => (Class::Protocol, "status_not_200"),
        };
        let kind = content_type(received, mask);
        let message = format!("{}: status {status} ({kind}) where only 200 is an answer", reading.url);
        return Failed { status: Some(status), ..Failed::new(class, mask.hide(&message)).because(reason) };
    }
    let body = received.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&received.body);
    let told = match json::parse(body) {
        Ok(tape) => complaint::nested(tape.root()).or_else(|| complaint::flat(tape.root())),
        Err(_) => None,
    };
    let told = told.unwrap_or_default();
    let class = class::of_complaint(Some(status), &told);
    let said = match told.message.is_empty() {
        false => mask.excerpt(told.message.as_bytes(), KEPT),
        // What a server or a proxy shows when it is down says nothing that the status does not.
        true if status >= 500 && body.trim_ascii_start().starts_with(b"<") => {
            "a page of HTML or XML".to_owned()
        }
        true => form::excerpt(body, mask, QUOTED),
    };
    let message = format!("{}: status {status}: {said}", mask.hide(reading.url));
    let retryable = class::may_pass(class, status, received.retry_after, received.header("x-should-retry"));
    let failed = complained(class, &told, &message, mask);
    let kept = (!body.is_empty()).then(|| mask.excerpt(body, KEPT));
    Failed { status: Some(status), retryable, retry_after: received.retry_after, body: kept, ..failed }
}

fn complained(class: Class, told: &Complaint, message: &str, mask: &Mask) -> Failed {
    let hide = |text: &Option<String>| text.as_ref().map(|text| mask.excerpt(text.as_bytes(), QUOTED));
    Failed {
        kind: hide(&told.kind),
        code: hide(&told.code),
        param: hide(&told.param),
        ..Failed::new(class, mask.hide(message))
    }
}

fn content_type(received: &Received, mask: &Mask) -> String {
    match received.header("content-type").filter(|kind| !kind.is_empty()) {
        Some(kind) => format!("content type {}", mask.excerpt(kind.as_bytes(), 100)),
        None => "no content type".to_owned(),
    }
}

/// An answer with status 200.
pub(super) fn success(received: &Received, reading: &Reading<'_>) -> Result<Told, Box<Failed>> {
    let mask = reading.mask;
    // From here on the model may have worked.
    let costly = |failed: Failed| Box::new(Failed { status: Some(200), may_cost: true, ..failed });
    let protocol = |reason, what: &str| {
        let kind = content_type(received, mask);
        let begins = form::excerpt(&received.body, mask, QUOTED);
        let message = mask.hide(&format!("{}: {what} ({kind}): {begins}", reading.url));
        let body = (!received.body.is_empty()).then(|| mask.excerpt(&received.body, KEPT));
        costly(Failed { body, ..Failed::new(Class::Protocol, message).because(reason) })
    };
    if let Some(flaw) = &received.flaw {
        return Err(protocol("bad_encoding", &format!("the body cannot be decoded: {flaw}")));
    }
    let is_stream = received
        .header("content-type")
        .is_some_and(|kind| kind.to_ascii_lowercase().contains("text/event-stream"));
    let form = form::read(&received.body, is_stream).map_err(|fault| protocol(fault.reason, &fault.what))?;
    let facts = Facts::gather(reading.dialect, &form, reading.stream)
        .map_err(|fault| protocol(fault.reason, &fault.what))?;
    let counts =
        form.text().get(..facts.over).filter(|_| matches!(form, Form::Stream { .. })).unwrap_or(form.text());
    let heard = hear(reading.dialect.row(), form.content_type(), counts.as_bytes());
    let usage = Tokens { prompt: heard.counted.prompt, completion: heard.counted.completion };
    let finish = facts.finish.clone().map(|word| mask.excerpt(word.as_bytes(), QUOTED));
    let leniencies: Vec<_> = facts.leniencies.iter().copied().collect();
    let about = |failed: Failed| {
        costly(Failed { usage, finish: finish.clone(), leniencies: leniencies.clone(), ..failed })
    };
    if reading.strict && facts.leniencies.contains(&Leniency::DuplicateKey) {
        return Err(about(*protocol("duplicate_key", "a key stands twice in its object")));
    }
    if let Some(failed) = held_back(&facts, &heard, received, reading) {
        return Err(about(failed));
    }
    if let Some(what) = &facts.missing {
        // The names of the keys are enough; values may be anything.
        let message = mask.hide(&format!("{}: {what}", reading.url));
        return Err(about(Failed::new(Class::Protocol, message).because("no_choices")));
    }
    if let Some(what) = &facts.odd {
        return Err(about(*protocol("odd_message", what)));
    }
    said(facts, heard, usage, reading).map_err(|failed| about(*failed))
}

/// Why nothing of what came may be used, whatever its words are.
fn held_back(facts: &Facts, heard: &Heard, received: &Received, reading: &Reading<'_>) -> Option<Failed> {
    let mask = reading.mask;
    let words = heard.reply.text.as_deref().filter(|text| !text.is_empty());
    let partial = words.map(|text| mask.hide(text));
    let failed = |class, what: &str| Failed {
        text: partial.clone(),
        ..Failed::new(class, mask.hide(&format!("{}: {what}", reading.url)))
    };
    // Whoever heard the words may have seen an end that was not looked for.
    let heard_end = heard.ended.as_deref().map(|word| end::of(&word.trim().to_ascii_lowercase()).0);
    match facts.end.max(heard_end.unwrap_or_default()) {
        End::Length => return Some(failed(Class::Truncated, "the answer was cut at the length limit")),
        End::Filtered => {
            return Some(failed(Class::Filtered, "the answer was held back by a content filter"));
        }
        End::Broken | End::Refused | End::Whole => {}
    }
    let told = facts.complaint.clone().or_else(|| {
        let error = heard.error.clone()?;
        let flat = Complaint {
            message: error.message,
            kind: error.kind,
            code: error.code,
            param: error.param,
            status: None,
        };
        Some(flat)
    });
    if let Some(told) = told {
        let class = class::of_complaint(None, &told);
        let status = told.status.unwrap_or(200);
        let said = if told.message.is_empty() { "no message" } else { told.message.as_str() };
        let said = mask.excerpt(said.as_bytes(), KEPT);
        let message = format!("{}: an error inside a 200: {said}", reading.url);
        let retryable =
            class::may_pass(class, status, received.retry_after, received.header("x-should-retry"));
        let body = Some(mask.excerpt(&received.body, KEPT));
        let retry_after = received.retry_after;
        return Some(Failed { retryable, retry_after, body, ..complained(class, &told, &message, mask) });
    }
    if facts.end == End::Broken {
        return Some(failed(Class::ProviderError, "the provider broke off its own answer"));
    }
    if facts.cut {
        let failed = failed(Class::Truncated, "the stream ended without a finish reason");
        return Some(failed.because("stream_ended_early"));
    }
    let refusal = heard.reply.refusal.as_deref().filter(|text| !text.trim().is_empty());
    if refusal.is_some() || facts.end == End::Refused {
        let text = refusal.map(|text| mask.hide(text)).or(partial.clone());
        return Some(Failed { text, ..failed(Class::Refusal, "the model refused") });
    }
    let what = cut_prompt(heard, reading)?;
    Some(failed(Class::ContextLength, &what).because("context_truncated"))
}

/// Whether the endpoint counts too few tokens for what it was sent.
fn cut_prompt(heard: &Heard, reading: &Reading<'_>) -> Option<String> {
    let least = reading.sent / reading.bytes_per_token.filter(|&most| most > 0)?;
    // No prompt has no tokens: a server that says so does not count.
    let read = heard.counted.prompt.filter(|read| (1..least as u64).contains(read))?;
    let sent = reading.sent;
    Some(format!("the endpoint counts {read} tokens for {sent} bytes: the prompt was cut to its window"))
}

/// What the model said, where it may be used and says something.
fn said(mut facts: Facts, heard: Heard, usage: Tokens, reading: &Reading<'_>) -> Result<Told, Box<Failed>> {
    let mask = reading.mask;
    let failed = |class, what: &str| Failed::new(class, mask.hide(&format!("{}: {what}", reading.url)));
    let reply = heard.reply;
    let is_spoken = |text: &String| !text.trim().is_empty();
    let content = reply.text;
    let mut text = content.clone().filter(is_spoken);
    let reasoning = reply.thinking.filter(is_spoken);
    let mut calls: Vec<Call> = reply
        .calls
        .into_iter()
        .map(|call| Call { id: call.id, name: call.name, arguments: call.arguments })
        .collect();
    if calls.iter().any(|call| call.name.trim().is_empty()) {
        let what = "a tool call has no name";
        return Err(Box::new(failed(Class::Format, what).because("call_without_name")));
    }
    if calls.iter().any(|call| call.id.is_empty()) {
        facts.leniencies.insert(Leniency::IdMade);
    }
    name_calls(&mut calls);
    if text.is_none() && calls.is_empty() {
        if facts.ends_with_calls {
            let what = "the finish reason tells of tool calls, and there is none";
            return Err(Box::new(failed(Class::Format, what).because("tool_calls_missing")));
        }
        if reading.answer_from_reasoning && reasoning.is_some() {
            facts.leniencies.insert(Leniency::AnswerFromReasoning);
            text.clone_from(&reasoning);
        } else if !(reading.empty_is_answer && facts.spoke) {
            let (what, reason) = match reasoning {
                Some(_) => ("the answer is empty; the model only thought", "only_reasoning"),
                None => ("the answer is empty", "no_words"),
            };
            return Err(Box::new(failed(Class::EmptyContent, what).because(reason)));
        }
    }
    if facts.ends_with_calls == calls.is_empty() && facts.finish.is_some() {
        facts.leniencies.insert(Leniency::OddFinish);
    }
    let mut notes: Vec<String> = heard.notes.iter().map(|note| mask.hide(note)).collect();
    if heard.counted.strange {
        notes.push("A count of tokens is no whole number; it is unknown.".to_owned());
    }
    Ok(Told {
        text,
        content,
        calls,
        reasoning,
        finish: facts.finish.map(|word| mask.excerpt(word.as_bytes(), QUOTED)),
        model: heard.model.map(|model| mask.excerpt(model.as_bytes(), QUOTED)),
        usage,
        other_choices: facts.other_choices,
        request_id: None,
        leniencies: facts.leniencies.into_iter().collect(),
        notes,
    })
}

/// Gives calls without an id one that no other call has, the same for the same answer.
fn name_calls(calls: &mut [Call]) {
    let mut known: BTreeSet<String> = calls.iter().map(|call| call.id.clone()).collect();
    for (at, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
        let mut salt = 0;
        // The empty id is among those that are known.
        while !known.insert(call.id.clone()) {
            call.id = format!("call_{at}_{salt}");
            salt += 1;
        }
    }
}
