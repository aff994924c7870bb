//! What the app is told about its answers is what the client saw.

use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::http::{End, Reply, Request};
use sha2::{Digest, Sha256};

use crate::stand::{Stand, Told, whole};

fn script(request: &Request) -> (Reply, bool) {
    match &*request.head.target() {
        "/small" => (whole(200, "small"), false),
        "/large" => (whole(200, vec![b'x'; 3_000_000]), false),
        "/none" => (whole(204, ""), false),
        "/chunks" | "/many-chunks" => {
            let count = if request.head.target() == "/chunks" { 3 } else { 5000 };
            let frames = (0..count).map(|number| "y".repeat(number % 40).into_bytes()).collect();
            (Reply::Chunks { head: ResponseHead::new(200), frames }, false)
        }
        "/no-chunks" => {
            (Reply::Chunks { head: ResponseHead::new(200), frames: [""].iter().collect() }, false)
        }
        "/acts" => {
            let acts = ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "ab", "cd"];
            let acts = acts.iter().map(|part| Act::Write(part.as_bytes().to_vec())).collect();
            (Reply::Acts(Plan { acts, after: After::KeepAlive }), false)
        }
        _ => (whole(404, "no"), true),
    }
}

const TARGETS: [&str; 9] =
    ["/small", "/chunks", "/acts", "/large", "/none", "/many-chunks", "/no-chunks", "/small", "/nowhere"];

#[test]
fn counts_and_digests_equal_the_bytes_that_the_client_saw() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    for (ticket, target) in (1..).zip(TARGETS) {
        let seen = client.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")).reply();
        let left = stand.wait_left(ticket);
        assert_eq!((left.bytes, left.end), (seen.bytes.len() as u64, End::Complete), "{target}");
        assert_eq!(left.sha256, <[u8; 32]>::from(Sha256::digest(&seen.bytes)), "{target}");
    }
}

#[test]
fn pipelined_answers_are_told_apart() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    let all: String =
        TARGETS.iter().map(|target| format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")).collect();
    client.send(all);
    for (ticket, target) in (1..).zip(TARGETS) {
        let seen = client.reply();
        let left = stand.wait_left(ticket);
        assert_eq!(left.sha256, <[u8; 32]>::from(Sha256::digest(&seen.bytes)), "{target}");
    }
}

#[test]
fn every_answer_is_told_exactly_once_also_when_clients_leave() {
    let stand = Stand::new(script);
    for target in TARGETS {
        let mut client = stand.client();
        client.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(2));
        stand.wait_asked(target);
    }
    let mut client = stand.client();
    assert_eq!(client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    // Every request that was asked is told to have left, however it ended.
    let asked = |told: &[Told]| told.iter().filter(|told| matches!(told, Told::Asked { .. })).count();
    let tickets = |told: &[Told]| {
        let mut tickets: Vec<_> = told
            .iter()
            .filter_map(|told| if let Told::Left(ticket, _) = told { Some(*ticket) } else { None })
            .collect();
        tickets.sort_unstable();
        tickets
    };
    for ticket in 1..=asked(&stand.told()) as u64 {
        stand.wait_left(ticket);
    }
    let told = tickets(&stand.told());
    let mut once = told.clone();
    once.dedup();
    assert_eq!(told, once);
}

#[test]
fn a_client_that_leaves_within_a_large_answer_is_told() {
    let stand = Stand::new(|_| (whole(200, vec![b'x'; 64 * 1024 * 1024]), false));
    let mut client = stand.client();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_at_least(1000);
    drop(client);
    let left = stand.wait_left(1);
    assert_eq!(left.end, End::ClientLeft);
    assert!(left.bytes >= 1000 && left.bytes < 64 * 1024 * 1024);
}

#[test]
fn an_answer_is_told_before_the_next_request_comes() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(stand.wait_left(1).end, End::Complete);
}
