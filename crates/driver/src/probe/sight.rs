//! What any answer can show, whatever was asked: quirks of its envelope, its stream, its errors.

use super::quirk;
use super::row::Seen;
use super::rows::short;
use crate::endpoint::answer::{Leniency, Received, Told};
use crate::endpoint::class::{Class, Failed};
use rehearsal_wire::json::{self, Kind, Value};
use std::collections::BTreeSet;

/// Quirks with what was seen, each once.
pub(super) fn quirks(seen: &Seen<'_>) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let json = seen.draft.is_some_and(|draft| draft.wants_json());
    let wants_more = seen.draft.is_some_and(|draft| draft.sends("n"));
    let (leniencies, failed) = match &seen.exchange.result {
        Ok(told) => (&told.leniencies, false),
        Err(failed) => (&failed.leniencies, true),
    };
    let follows = |leniency: Leniency| match leniency {
        Leniency::MoreChoices => wants_more,
        // What is no answer has no end either.
        Leniency::NoFinish | Leniency::NoLastEvent => failed,
        Leniency::ByteOrderMark
        | Leniency::DuplicateKey
        | Leniency::DoneAfterWhole
        | Leniency::StreamAnyway
        | Leniency::WholeAnyway
        | Leniency::OddFinish
        | Leniency::ContentParts
        | Leniency::ArgumentsAsValue
        | Leniency::IdMade
        | Leniency::AnswerFromReasoning => false,
    };
    for leniency in leniencies.iter().filter(|one| !follows(**one)) {
        found.push((quirk::of(*leniency, json), String::new()));
    }
    match &seen.exchange.result {
        Ok(told) => of_told(seen, told, &mut found),
        Err(failed) => of_failed(seen, failed, &mut found),
    }
    if let Some(received) = seen.exchange.received.as_ref().filter(|received| received.status == 200) {
        of_stream(received, &mut found);
    }
    let mut known = BTreeSet::new();
    found.retain(|(name, _)| known.insert(*name));
    found
}

fn of_told(seen: &Seen<'_>, told: &Told, found: &mut Vec<(&'static str, String)>) {
    let text = told.text.as_deref().unwrap_or_default().trim_start();
    if text.get(.."<think>".len()).is_some_and(|tag| tag.eq_ignore_ascii_case("<think>")) {
        found.push(("q14_think_prefix", String::new()));
    }
    if !told.calls.is_empty() && seen.draft.is_some_and(|draft| !draft.tool) {
        found.push(("q25_tool_instead", format!("it calls {:?}", told.calls[0].name)));
    }
}

fn of_failed(seen: &Seen<'_>, failed: &Failed, found: &mut Vec<(&'static str, String)>) {
    let mut quirk = |name| found.push((name, short(&failed.message)));
    let limited = seen.draft.is_some_and(|draft| draft.more.iter().any(|(key, _)| key.starts_with("max_")));
    if failed.status == Some(200) {
        match (failed.class, failed.reason) {
            (Class::Refusal, _) => quirk("q21_refusal"),
            (Class::Truncated, Some(_)) => quirk("q11_no_done"),
            (Class::Truncated, None) if !limited => quirk("q22_length"),
            (Class::Filtered, _) => quirk("q23_content_filter"),
            (Class::EmptyContent, _) => quirk("empty_answer"),
            (Class::Format, _) => quirk("q24_finish_odd"),
            (Class::ContextLength, Some("context_truncated")) => quirk("q41_context_silent"),
            (Class::Protocol, Some("no_choices")) => quirk("q05_choices_null"),
            (Class::Protocol, _) => quirk("q06_not_json_200"),
            _ if holds_error(seen.exchange.received.as_ref()) => quirk("q04_error_in_200"),
            _ if failed.class != Class::Truncated => quirk("q10_sse_error_event"),
            _ => {}
        }
        return;
    }
    let Some(status) = failed.status else { return };
    let of_quota = failed.message.to_lowercase().contains("quota");
    match (status, failed.class) {
        (429, Class::Quota) => quirk("q42_quota_429"),
        (429, Class::RateLimited) if of_quota => quirk("q43_quota_words"),
        (400, Class::Quota | Class::RateLimited) => quirk("q44_quota_400"),
        (503, _) => quirk("q45_503_loading"),
        _ => {}
    }
    if let Some(shape) = seen.exchange.received.as_ref().map(|received| Shape::of(&received.body))
        && shape != Shape::Usual
    {
        found.push(("q46_error_shapes", shape.words().to_owned()));
    }
}

/// Whether a body that is one document holds an error.
fn holds_error(received: Option<&Received>) -> bool {
    received.is_some_and(|received| json::parse(received.body.trim_ascii()).is_ok())
}

/// How an error is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `error.message`, as the APIs have it.
    Usual,
    /// `error` is a text.
    Text,
    /// The message stands under another key.
    Elsewhere,
    /// JSON without a message.
    Wordless,
    /// No JSON.
    Page,
    /// Nothing.
    Empty,
}

impl Shape {
    pub(super) fn of(body: &[u8]) -> Self {
        if body.trim_ascii().is_empty() {
            return Self::Empty;
        }
        let Ok(tape) = json::parse(body.trim_ascii()) else { return Self::Page };
        let root = tape.root();
        let words =
            |at: &str| root.at(at).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        if words("/error/message") {
            Self::Usual
        } else if words("/error") {
            Self::Text
        } else if ["/message", "/detail", "/detail/0/msg", "/detail/message", "/msg", "/0/error/message"]
            .into_iter()
            .any(words)
        {
            Self::Elsewhere
        } else {
            Self::Wordless
        }
    }

    /// Whether it says in words what is wrong.
    pub(super) fn is_readable(self) -> bool {
        match self {
            Self::Usual | Self::Text | Self::Elsewhere => true,
            Self::Wordless | Self::Page | Self::Empty => false,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Usual => "`error.message`, as the API has it",
            Self::Text => "`error` is a text",
            Self::Elsewhere => "the message stands outside of `error`",
            Self::Wordless => "JSON without a message",
            Self::Page => "no JSON",
            Self::Empty => "an empty body",
        }
    }
}

/// Whether an answer is a stream of events.
pub(super) fn is_stream(received: &Received) -> bool {
    ["data:", "event:", ":"]
        .iter()
        .any(|begin| received.body.trim_ascii_start().starts_with(begin.as_bytes()))
}

/// What the lines of a stream show.
fn of_stream(received: &Received, found: &mut Vec<(&'static str, String)>) {
    if !is_stream(received) {
        return;
    }
    let text = String::from_utf8_lossy(&received.body);
    // By index the ids that came under it.
    let (mut by_index, mut unnumbered): (Vec<(i64, String)>, bool) = (Vec::new(), false);
    for line in text.split(['\r', '\n']) {
        let Some(data) = line.strip_prefix("data:") else { continue };
        if !data.is_empty() && !data.starts_with(' ') {
            found.push(("q09_sse_no_space", String::new()));
        }
        let Ok(tape) = json::parse(data.trim().as_bytes()) else { continue };
        let calls = tape.root().at("/choices/0/delta/tool_calls");
        for call in calls.into_iter().filter(|calls| calls.kind() == Kind::Array).flat_map(Value::items) {
            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
            match call.get("index").and_then(Value::as_i64) {
                Some(index) if !id.is_empty() => by_index.push((index, id.into_owned())),
                Some(_) => {}
                None => unnumbered = true,
            }
        }
    }
    if unnumbered {
        found.push(("q27_delta_no_index", String::new()));
    }
    let shares =
        |(index, id): &(i64, String)| by_index.iter().any(|(other, known)| other == index && known != id);
    if by_index.iter().any(shares) {
        found.push(("q28_delta_same_index", String::new()));
    }
}
