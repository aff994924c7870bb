//! `cargo bench -p rehearsal`: the stand-in beside a bare hyper server, as ratios in one run on one machine.
//!
//! Both servers are processes of their own, driven in turn by the same load, so that processor time can be told apart. The load comes
//! from `wrk` where it is installed and from `load.rs` where it is not. Every request differs in its last message and hits a scenario;
//! afterwards the journal must hold a line for each and verify.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, has its own sockets and clock, and ends where something fails"
)]

mod api;
mod bare;
mod bridge;
mod daemon;
mod load;
mod server;
mod table;

use api::{Api, Past};
use load::{Load, Measured, Size};
use server::Server;
use std::time::Duration;
use table::Row;

/// How long each measurement runs, and how often each pair is measured; the median ratio counts.
const SECONDS: Duration = Duration::from_secs(4);
const ROUNDS: usize = 3;
/// Streams held open for the memory row.
const HELD: usize = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, rest @ ..] = arguments.as_slice()
        && word == "bare"
    {
        bare::serve(rest);
        return;
    }
    // `cargo test --benches` and `--list` call every bench target with flags of their own: there is nothing to test here.
    if arguments.iter().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let only: Vec<&String> = arguments.iter().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wants = |name: &str| only.is_empty() || only.iter().any(|only| name.contains(*only));
    table::heading();
    // First, since it opens files: where the other rows' journals are still on their way to the disk, that takes longer.
    if wants("start") {
        start();
    }
    for api in Api::ALL {
        rows(api, |row| wants(&format!("{}-{row}", api.name())));
    }
    bridge::rows(wants);
    daemon::rows(wants);
    if let Some(seconds) = arguments.iter().find_map(|argument| argument.strip_prefix("--soak=")) {
        soak(Duration::from_secs(seconds.parse().expect("--soak=SECONDS")));
    }
}

/// The rows of one API.
fn rows(api: Api, wants: impl Fn(&str) -> bool) {
    let named = |row: &str| format!("{}, {row}", api.name());
    if wants("small") {
        pair(&named("small request, 32 connections"), &Load::small(api), 0.75, Some(1.6));
    }
    if wants("stream") {
        pair(&named("a stream in one write, against bare's plain"), &Load::streamed(api), 0.6, None);
        pair(&named("a write for each chunk, against bare's own"), &Load::dripped(api), 0.9, None);
    }
    if wants("large") {
        pair(&named("95 kB agent request, 16 connections"), &Load::large(api), 0.3, None);
    }
    if wants("held") {
        held(&named("open streams after a small request"), &Load::held(api, Past::None), 17.0);
        held(&named("open streams after a 93 kB request"), &Load::held(api, Past::Long), 80.0);
    }
}

/// One load against bare and against the stand-in, in turn.
fn pair(name: &str, load: &Load, must: f64, most_cpu: Option<f64>) {
    let (mut ratios, mut costs, mut ours, mut bare) =
        (Vec::new(), Vec::new(), Measured::default(), Measured::default());
    for _ in 0..ROUNDS {
        let size = Server::stand_in().reply_size(load);
        bare = Server::bare(load.bare_form, size).measure(load, SECONDS);
        let server = Server::stand_in();
        ours = server.measure(load, SECONDS);
        server.check_journal(ours.requests);
        ratios.push(ours.rate() / bare.rate());
        costs.push(ours.cpu_micros() / bare.cpu_micros());
    }
    let (ratio, cost) = (median(ratios), median(costs));
    Row::new(name)
        .figure(format!("{:.0}/s", ours.rate()), format!("{:.0}/s", bare.rate()))
        .ratio(ratio, must)
        .cpu(ours.cpu_micros(), bare.cpu_micros(), cost, most_cpu)
        .print();
}

/// Time from exec to the first answer.
fn start() {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let load = Load::small(Api::Chat);
    for _ in 0..21 {
        bare.push(Server::bare(load.bare_form, Size::whole(600)).first_answer(&load));
        ours.push(Server::stand_in().first_answer(&load));
    }
    let (ours, bare) = (median(ours), median(bare));
    Row::new("exec to first answer")
        .figure(format!("{ours:.1} ms"), format!("{bare:.1} ms"))
        .at_most(ours / bare, 1.5)
        .print();
}

/// Memory for each stream that is held open, and how a small request fares meanwhile.
fn held(name: &str, load: &Load, kilobytes: f64) {
    let server = Server::stand_in();
    let before = server.memory_kb();
    let streams = load::hold(&server, load, HELD);
    let each = (server.memory_kb() - before) / streams.len() as f64;
    let slowest = load::slowest_of(&server, &Load::small(Api::Chat), 200);
    drop(streams);
    Row::new(name)
        .figure(format!("{each:.1} kB each"), format!("{HELD} at once"))
        .at_most(each, kilobytes)
        .note(&format!("slowest of 200 small requests meanwhile: {:.1} ms", slowest.as_secs_f64() * 1e3))
        .print();
}

/// Full load for a while: memory must not grow, though the journal rotates.
fn soak(time: Duration) {
    let server = Server::stand_in();
    let load = Load::small(Api::Chat);
    let slice = time / 8;
    for _ in 0..8 {
        let measured = server.measure(&load, slice);
        println!("soak: {:>8.0} kB resident, {:.0}/s", server.memory_kb(), measured.rate());
    }
    println!("soak: journal of {} segments", server.segments());
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
