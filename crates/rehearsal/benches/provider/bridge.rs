//! The recording bridge beside nginx, both before the same bare upstream: how many requests pass, and what each adds to one.

use crate::api::Api;
use crate::load::{self, Load, Size};
use crate::server::Server;
use crate::table::Row;
use crate::{ROUNDS, SECONDS, median};
use std::time::Duration;

/// Requests whose median latency is taken: nginx closes a connection after a thousand.
const LATENCIES: usize = 900;
/// Most that the bridge may add to a request's median latency, milliseconds.
const ADDED: f64 = 0.2;

/// What the upstream answers, in so many chunks where it drips.
const SIZE: Size = Size { bytes: 600, chunks: 8 };

/// The rows of the bridge.
pub(crate) fn rows(wants: impl Fn(&str) -> bool) {
    for (name, load) in [("plain", Load::small(Api::Chat)), ("stream", Load::dripped(Api::Chat))] {
        if wants(&format!("bridge-{name}")) {
            rate(name, &load);
            latency(name, &load);
        }
    }
    if wants("bridge-memory") {
        memory();
    }
}

/// Requests a second through each, in turn.
fn rate(name: &str, load: &Load) {
    let upstream = Server::bare(load.bare_form, SIZE);
    let (mut ratios, mut ours, mut theirs) = (Vec::new(), 0.0, 0.0);
    for _ in 0..ROUNDS {
        let Some(nginx) = Server::nginx(upstream.address) else {
            println!("bridge, {name}: nginx is not installed, so there is nothing to compare with");
            return;
        };
        theirs = nginx.measure(load, SECONDS).rate();
        drop(nginx);
        ours = Server::bridge(upstream.address).measure(load, SECONDS).rate();
        ratios.push(ours / theirs);
    }
    Row::new(&format!("bridge, {name}, all bytes recorded, against nginx proxy_pass"))
        .figure(format!("{ours:.0}/s"), format!("{theirs:.0}/s"))
        .ratio(median(ratios), 1.0)
        .print();
}

/// What the bridge adds to the median latency of one request at a time.
fn latency(name: &str, load: &Load) {
    let upstream = Server::bare(load.bare_form, SIZE);
    let bridge = Server::bridge(upstream.address);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let direct = millis(load::median_of(&upstream, load, LATENCIES));
    let ours = millis(load::median_of(&bridge, load, LATENCIES));
    let nginx = Server::nginx(upstream.address).map(|nginx| millis(load::median_of(&nginx, load, LATENCIES)));
    let note = nginx.map_or_else(String::new, |nginx| format!("nginx adds {:.3} ms", nginx - direct));
    Row::new(&format!("bridge, {name}, added to the median latency"))
        .figure(format!("{:.3} ms", ours - direct), format!("{direct:.3} ms without"))
        .at_most(ours - direct, ADDED)
        .note(&note)
        .print();
}

/// Peak memory of the bridge after an answer of 64 MiB.
fn memory() {
    let load = Load::small(Api::Chat);
    let upstream = Server::bare(load.bare_form, Size::whole(64 << 20));
    let bridge = Server::bridge(upstream.address);
    let before = bridge.peak_kb();
    load::once(bridge.address, &load);
    let after = bridge.peak_kb();
    Row::new("bridge, peak memory with an answer of 64 MiB")
        .figure(format!("{:.1} MB", after / 1024.0), format!("{:.1} MB before", before / 1024.0))
        .print();
}
