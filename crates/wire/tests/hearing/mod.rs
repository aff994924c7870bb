//! What a client makes of a faulted answer, and where its documents differ from those of the unharmed one.

use crate::playing::{Sent, played};
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::fault::{Arrives, Fault, fault};
use rehearsal_wire::reply::Reply;
use rehearsal_wire::sse::SseEvent;
use serde_json::Value;

/// Plays each section of a corpus: what leaves under the fault of its first line is what its other lines say. Gives the names of
/// the faults that have a section.
///
/// The first line is `fault param=json | dialect | reply | stream or plain`. Of a fault of words the others tell what is said, of
/// one of documents where they differ: `events pointer: old => new`, or `-` and `+` for documents that are gone or new.
pub(crate) fn sections(corpus: &str, reply: impl Fn(&str) -> Reply) -> Vec<&str> {
    let section = |section| {
        let (head, wanted) = str::split_once(section, '\n').unwrap();
        let parts: Vec<&str> = head.split(" | ").collect();
        let [call, name, kind, form] = parts[..] else { panic!("{head}") };
        let mut words = call.split(' ');
        let fault = words.next().unwrap();
        let params: Vec<(&str, &str)> = words.map(|param| param.split_once('=').unwrap()).collect();
        let sent = played(&[(fault, &params)], dialect(name).unwrap(), &reply(kind), form == "stream");
        let told =
            sent.map_or_else(|| vec!["unharmed".to_owned()], |sent| told(&sent, fault, form == "stream"));
        assert_eq!(told.join("\n"), wanted.trim_end(), "{head}");
        fault
    };
    corpus.split("\n\n").map(section).collect()
}

/// What is told of an answer under this fault.
fn told(sent: &Sent, name: &str, stream: bool) -> Vec<String> {
    leaves_whole(sent, name, stream);
    let words = fault(name).is_some_and(Fault::only_words);
    if words {
        assert_eq!(sent.body(), sent.unharmed, "{name}: what is said leaves as all that is said");
        return said(sent.faulted.delivered.as_ref().unwrap());
    }
    changes(sent, stream)
}

fn said(reply: &Reply) -> Vec<String> {
    let texts = [("thinking", &reply.thinking), ("text", &reply.text), ("refusal", &reply.refusal)];
    let texts = texts.into_iter().filter_map(|(key, text)| Some(format!("{key}: {}", text.as_ref()?)));
    let calls = reply.calls.iter().map(|call| format!("{}: {}({})", call.id, call.name, call.arguments));
    let finish = reply.finish.iter().map(|reason| format!("finish: {reason}"));
    let said: Vec<String> = texts.chain(calls).chain(finish).collect();
    if said.is_empty() { vec!["nothing".to_owned()] } else { said }
}

/// Where the documents of an answer differ from those without the fault.
fn changes(sent: &Sent, stream: bool) -> Vec<String> {
    let (old, new) = if stream {
        let unharmed = String::from_utf8(sent.unharmed.clone()).unwrap();
        (streamed(sent.unharmed_events(), &unharmed), streamed(sent.events(), &sent.text()))
    } else {
        (vec![String::from_utf8(sent.unharmed.clone()).unwrap()], vec![sent.text()])
    };
    if old.len() != new.len() {
        return documents(&old, &new);
    }
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for (at, (old, new)) in old.iter().zip(&new).enumerate().filter(|(_, (old, new))| old != new) {
        let mut found = Vec::new();
        differences("", Some(&read(old)), Some(&read(new)), &mut found);
        for change in found {
            match told.iter_mut().find(|(known, _)| *known == change) {
                Some((_, events)) => events.push(at.to_string()),
                None => told.push((change, vec![at.to_string()])),
            }
        }
    }
    if told.is_empty() {
        return vec![format!("the same JSON in {} bytes more", sent.body().len() - sent.unharmed.len())];
    }
    told.into_iter().map(|(change, events)| format!("{} {change}", events.join(","))).collect()
}

/// The documents of a stream: the data of server-sent events, or lines.
fn streamed(events: Vec<SseEvent>, text: &str) -> Vec<String> {
    if events.is_empty() {
        return text.lines().map(str::to_owned).collect();
    }
    events.into_iter().map(|event| event.data).collect()
}

/// The documents that are gone and those that are new, in order; the numbers of events are not looked at.
fn documents(old: &[String], new: &[String]) -> Vec<String> {
    let plain = |documents: &[String]| documents.iter().map(|document| short(document)).collect::<Vec<_>>();
    let (old, new) = (plain(old), plain(new));
    let (mut told, mut at) = (Vec::new(), 0);
    for document in &new {
        match old[at..].iter().position(|other| other == document) {
            Some(gone) => {
                told.extend(old[at..at + gone].iter().map(|document| format!("-{document}")));
                at += gone + 1;
            }
            None => told.push(format!("+{document}")),
        }
    }
    told.extend(old[at..].iter().map(|document| format!("-{document}")));
    told
}

/// Of a chunk what stands in its choices, of an event of the Responses API all but its number.
fn short(document: &str) -> String {
    match document.split_once(r#""choices":["#) {
        Some((before, choices)) if before.contains("chatcmpl-") => choices.to_owned(),
        Some(_) | None => match document.split_once(r#""sequence_number":"#) {
            Some((before, after)) => [before, after.split_once(',').unwrap().1].concat(),
            None => document.to_owned(),
        },
    }
}

fn read(document: &str) -> Value {
    serde_json::from_str(document).unwrap()
}

fn differences(at: &str, old: Option<&Value>, new: Option<&Value>, told: &mut Vec<String>) {
    if old == new {
        return;
    }
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                differences(&format!("{at}/{key}"), old.get(key), new.get(key), told);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for element in 0..old.len().max(new.len()) {
                differences(&format!("{at}/{element}"), old.get(element), new.get(element), told);
            }
        }
        (old, new) => {
            let show = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            told.push(format!("{at}: {} => {}", show(old), show(new)));
        }
    }
}

/// Holds what every fault of documents and words keeps: one whole answer 200 that says which fault it is.
fn leaves_whole(sent: &Sent, name: &str, stream: bool) {
    assert!(sent.head.starts_with("HTTP/1.1 200 OK\r\n") && sent.whole, "{name}: {}", sent.head);
    assert_eq!((sent.faulted.names.as_slice(), sent.writes.len()), ([name].as_slice(), 1));
    assert_eq!(
        sent.chunks,
        if stream { streamed(sent.events(), &sent.text()).len() } else { 0 },
        "{name}: a chunk for each event"
    );
    let arrives = fault(name).unwrap().arrives;
    assert_eq!(sent.faulted.delivered.is_some(), arrives != Arrives::Not);
}

/// A call as a client has it: the index, the id, the name, the arguments.
#[derive(Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// What a client that takes every form of the chat API makes of an answer.
#[derive(Default)]
pub(crate) struct Heard {
    text: Option<String>,
    refusal: Option<String>,
    calls: Vec<Call>,
    /// The ids, in the order of the calls.
    pub(crate) ids: Vec<String>,
}

impl Heard {
    /// Reads the first choice of an answer of the chat API.
    pub(crate) fn read(sent: &Sent, stream: bool) -> Self {
        let mut heard = Self::default();
        if stream {
            for event in sent.events().iter().filter(|event| event.data != "[DONE]") {
                heard.message(&read(&event.data)["choices"][0]["delta"]);
            }
        } else {
            heard.message(&read(&sent.text())["choices"][0]["message"]);
        }
        heard.calls.sort_by_key(|call| call.index);
        heard.ids = heard.calls.iter().map(|call| call.id.clone()).collect();
        heard
    }

    fn message(&mut self, message: &Value) {
        for (text, key) in [(&mut self.text, "content"), (&mut self.refusal, "refusal")] {
            if let Some(piece) = message[key].as_str() {
                text.get_or_insert_default().push_str(piece);
            }
        }
        message["tool_calls"].as_array().into_iter().flatten().for_each(|piece| self.piece(piece));
    }

    /// A new id begins a call, else the index tells it, else it is the one that is open.
    fn piece(&mut self, piece: &Value) {
        let (id, index) = (piece["id"].as_str().unwrap_or_default(), piece["index"].as_u64());
        let by_index = || self.calls.iter().rposition(|call| index.is_some() && call.index == index);
        let is_new = !id.is_empty() && self.calls.iter().all(|call| call.id != id);
        let begins = is_new || (piece["type"].is_string() && by_index().is_none());
        let at = by_index().or_else(|| self.calls.len().checked_sub(1)).filter(|_| !begins);
        let at = at.unwrap_or_else(|| {
            self.calls.push(Call { index, id: id.to_owned(), ..Call::default() });
            self.calls.len() - 1
        });
        let (call, function) = (&mut self.calls[at], &piece["function"]);
        let name = function["name"].as_str().unwrap_or_default();
        if name != call.name {
            call.name.push_str(name);
        }
        match &function["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            Value::Null => {}
            other => call.arguments = other.to_string(),
        }
    }

    /// Holds that this is what the model said, ids aside.
    pub(crate) fn is_said(&self, reply: &Reply, place: &str) {
        assert_eq!((&self.text, &self.refusal), (&reply.text, &reply.refusal), "{place}");
        let heard: Vec<_> = self.calls.iter().map(|call| (&call.name, json(&call.arguments))).collect();
        let said: Vec<_> = reply.calls.iter().map(|call| (&call.name, json(&call.arguments))).collect();
        assert_eq!(heard, said, "{place}");
    }
}

/// What arguments hold: their value, or the text where they are no JSON.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
