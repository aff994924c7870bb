//! What is on the disk: every byte that was served, whoever left early, one line for each request, and no more memory than that takes.

use crate::once::all_files;
use crate::stand::{CHAT, Got, Running, Stand, body, case, facts, marker};
use crate::upstream::{Gate, Step, chunks, event, events, head, open_chunks, whole};
use rehearsal_journal::bridge::Fact;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const SSE: &str = "text/event-stream";

#[test]
fn what_was_served_before_a_kill_is_on_the_disk() {
    let stand = Stand::cases("kept", 1);
    let running = stand.start();
    let gate = Gate::default();
    let waits = gate.clone();
    stand.upstream.plays(move |_| {
        vec![
            Step::Say(head(SSE, "Transfer-Encoding: chunked")),
            Step::Say(open_chunks(&event("Hello"))),
            Step::Wait(waits.clone()),
        ]
    });
    assert_eq!(running.arm(&case(0)).status, 200);
    let mut client = running.client();
    client.send(running.bytes("POST", CHAT, &[], &body(0, true).to_string()));
    while !String::from_utf8_lossy(client.read_at_least(1)).contains("}]}\n\n") {
        let more = client.read_at_least(1).len() + 1;
        client.read_at_least(more);
    }
    running.kill();
    let got = Got::of(&client.read_to_end());
    gate.open();
    let read = |ending: &str| {
        std::fs::read(stand.data.join(format!("private/exchanges/0002-case-0.{ending}"))).unwrap()
    };
    assert_eq!(read("served"), got.body);
    assert_eq!(read("response"), event("Hello"));
    assert!(!got.is_whole);
}

#[test]
fn an_answer_is_recorded_whole_though_its_client_left() {
    let stand = Stand::cases("left", 3);
    let running = stand.start();
    for (at, streamed) in [(0, true), (1, false), (2, true)] {
        let gate = Gate::default();
        let waits = gate.clone();
        stand.upstream.plays(move |asked| {
            let rest = event(&"word".repeat(20_000));
            if asked.wants_stream() {
                return vec![
                    Step::Say(head(SSE, "Transfer-Encoding: chunked")),
                    Step::Say(open_chunks(&event("Hello"))),
                    Step::Wait(waits.clone()),
                    Step::Say([open_chunks(&rest), open_chunks(&rest), chunks(&events())].concat()),
                ];
            }
            vec![Step::Wait(waits.clone()), Step::Say(whole("application/json", &rest))]
        });
        let count = stand.upstream.count();
        assert_eq!(running.arm(&case(at)).status, 200);
        let mut client = running.client();
        client.send(running.bytes("POST", CHAT, &[], &body(at, streamed).to_string()));
        stand.upstream.wait_for(count + 1);
        if at == 2 {
            client.read_at_least(100);
        }
        drop(client);
        gate.open();
        let done = stand.forwarded(&case(at));
        assert_eq!(done.complete, Some(true), "{done:?}");
        // A small answer is all in the kernel before anybody can know.
        assert!(done.client_left || !streamed, "{done:?}");
        let rest = event(&"word".repeat(20_000));
        let came = if streamed { [event("Hello"), rest.clone(), rest, events()].concat() } else { rest };
        assert!(stand.file(&done, "response").unwrap() == came, "{done:?}");
        // The record says what left, not what could have.
        let served = stand.file(&done, "served").unwrap();
        assert_eq!(served.len() as u64, done.served.bytes);
        running.is_spent(&stand, at, 1);
    }
    stand.verify();
}

/// A kill may come between the last file of a list of models and the line of its end: then it is marked, and nothing is said to be changed.
#[test]
fn files_whose_end_was_never_written_are_marked_once() {
    let stand = Stand::cases("unended", 1);
    let running = stand.start();
    assert_eq!(running.get("/v1/models").status, 200);
    stand.end(|done| done.forwarded);
    running.kill();
    let journal = stand.data.join("private/journal-0001.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("\"done\"")).collect();
    std::fs::write(&journal, lines.join("\n") + "\n").unwrap();
    for _ in 0..2 {
        stand.start().kill();
        stand.verify();
        let marks = stand.facts().iter().filter(|fact| matches!(fact, Fact::Interrupted { .. })).count();
        assert_eq!(marks, 1);
    }
}

/// Each number has one end, also those of requests whose clients left at any moment.
#[test]
fn every_request_has_one_end_whenever_its_client_leaves() {
    let stand = Stand::cases("one-end", 60);
    let running = stand.start();
    for at in 0..60 {
        assert_eq!(running.arm(&case(at)).status, 200);
        let mut client = running.client();
        let bytes = running.bytes("POST", CHAT, &[], &body(at, at % 2 == 0).to_string());
        client.send(&bytes);
        // Left unread, its answer makes the close a reset.
        match at % 4 {
            0 => drop(client.half_close()),
            1 => drop(client.read_for(Duration::from_micros(u64::try_from(at).unwrap() * 50))),
            _ => {}
        }
        drop(client);
        let mut idle = running.client();
        idle.send("GET /v1/mod");
    }
    let sequences = |stand: &Stand| {
        let mut count: BTreeMap<u64, usize> = BTreeMap::new();
        for done in stand.ends() {
            *count.entry(done.sequence).or_default() += 1;
        }
        count
    };
    for at in 0..60 {
        let done = stand.end(|done| done.case == Some(case(at)) && done.attempt);
        assert!(done.forwarded, "{done:?}");
        assert_eq!(stand.upstream.asked(&marker(at)).len(), 1);
    }
    assert_eq!(running.terminate(), Some(0));
    let count = sequences(&stand);
    let last = *count.keys().last().unwrap();
    assert!((1..=last).all(|sequence| count.get(&sequence) == Some(&1)), "{count:?}");
    assert_eq!(stand.public().len(), count.len());
    let open = stand.facts().iter().filter(|fact| matches!(fact, Fact::Interrupted { .. })).count();
    assert_eq!(open, 0);
}

#[test]
fn nothing_unfinished_is_left_behind() {
    let stand = Stand::cases("tidy", 4);
    let running = stand.start();
    for at in 0..4 {
        running.send(at, at % 2 == 0);
        running.post(&json!({}));
    }
    assert_eq!(running.terminate(), Some(0));
    let names: Vec<String> =
        all_files(&stand.data).into_keys().map(|path| path.to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|name| name.contains(".part") || name.contains(".tmp")), "{names:?}");
    // The public state is that of the end.
    let state: serde_json::Value =
        serde_json::from_slice(&std::fs::read(stand.data.join("public/state.json")).unwrap()).unwrap();
    assert_eq!(state["counters"]["generationBackendForwards"], 4);
    assert_eq!(state["counters"]["generationDenied"], 4);
    let from_facts = facts(&stand.data).into_iter().filter(|fact| matches!(fact, Fact::Done(_))).count();
    assert_eq!(state["counters"]["requests"], from_facts);
    stand.verify();
}

/// The most memory that it ever had, in KiB.
fn peak(running: &Running) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Reads an answer without keeping it.
fn swallow(running: &Running, request: &str) -> usize {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(running.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut buffer = vec![0; 1 << 20];
    let mut total = 0;
    loop {
        match stream.read(&mut buffer).unwrap() {
            0 => return total,
            count => total += count,
        }
    }
}

/// An answer of 24 MiB, as one JSON text and as one line of a stream, by its real name and by another.
#[test]
fn a_large_answer_is_not_held_in_memory() {
    const MIB: usize = 24;
    for (named, budget) in [(false, true), (false, false), (true, true)] {
        for streamed in [false, true] {
            let stand = if !budget {
                Stand::open(&format!("large-free-{streamed}"), &[])
            } else if named {
                Stand::cases(&format!("large-{streamed}"), 1)
            } else {
                Stand::open(&format!("large-open-{streamed}"), &["--budget-requests", "1"])
            };
            stand.upstream.plays(move |_| {
                let front = if streamed { "data: " } else { "" };
                let front = format!(
                    "{front}{{\"model\":\"{}\",\"choices\":[{{\"message\":{{\"content\":\"",
                    crate::upstream::MODEL
                );
                let back = if streamed { "\"}}]}\n\n" } else { "\"}}]}" };
                let length = front.len() + (MIB << 20) + back.len();
                let kind = if streamed { SSE } else { "application/json" };
                let mut steps = vec![
                    Step::Say(head(kind, &format!("Content-Length: {length}"))),
                    Step::Say(front.into_bytes()),
                ];
                steps.extend((0..MIB).map(|_| Step::Say(vec![b'x'; 1 << 20])));
                steps.push(Step::Say(back.as_bytes().to_vec()));
                steps
            });
            let running = stand.start();
            if named {
                assert_eq!(running.arm(&case(0)).status, 200);
            }
            let began = Instant::now();
            let request = running.bytes("POST", CHAT, &[], &body(0, streamed).to_string());
            assert!(swallow(&running, &request) > MIB << 20);
            let done = stand.end(|done| done.forwarded);
            assert_eq!(done.complete, Some(true), "{done:?}");
            let peak = peak(&running);
            eprintln!(
                "{MIB} MiB, alias {named}, budget {budget}, streamed {streamed}: {} MiB at most, {:?}",
                peak >> 10,
                began.elapsed()
            );
            assert!(peak < 40 << 10, "{peak} KiB for {MIB} MiB, alias {named}, streamed {streamed}");
        }
    }
}
