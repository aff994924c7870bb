//! Acts on the raw socket: what the client's side of each looks like.

use std::time::Duration;

use rehearsal_testkit::End;
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_world::http::{End as AnswerEnd, Reply, Request};

use crate::stand::{Stand, echo};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

fn write(bytes: &[u8]) -> Act {
    Act::Write(bytes.to_vec())
}

fn plan(acts: Vec<Act>, after: After) -> (Reply, bool) {
    (Reply::Acts(Plan { acts, after }), false)
}

/// One plan for each target; anything else is echoed.
fn script(request: &Request) -> (Reply, bool) {
    match &*request.head.target() {
        "/split" => plan(vec![write(HEAD), write(b"01234"), write(b"56789")], After::KeepAlive),
        "/close" => plan(vec![write(HEAD), write(b"0123456789")], After::Close),
        "/short" => plan(vec![write(HEAD), write(b"01234"), Act::HalfClose], After::Close),
        "/abort" => plan(vec![write(HEAD), write(&[b'x'; 200_000]), Act::Abort], After::Close),
        "/abort-at-once" => plan(vec![Act::Abort], After::Close),
        "/stall" => plan(vec![write(HEAD), write(b"01"), Act::Stall], After::Close),
        "/black-hole" => plan(vec![Act::Stall], After::Close),
        "/wait" => plan(
            vec![write(HEAD), Act::Wait(Duration::from_millis(150)), write(b"0123456789")],
            After::KeepAlive,
        ),
        "/endless" => {
            let mut acts = vec![write(HEAD)];
            acts.extend((0..1000).flat_map(|_| [write(b"x"), Act::Wait(Duration::from_millis(5))]));
            plan(acts, After::Close)
        }
        _ => echo(request),
    }
}

fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")
}

#[test]
fn the_connection_serves_on_after_acts_also_with_requests_sent_ahead() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send([get("/1"), get("/split"), get("/wait"), get("v1/odd"), get("/split"), get("/2")].concat());
    let bodies: Vec<_> = (0..6).map(|_| client.reply().body().to_vec()).collect();
    let digits = b"0123456789";
    let expected: [&[u8]; 6] = [b"GET /1 ", digits, digits, b"GET v1/odd ", digits, b"GET /2 "];
    assert_eq!(bodies, expected);
}

#[test]
fn a_client_that_asked_to_close_is_not_kept_by_a_plan_that_would() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send("GET /split HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let seen = client.read_to_end();
    assert_eq!((seen.body(), seen.end), (&b"0123456789"[..], End::Eof));
}

#[test]
fn each_write_arrives_as_a_piece_of_its_own_when_time_lies_between() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send(get("/wait"));
    assert_eq!(client.read_at_least(HEAD.len()), HEAD);
    assert_eq!(client.reply().body(), b"0123456789");
}

#[test]
fn a_close_ends_in_order_also_when_the_client_still_sends() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send(get("/close")).send(vec![b'x'; 3_000_000]);
    let seen = client.half_close().read_to_end();
    assert_eq!((seen.body(), seen.end), (&b"0123456789"[..], End::Eof));
}

#[test]
fn a_short_body_ends_in_order() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send(get("/short"));
    let seen = client.read_to_end();
    assert_eq!((seen.body(), seen.end), (&b"01234"[..], End::Eof));
}

#[test]
fn an_abort_resets_only_after_every_byte_has_arrived() {
    let stand = Stand::new(script);
    for _ in 0..50 {
        let mut client = stand.client();
        client.send(get("/abort"));
        let seen = client.read_to_end();
        assert_eq!((seen.bytes.len(), seen.end), (HEAD.len() + 200_000, End::Reset));
    }
}

#[test]
fn an_abort_without_a_byte_resets() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send(get("/abort-at-once"));
    let seen = client.read_to_end();
    assert_eq!((seen.bytes, seen.end), (vec![], End::Reset));
}

#[test]
fn a_stall_holds_and_is_known_at_once() {
    let stand = Stand::new(script);
    for (target, bytes) in [("/stall", HEAD.len() + 2), ("/black-hole", 0)] {
        let mut client = stand.client();
        client.send(get(target));
        let seen = client.read_for(Duration::from_millis(300));
        assert_eq!((seen.bytes.len(), seen.end), (bytes, End::Open), "{target}");
    }
    for (ticket, bytes) in [(1, HEAD.len() as u64 + 2), (2, 0)] {
        let left = stand.wait_left(ticket);
        assert_eq!((left.bytes, left.end), (bytes, AnswerEnd::Complete));
    }
}

#[test]
fn a_second_request_on_a_stalled_connection_is_never_answered() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send(get("/black-hole"));
    stand.wait_asked("/black-hole");
    client.send(get("/second"));
    let seen = client.read_for(Duration::from_millis(200));
    assert_eq!((seen.bytes, seen.end), (vec![], End::Open));
    assert_eq!(stand.told().len(), 2, "one request and what left for it");
}

#[test]
fn a_client_that_leaves_midway_is_noticed() {
    let stand = Stand::new(script);
    let mut client = stand.client();
    client.send(get("/endless"));
    client.read_at_least(HEAD.len() + 3);
    drop(client);
    let left = stand.wait_left(1);
    assert_eq!(left.end, AnswerEnd::ClientLeft);
    assert!(left.bytes > HEAD.len() as u64 && left.bytes < HEAD.len() as u64 + 1000);
}
