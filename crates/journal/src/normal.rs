//! The normalised form of a journal: equal for two runs of the same suite, whatever the clock, ports and folders were.
//!
//! Dropped or masked, and why:
//! - `v`, `seq`, `t`, `prev`, `sum` of every line: time and what hangs on it.
//! - `opened`: `run`, `unix_ms`; the openings of later segments wholly, since they depend on sizes.
//! - `asked`: `conn`; of `body` all but that there was one, since bodies hold ports, paths and times and so do length
//!   and digest; the values of the headers in `VOLATILE`; headers are written out where the line left them out.
//! - `answered`: stands with its request, sorted by exchange. `bytes` and `sha256` stay only for a complete answer to an
//!   accepted request of the conversation, since refusals quote the request. An answer that the client did not wait for
//!   is dropped: whether it is seen before the journal closes is a matter of time.
//! - `agent_started`: `pid`, arguments that are absolute paths. `agent_exited`: `ran_ms`, output lengths and digests.
//! - `command_ran`: sorted, since an agent may run two at once. `escape_tried`: each once, since how often depends on time.
//! - `daemon`: see `daemon.rs`.
//! - `work`: see `work.rs`.
//! - `judged`: follows from the rest.
//! - In every text: case tokens (`/t/…`), ports of loopback addresses, and what the caller names (folders, tokens).

mod daemon;
mod work;

use crate::digest;
use crate::event::{
    AgentExited, AgentStarted, Answered, Asked, Body, CommandRan, Delivered, End, Event, Kind, Noted, Opened,
    Output, Rejected,
};
use std::collections::{BTreeMap, BTreeSet};

/// Headers whose values differ from run to run: lengths and hosts hold ports and paths, the others are ids and times.
const VOLATILE: &[&str] = &[
    "content-length",
    "date",
    "host",
    "idempotency-key",
    "referer",
    "origin",
    "traceparent",
    "tracestate",
    "x-client-request-id",
    "x-request-id",
];

const MASK: &str = "*";

/// Normalises the events of one journal, given in the order of its lines. Each pair of `also` is a text of this run,
/// such as its workspace, and the word to put in its place; longer texts first where one holds another.
#[must_use]
pub fn normalised<'e>(
    events: impl IntoIterator<Item = &'e Event, IntoIter: Clone>,
    also: &[(&str, &str)],
) -> Vec<String> {
    let events = events.into_iter();
    let client = daemon::Client::of(events.clone());
    let mut exchanges: BTreeMap<u64, (Asked, Option<Answered>)> = BTreeMap::new();
    let mut headers: Option<Vec<(String, String)>> = None;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut commands, mut escapes) = (Vec::new(), BTreeSet::new());
    let mask = |text: &mut String| {
        *text = masked(text, also);
        client.word(text);
    };
    for event in events {
        match event {
            Event::Opened(opened) if opened.segment > 1 => {}
            Event::Opened(opened) => {
                before.push(Event::Opened(Opened { run: MASK.to_owned(), unix_ms: 0, ..opened.clone() }));
            }
            Event::Asked(asked) => {
                if asked.headers.is_some() {
                    headers.clone_from(&asked.headers);
                }
                if !client.drops(asked.exchange) {
                    let asked = client.numbered(Asked { headers: headers.clone(), ..Asked::clone(asked) });
                    exchanges.insert(asked.0, (normal_asked(asked.1, &mask), None));
                }
            }
            Event::Answered(answered) => {
                if let Some((_, slot)) = exchanges.get_mut(&answered.exchange) {
                    let exchange = client.number(answered.exchange);
                    *slot = Some(Answered { exchange, ..answered.clone() });
                }
            }
            Event::AgentStarted(started) => before.push(Event::AgentStarted(normal_start(started, &mask))),
            Event::AgentExited(exited) => after.push(Event::AgentExited(normal_exit(exited))),
            Event::WorkspaceFound(found) => before.push(Event::WorkspaceFound(found.clone())),
            Event::WorkspaceSeen(seen) => after.push(Event::WorkspaceSeen(seen.clone())),
            Event::CommandRan(ran) => {
                commands.push(written(&Event::CommandRan(normal_command(ran, &mask))));
            }
            Event::EscapeTried(tried) => {
                let mut tried = tried.clone();
                mask(&mut tried.target);
                escapes.insert(written(&Event::EscapeTried(tried)));
            }
            Event::CassettePlayed(played) => after.push(Event::CassettePlayed(played.clone())),
            Event::Judged(_) => {}
            Event::Bridge(fact) => before.push(Event::Bridge(fact.normal())),
            Event::Daemon(fact) => before.extend(client.fact(fact, &mask).map(Event::Daemon)),
            Event::Drive(fact) => before.push(Event::Drive(fact.normal())),
            Event::Work(fact) => before.push(Event::Work(work::normal(fact, &mask))),
            Event::Closed { requests } => {
                after.push(Event::Closed { requests: requests.saturating_sub(client.dropped()) });
            }
        }
    }
    let mut lines: Vec<_> =
        before.iter().map(written).chain(exchanges.into_values().flat_map(together)).collect();
    commands.sort();
    lines.extend(commands.into_iter().chain(escapes).chain(after.iter().map(written)));
    lines
}

/// A request and what left for it.
fn together((asked, answered): (Asked, Option<Answered>)) -> Vec<String> {
    let answered = answered.and_then(|answered| normal_answer(&asked, answered)).map(Event::Answered);
    std::iter::once(Event::Asked(Box::new(asked))).chain(answered).map(|event| written(&event)).collect()
}

/// SHA-256 over the lines with a line feed each, hexadecimal.
#[must_use]
pub fn digest(lines: &[String]) -> String {
    let mut running = digest::Running::default();
    for line in lines {
        running.update(line.as_bytes());
        running.update(b"\n");
    }
    digest::text(&running.finish())
}

fn written(event: &Event) -> String {
    match serde_json::to_string(event) {
        Ok(text) => text,
        Err(error) => panic!("an event is always a JSON object: {error}"),
    }
}

fn normal_asked(mut asked: Asked, mask: &impl Fn(&mut String)) -> Asked {
    // Every field is named, so that a new one must be thought of here.
    let Asked {
        exchange: _,
        conn,
        method: _,
        path,
        headers,
        body,
        kind: _,
        class: _,
        phrasing: _,
        step: _,
        n_messages: _,
        n_assistant: _,
        stream: _,
        reject,
        notes,
        answers: _,
        delivered: Delivered { calls: _, finish_reason: _, api_error: _, fault: _, retry_after_ms: _ },
        http_status: _,
        bad_json,
        attempt_of: _,
        retry: _,
        side_call: _,
    } = &mut asked;
    *conn = 0;
    mask(path);
    for (name, value) in headers.iter_mut().flatten() {
        match VOLATILE.iter().any(|volatile| name.eq_ignore_ascii_case(volatile)) {
            true => MASK.clone_into(value),
            false => mask(value),
        }
    }
    if let Some(body) = body {
        *body = Body { len: 0, sha256: MASK.to_owned(), head: 0, tail: 0, at: 0 };
    }
    if let Some(Rejected { rule: _, kind: _, code: _, param: _, pointer: _, message }) = reject {
        mask(message);
    }
    for Noted { code: _, pointer: _, message } in notes {
        mask(message);
    }
    if let Some(bad) = bad_json {
        // The place counts bytes that may hold a path, and the bytes near it may be one.
        bad.offset = 0;
        MASK.clone_into(&mut bad.near);
    }
    asked
}

fn normal_answer(asked: &Asked, answered: Answered) -> Option<Answered> {
    match answered.end {
        End::ClientLeft | End::Stopped => None,
        End::TimedOut => Some(Answered { bytes: 0, sha256: MASK.to_owned(), ..answered }),
        End::Complete if asked.reject.is_some() || matches!(asked.kind, Kind::Aside | Kind::WrongPath) => {
            Some(Answered { bytes: 0, sha256: MASK.to_owned(), ..answered })
        }
        End::Complete => Some(answered),
    }
}

fn normal_command(ran: &CommandRan, mask: &impl Fn(&mut String)) -> CommandRan {
    let mut ran = ran.clone();
    ran.argv.iter_mut().for_each(mask);
    mask(&mut ran.folder);
    ran
}

fn normal_start(started: &AgentStarted, mask: &impl Fn(&mut String)) -> AgentStarted {
    let AgentStarted { mut argv, pid: _, mut prompt, time_limit_ms, network } = started.clone();
    for argument in &mut argv {
        mask(argument);
        if argument.starts_with('/') {
            MASK.clone_into(argument);
        }
    }
    mask(&mut prompt);
    AgentStarted { argv, pid: 0, prompt, time_limit_ms, network }
}

fn normal_exit(exited: &AgentExited) -> AgentExited {
    let AgentExited { status, signal, timed_out, ran_ms: _, stdout: _, stderr: _ } = exited.clone();
    let hidden = || Output { bytes: 0, sha256: MASK.to_owned(), capped: false };
    AgentExited { status, signal, timed_out, ran_ms: 0, stdout: hidden(), stderr: hidden() }
}

/// Loopback addresses as they are written before a port.
const HOSTS: &[&str] = &["127.0.0.1:", "localhost:", "[::1]:"];

fn masked(text: &str, also: &[(&str, &str)]) -> String {
    let mut out = text.to_owned();
    for (from, to) in also.iter().filter(|(from, _)| !from.is_empty()) {
        if out.contains(from) {
            out = out.replace(from, to);
        }
    }
    for host in HOSTS {
        out = after_each(&out, host, |byte| byte.is_ascii_digit());
    }
    after_each(&out, "/t/", |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Puts the mask in the place of the run of `eaten` bytes that follows each `mark`.
fn after_each(text: &str, mark: &str, eaten: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(mark) {
        let (before, after) = rest.split_at(at + mark.len());
        let length = after.bytes().take_while(|&byte| eaten(byte)).count();
        out.push_str(before);
        out.push_str(if length > 0 { MASK } else { "" });
        rest = &after[length..];
    }
    out.push_str(rest);
    out
}
