//! A record in which everything is forwarded: `kill -9` at random moments, and a disk that fills up. What it says afterwards is true.
//!
//! REHEARSAL_TEST_SEED repeats the moments of a run that failed.

use crate::disk::{Disk, fill, make_room};
use crate::stand::{Got, Running, Stand, body};
use crate::upstream::{Asked, Gate, Step, chunks, event, head, open_chunks};
use rehearsal_testkit::Seen;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::process::Command;
use std::time::Duration;

/// How often the program is killed.
const KILLS: u64 = 40;
/// Clients at once.
const CLIENTS: usize = 4;

/// Short answers, and ones that get a file of their own while they come.
fn answer(asked: &Asked) -> Vec<Step> {
    let pieces = if asked.wants_stream() { 90 } else { 3 };
    let mut steps = vec![Step::Say(head("text/event-stream", "Transfer-Encoding: chunked"))];
    for number in 0..pieces {
        steps.push(Step::Say(open_chunks(&event(&format!("{number} {}", "x".repeat(4000))))));
    }
    steps.push(Step::Say(chunks(b"data: [DONE]\n\n")));
    steps
}

fn lane(round: u64, client: usize) -> String {
    format!("r{round}c{client}")
}

fn request(running: &Running, lane: &str, streamed: bool) -> Vec<u8> {
    running
        .bytes("POST", &format!("/t/{lane}/v1/chat/completions"), &[], &body(0, streamed).to_string())
        .into()
}

/// The bytes that the record has of a lane's answer.
fn kept(stand: &Stand, lane: &str) -> Vec<u8> {
    let files = std::fs::read_dir(stand.seen().join("private/exchanges")).unwrap();
    let ending = format!("-{lane}.response");
    let mut paths =
        files.map(|entry| entry.unwrap().path()).filter(|path| path.to_string_lossy().ends_with(&ending));
    paths.next().map(|path| std::fs::read(path).unwrap()).unwrap_or_default()
}

/// What `verify` says where it is not content.
fn complaint(stand: &Stand) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_rehearsal");
    let said = Command::new(program).arg("verify").arg(stand.seen()).output().unwrap();
    let text =
        || format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    (!said.status.success()).then(text)
}

/// The body of an answer that may be cut anywhere.
fn got(seen: &Seen) -> Vec<u8> {
    let has_head = seen.bytes.windows(4).any(|four| four == b"\r\n\r\n");
    if has_head { Got::of(seen).body } else { Vec::new() }
}

#[test]
fn killed_at_any_moment_an_open_record_has_what_was_served_and_is_found_unchanged() {
    let seed = std::env::var("REHEARSAL_TEST_SEED").ok().and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish() | 1);
    eprintln!("REHEARSAL_TEST_SEED={seed}");
    let mut dice = seed;
    let stand = Stand::open("killed-open", &[]);
    stand.upstream.plays(answer);
    let mut running = stand.start();
    for round in 0..KILLS {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let request = request(&running, &lane(round, client), client % 2 == 0);
                let mut client = running.client();
                std::thread::spawn(move || {
                    drop(client.try_send(&request));
                    client.read_to_end()
                })
            })
            .collect();
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::park_timeout(Duration::from_micros((dice >> 33) % 60_000));
        running.kill();
        running = stand.start();
        for (client, seen) in clients.into_iter().enumerate() {
            let (got, lane) = (got(&seen.join().unwrap()), lane(round, client));
            assert!(kept(&stand, &lane).starts_with(&got), "{lane} of REHEARSAL_TEST_SEED={seed}");
        }
    }
    running.kill();
    drop(stand.start());
    assert_eq!(complaint(&stand), None, "REHEARSAL_TEST_SEED={seed}");
}

#[test]
fn a_full_disk_costs_an_open_record_no_end_that_it_has_promised() {
    let mut stand = Stand::open("full-open", &[]);
    let Some(_disk) = Disk::mount(&mut stand, 2048) else { return };
    let running = stand.start();
    let gate = Gate::default();
    let waits = gate.clone();
    stand.upstream.plays(move |asked| {
        let mut steps = answer(asked);
        steps.insert(2, Step::Wait(waits.clone()));
        steps
    });
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let mut raw = running.client();
            raw.send(request(&running, &lane(0, client), false));
            raw
        })
        .collect();
    stand.upstream.wait_for(CLIENTS);
    fill(&stand);
    gate.open();
    let seen: Vec<Seen> = clients.into_iter().map(|mut client| client.read_to_end()).collect();
    make_room(&stand);
    let mut after = running.client();
    after.send(request(&running, "after", false));
    assert_eq!(Got::of(&after.read_to_end()).status, 200);
    running.kill();
    drop(stand.start());
    for (client, seen) in seen.iter().enumerate() {
        assert!(kept(&stand, &lane(0, client)).starts_with(&got(seen)), "{client}");
    }
    assert_eq!(complaint(&stand), None);
}
