//! Message batches: many requests in one, answered later.
//!
//! After the reference of the Message Batches API and the types of the official Python library 2.14.0.

use super::render::key;
use crate::calendar::Moment;
use crate::dialect::batch::{Batch, Batches, Entry, Outcome, Stage};
use crate::json::{Kind, Tape, Value, write_number, write_string};
use crate::reject::Reject;
use std::collections::BTreeSet;

/// What the API says of batches.
pub(super) const BATCHES: Batches = Batches {
    requests,
    id: |bits| format!("msgbatch_gate_{bits:016x}"),
    told: |batch| {
        let mut out = Vec::with_capacity(512);
        write_batch(&mut out, batch);
        out
    },
    list,
    line,
    lines_type: "application/x-jsonl",
    deleted: |id| {
        let mut out = b"{\"id\":".to_vec();
        write_string(&mut out, id);
        out.extend_from_slice(b",\"type\":\"message_batch_deleted\"}");
        out
    },
    missing: |id| Reject::of_no_place("batch", 404, None, format!("Message batch {id} not found.")),
    unfinished: |id| {
        Reject::of_no_place("batch", 400, None, format!("Message batch {id} has not finished processing."))
    },
};

/// Most requests of a batch.
const MOST: usize = 100_000;
/// A day, after which a batch expires, in seconds.
const DAY: u64 = 86_400;

fn no(pointer: String, message: &str) -> Box<Reject> {
    let place = pointer.trim_start_matches('/').replace('/', ".");
    let reject = Reject::of_no_place("batch", 400, None, format!("{place}: {message}"));
    Box::new(Reject { pointer, ..reject })
}

fn requests<'t>(tape: &'t Tape<'t>) -> Result<Vec<Entry<'t>>, Box<Reject>> {
    let at = || "/requests".to_owned();
    let Some(list) = tape.root().get("requests") else { return Err(no(at(), "Field required")) };
    if list.kind() != Kind::Array {
        return Err(no(at(), "Input should be a valid list"));
    }
    if list.is_empty() {
        return Err(no(at(), "List should have at least 1 item after validation, not 0"));
    }
    if list.len() > MOST {
        let what = format!("List should have at most {MOST} items after validation, not {}", list.len());
        return Err(no(at(), &what));
    }
    let mut names = BTreeSet::new();
    list.items()
        .enumerate()
        .map(|(index, request)| {
            let at = |key: &str| format!("/requests/{index}/{key}");
            let name = request.get("custom_id").and_then(Value::as_str);
            let Some(name) = name else { return Err(no(at("custom_id"), "Field required")) };
            if !is_name(&name) {
                let what = "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'";
                return Err(no(at("custom_id"), what));
            }
            if !names.insert(name.clone()) {
                return Err(no(at("custom_id"), "custom_id must be unique within a batch"));
            }
            match request.get("params") {
                None => Err(no(at("params"), "Field required")),
                Some(body) if body.kind() == Kind::Object => Ok(Entry { name, body }),
                Some(_) => Err(no(at("params"), "Input should be a valid dictionary")),
            }
        })
        .collect()
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

fn write_batch(out: &mut Vec<u8>, batch: &Batch<'_>) {
    let ended = batch.stage == Stage::Ended;
    out.extend_from_slice(b"{\"id\":");
    write_string(out, batch.id);
    out.extend_from_slice(b",\"type\":\"message_batch\",\"processing_status\":");
    write_string(
        out,
        match batch.stage {
            Stage::Running => "in_progress",
            Stage::Cancelling => "canceling",
            Stage::Ended => "ended",
        },
    );
    let count =
        |is: fn(&Outcome) -> bool| batch.outcomes.iter().filter(|(_, outcome)| is(outcome)).count() as u64;
    let all = batch.outcomes.len() as u64;
    // Until it ended all are being worked on.
    for (name, number) in [
        ("request_counts\":{\"processing", if ended { 0 } else { all }),
        ("succeeded", if ended { count(|outcome| matches!(outcome, Outcome::Succeeded(_))) } else { 0 }),
        ("errored", if ended { count(|outcome| matches!(outcome, Outcome::Errored(_))) } else { 0 }),
        ("canceled", if ended { count(|outcome| matches!(outcome, Outcome::Cancelled)) } else { 0 }),
        ("expired", 0),
    ] {
        key(out, name);
        write_number(out, number);
    }
    out.push(b'}');
    let cancelled = batch.outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Cancelled));
    for (name, seconds) in [
        ("ended_at", ended.then_some(batch.created + 2)),
        ("created_at", Some(batch.created)),
        ("expires_at", Some(batch.created + DAY)),
        ("archived_at", None),
        ("cancel_initiated_at", cancelled.then_some(batch.created + 1)),
    ] {
        key(out, name);
        match seconds {
            Some(seconds) => write_string(out, &Moment::of(seconds).rfc3339()),
            None => out.extend_from_slice(b"null"),
        }
    }
    key(out, "results_url");
    match ended {
        true => write_string(out, batch.results),
        false => out.extend_from_slice(b"null"),
    }
    out.push(b'}');
}

fn list(batches: &[Batch<'_>]) -> Vec<u8> {
    let mut out = b"{\"data\":[".to_vec();
    for (i, batch) in batches.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"" } else { b"," });
        write_batch(&mut out, batch);
    }
    out.extend_from_slice(b"],\"has_more\":false");
    super::error::ends(&mut out, batches.first().map(|batch| batch.id), batches.last().map(|batch| batch.id));
    out.push(b'}');
    out
}

fn line(name: &str, outcome: &Outcome) -> Vec<u8> {
    let mut out = b"{\"custom_id\":".to_vec();
    write_string(&mut out, name);
    let (kind, body): (&[u8], &[u8]) = match outcome {
        Outcome::Succeeded(body) => (b"succeeded\",\"message\":", body),
        Outcome::Errored(body) => (b"errored\",\"error\":", body),
        Outcome::Cancelled => (b"canceled\"", b""),
    };
    out.extend_from_slice(b",\"result\":{\"type\":\"");
    out.extend_from_slice(kind);
    out.extend_from_slice(body);
    out.extend_from_slice(b"}}\n");
    out
}
