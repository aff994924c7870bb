//! What comes back, row by row of the list of quirks and of the table of what transports do with it.

mod chaos;
mod content;
mod envelope;
mod streams;

use super::*;
use crate::endpoint::class::Class;
use crate::secret::Secret;

const KEY: &str = "sk-secret-1";
const USAGE: &str = r#""usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}"#;

/// An answer of this type and body with status 200.
fn typed(kind: &str, body: impl AsRef<[u8]>) -> Received {
    let headers = vec![
        ("content-type".to_owned(), kind.as_bytes().to_vec()),
        ("x-request-id".to_owned(), b"req-1".to_vec()),
    ];
    let body = body.as_ref().to_vec();
    Received { status: 200, headers, wire_bytes: body.len() as u64, body, ..Received::default() }
}

fn json_of(body: impl AsRef<[u8]>) -> Received {
    typed("application/json", body)
}

fn with_status(status: u16, body: &str) -> Received {
    Received { status, ..json_of(body) }
}

/// Reads an answer of a dialect; `change` changes how.
fn read_as(
    dialect: Dialect,
    received: &Received,
    change: impl FnOnce(&mut Reading<'_>),
) -> Result<Told, Box<Failed>> {
    let mask = Mask::new(Some(&Secret::new(KEY)));
    let mut reading = Reading {
        dialect,
        url: "https://h/v1/chat/completions",
        mask: &mask,
        stream: false,
        strict: false,
        answer_from_reasoning: false,
        empty_is_answer: false,
        sent: 0,
        bytes_per_token: Some(BYTES_PER_TOKEN),
    };
    change(&mut reading);
    read(received, &reading)
}

fn read_it(received: &Received) -> Result<Told, Box<Failed>> {
    read_as(Dialect::Chat, received, |_| {})
}

fn told(received: &Received) -> Told {
    read_it(received).unwrap_or_else(|failed| panic!("{failed:?}"))
}

fn failed(received: &Received) -> Failed {
    *read_it(received).expect_err("it is no answer")
}

/// A completion with this message and finish reason, both as JSON.
fn completion(message: &str, finish: &str) -> String {
    format!(
        r#"{{"id":"c","model":"m","choices":[{{"index":0,"message":{message},"finish_reason":{finish}}}],{USAGE}}}"#
    )
}

fn says(text: &str) -> String {
    completion(&format!(r#"{{"role":"assistant","content":"{text}"}}"#), "\"stop\"")
}

/// A stream of these documents, each a `data:` event.
fn stream(documents: &[&str]) -> Received {
    let events: Vec<String> = documents.iter().map(|document| format!("data: {document}\n\n")).collect();
    typed("text/event-stream", events.concat())
}

fn delta(delta: &str, finish: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}"#)
}
