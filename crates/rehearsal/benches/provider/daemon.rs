//! The daemon beside the bare server: starts and polls a second, live runs with their streams, and starts at once under one key.

use crate::bare::Form;
use crate::load::{self, Load};
use crate::server::Server;
use crate::table::Row;
use crate::{ROUNDS, SECONDS, median};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Live runs, each with a stream of its events.
const LIVE: usize = 1000;
/// Starts at once under one key, and how often.
const AT_ONCE: usize = 40;
const TIMES: usize = 200;

/// The rows of the daemon.
pub(crate) fn rows(wants: impl Fn(&str) -> bool) {
    if wants("daemon-starts") {
        pair("daemon, starts with a key each", |daemon| start(daemon, "succeed"));
    }
    if wants("daemon-polls") {
        pair("daemon, polls of one live run", |daemon| {
            let run = run_id(&exchange(daemon, &start(daemon, "[FAKE:HANG]"), 0));
            get(daemon, &format!("/v2/runs/{run}"))
        });
    }
    if wants("daemon-live") {
        live();
    }
    if wants("daemon-key") {
        one_key();
    }
}

/// A request against the bare server and against the daemon, in turn.
fn pair(name: &str, request: impl Fn(&Server) -> Load) {
    let (mut ratios, mut costs, mut figures) = (Vec::new(), Vec::new(), (0.0, 0.0, 0.0, 0.0));
    for _ in 0..ROUNDS {
        let daemon = Server::daemon();
        let load = request(&daemon);
        let bare = Server::bare(Form::Plain, daemon.reply_size(&load)).measure(&load, SECONDS);
        let ours = daemon.measure(&load, SECONDS);
        ratios.push(ours.rate() / bare.rate());
        costs.push(ours.cpu_micros() / bare.cpu_micros());
        figures = (ours.rate(), bare.rate(), ours.cpu_micros(), bare.cpu_micros());
    }
    let (ours, bare, our_cpu, bare_cpu) = figures;
    Row::new(name)
        .figure(format!("{ours:.0}/s"), format!("{bare:.0}/s"))
        .note(&format!("ratio {:.2}", median(ratios)))
        .cpu(our_cpu, bare_cpu, median(costs), None)
        .print();
}

/// Starts a run with a key of its own.
fn start(daemon: &Server, prompt: &str) -> Load {
    let body = format!(
        r#"{{"prompt":"{prompt}","mode":"ask","access":"readonly","harnesses":["fake-harness"],"primaryHarness":"fake-harness"}}"#
    );
    let before = format!("POST /v2/runs HTTP/1.1\r\n{}Idempotency-Key: bench-", head(daemon));
    let after = format!("\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    Load::raw(before, after, 32)
}

fn get(daemon: &Server, path: &str) -> Load {
    Load::raw(format!("GET {path} HTTP/1.1\r\n{}X-Number: ", head(daemon)), "\r\n\r\n".to_owned(), 32)
}

fn head(daemon: &Server) -> String {
    format!(
        "Host: 127.0.0.1\r\nAuthorization: Bearer {}\r\nX-Claudexor-Protocol-Major: 3\r\n",
        daemon.token()
    )
}

/// Asks once, and gives the whole answer.
fn exchange(daemon: &Server, load: &Load, number: u64) -> String {
    let mut socket = TcpStream::connect(daemon.address).expect("a connection");
    let mut request = Vec::new();
    load.request(number, &mut request);
    socket.write_all(&request).expect("a request sent");
    answer(&mut socket)
}

/// Reads one answer that tells its length.
fn answer(socket: &mut TcpStream) -> String {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    loop {
        let read = socket.read(&mut piece).expect("an answer");
        assert!(read > 0, "the daemon left: {text}");
        text.push_str(&String::from_utf8_lossy(&piece[..read]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.to_ascii_lowercase().split("content-length:").nth(1).and_then(|rest| {
            rest.split("\r\n").next().and_then(|number| number.trim().parse::<usize>().ok())
        });
        if body.len() >= length.expect("a length") {
            return text;
        }
    }
}

fn run_id(answer: &str) -> String {
    let (_, rest) = answer.split_once("\"runId\":").unwrap_or_else(|| panic!("no run: {answer}"));
    rest.trim_start().trim_start_matches('"').split('"').next().unwrap_or_default().to_owned()
}

/// Runs that go on, each watched by a stream; then all are cancelled, and each stream must end.
fn live() {
    let daemon = Server::daemon();
    let before = daemon.memory_kb();
    let starting = start(&daemon, "[FAKE:HANG]");
    let began = Instant::now();
    let runs: Vec<String> =
        (0..LIVE as u64).map(|number| run_id(&exchange(&daemon, &starting, number))).collect();
    let started = began.elapsed();
    let mut streams: Vec<TcpStream> = runs
        .iter()
        .map(|run| {
            let mut socket = TcpStream::connect(daemon.address).expect("a connection");
            let request = format!(
                "GET /v2/runs/{run}/events HTTP/1.1\r\n{}Accept: text/event-stream\r\nConnection: close\r\n\r\n",
                head(&daemon)
            );
            socket.write_all(request.as_bytes()).expect("a request sent");
            socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a deadline");
            socket.read_exact(&mut [0]).expect("the first byte");
            socket
        })
        .collect();
    let each = (daemon.memory_kb() - before) / LIVE as f64;
    let slowest = load::slowest_of(&daemon, &get(&daemon, "/v2/harnesses"), 200);
    let began = Instant::now();
    for run in &runs {
        let body = r#"{"control":{"kind":"cancel"}}"#;
        let request = Load::raw(
            format!("POST /v2/runs/{run}/control HTTP/1.1\r\n{}X-Number: ", head(&daemon)),
            format!("\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
            1,
        );
        exchange(&daemon, &request, 0);
    }
    for stream in &mut streams {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).expect("the end of a stream");
        assert!(rest.contains("event: end"), "{rest}");
    }
    Row::new("daemon, live runs with a stream of events each")
        .figure(format!("{each:.1} kB each"), format!("{LIVE} at once"))
        .note(&format!(
            "started in {:.2} s, slowest of 200 requests meanwhile {:.1} ms, all cancelled and ended in {:.2} s",
            started.as_secs_f64(),
            slowest.as_secs_f64() * 1e3,
            began.elapsed().as_secs_f64()
        ))
        .print();
}

/// Starts that leave at once under one key make one run.
fn one_key() {
    let daemon = Server::daemon();
    let load = start(&daemon, "succeed");
    let began = Instant::now();
    let mut runs = std::collections::BTreeSet::new();
    for round in 0..TIMES {
        let mut request = Vec::new();
        load.request(round as u64, &mut request);
        let mut sockets: Vec<TcpStream> =
            (0..AT_ONCE).map(|_| TcpStream::connect(daemon.address).expect("a connection")).collect();
        for socket in &mut sockets {
            socket.write_all(&request).expect("a request sent");
        }
        runs.extend(sockets.iter_mut().map(|socket| run_id(&answer(socket))));
    }
    assert_eq!(runs.len(), TIMES, "one run for each key");
    Row::new("daemon, starts at once under one key")
        .figure(format!("{} runs", runs.len()), format!("{TIMES} rounds of {AT_ONCE}"))
        .note(&format!("{:.2} s", began.elapsed().as_secs_f64()))
        .print();
}
