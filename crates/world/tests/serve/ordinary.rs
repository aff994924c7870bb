//! Well-formed requests of every kind, and their answers through hyper.

use rehearsal_wire::head::ResponseHead;
use rehearsal_world::http::{Reply, Request};

use crate::stand::{Stand, Told, echo, whole};

fn body_of(seen: &rehearsal_testkit::Seen) -> String {
    String::from_utf8_lossy(seen.body()).into_owned()
}

#[test]
fn every_well_formed_request_reaches_the_app_as_it_came() {
    let stand = Stand::new(echo);
    // Raw request, then what the app says back: method, target, body.
    let table: &[(&str, &str)] = &[
        ("GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", "GET /v1/models "),
        ("POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", "POST /a?b=c body"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "POST / "),
        ("POST / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / "),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2;ext=1\r\ndy\r\n0\r\nT: x\r\n\r\n",
            "POST / body",
        ),
        ("POST //v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n.", "POST //v1/chat ."),
        ("POST http://h:1/v1?q HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n.", "POST http://h:1/v1?q ."),
        ("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * "),
        ("DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /x "),
        ("TRACE /x HTTP/1.1\r\nHost: x\r\n\r\n", "TRACE /x "),
        ("FOO /x HTTP/1.1\r\nHost: x\r\n\r\n", "FOO /x "),
        ("GET /gate/health HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nGET ", "GET /gate/health GET "),
        ("GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", "GET /up "),
        ("\r\n\r\nGET /blank HTTP/1.1\r\nHost: x\r\n\r\n", "GET /blank "),
        ("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", "POST /e ab"),
    ];
    let mut client = stand.client();
    for (raw, expected) in table {
        let seen = client.send(raw).reply();
        assert_eq!((seen.status(), body_of(&seen).as_str()), (200, *expected), "{raw:?}");
    }
    assert_eq!(stand.refusals(), []);
}

#[test]
fn answers_come_back_in_order_when_requests_are_pipelined_in_any_pieces() {
    let stand = Stand::new(echo);
    let mut stream = Vec::new();
    for number in 0..40 {
        stream.extend_from_slice(
            format!("POST /{number} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").as_bytes(),
        );
    }
    for size in [1, 7, 100, stream.len()] {
        let mut client = stand.client();
        client.send_pieces(stream.chunks(size));
        for number in 0..40 {
            assert_eq!(body_of(&client.reply()), format!("POST /{number} abc"), "in pieces of {size}");
        }
    }
}

#[test]
fn targets_that_no_http_library_reads_reach_the_app() {
    let stand = Stand::new(|request| {
        (whole(404, format!("no route {} {}", request.head.target(), request.body.len())), false)
    });
    let mut client = stand.client();
    let all: String =
        ["v1/chat/completions", "/a/^[]{}|\\", "caf\u{e9}", "/caf\u{e9}", "?", "/a#b", "http://", "/<>\"`"]
            .iter()
            .flat_map(|target| {
                // Twice each, so that one request cannot be taken for the next.
                std::iter::repeat_n(
                    format!("POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"),
                    2,
                )
            })
            .collect();
    client.send(all);
    for target in
        ["v1/chat/completions", "/a/^[]{}|\\", "caf\u{e9}", "/caf\u{e9}", "?", "/a#b", "http://", "/<>\"`"]
    {
        for _ in 0..2 {
            let seen = client.reply();
            assert_eq!((seen.status(), body_of(&seen)), (404, format!("no route {target} 2")));
        }
    }
    assert_eq!(stand.refusals(), []);
}

#[test]
fn targets_that_are_no_utf8_reach_the_app() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    for target in [&b"/caf\xe9"[..], b"/\xff?x", b"\xc3", b"http://\x80/"] {
        for _ in 0..2 {
            client.send([b"POST ", target, b" HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"].concat());
            let seen = client.reply();
            let said = format!("POST {} ab", String::from_utf8_lossy(target));
            assert_eq!((seen.status(), body_of(&seen)), (200, said));
        }
    }
    assert_eq!(stand.refusals(), []);
}

#[test]
fn a_chunked_body_under_an_unreadable_target_is_read_too() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("POST v1 x HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(client.read_to_end().status(), 400, "two spaces are no target");
    let mut client = stand.client();
    client.send("POST v1/y HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    client.send("0\r\n\r\n");
    assert_eq!(body_of(&client.reply()), "POST v1/y abc");
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it_once_and_then_the_answer() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    let interim = client.reply();
    assert_eq!(interim.text(), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("body");
    let seen = client.reply();
    assert_eq!(body_of(&seen), "POST / body");
    assert_eq!(stand.wait_left(1).bytes, seen.bytes.len() as u64, "the interim response is not the answer");
}

#[test]
fn head_gets_the_head_only() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let seen = client.read_to_end();
    assert!(seen.text().contains("content-length: 8\r\n"), "{}", seen.text());
    assert_eq!(seen.body(), b"");
    assert_eq!(stand.wait_left(1).bytes, seen.bytes.len() as u64);
}

#[test]
fn http_1_0_closes_unless_asked_to_stay() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(body_of(&client.reply()), "GET /a ");
    client.send("GET /b HTTP/1.0\r\n\r\n");
    assert_eq!(body_of(&client.read_to_end()), "GET /b ");
}

fn frames(_: &Request) -> (Reply, bool) {
    let frames = (0..8).map(|number| format!("data: {number}\n\n").into_bytes()).collect();
    let head = ResponseHead::new(200).with("Content-Type", "text/event-stream");
    (Reply::Chunks { head, frames }, false)
}

#[test]
fn each_frame_becomes_a_chunk_and_the_connection_lives_on() {
    let stand = Stand::new(frames);
    let mut client = stand.client();
    for ticket in 1..=2 {
        let seen = client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").reply();
        let expected: String = (0..8).map(|number| format!("9\r\ndata: {number}\n\n\r\n")).collect();
        assert_eq!(body_of(&seen), format!("{expected}0\r\n\r\n"));
        assert!(seen.text().contains("transfer-encoding: chunked"));
        assert_eq!(stand.wait_left(ticket).bytes, seen.bytes.len() as u64);
    }
}

#[test]
fn http_1_0_gets_the_frames_without_chunks() {
    let stand = Stand::new(frames);
    let mut client = stand.client();
    client.send("GET / HTTP/1.0\r\n\r\n");
    let seen = client.read_to_end();
    assert!(body_of(&seen).starts_with("data: 0\n\ndata: 1\n\n"));
    assert_eq!(stand.wait_left(1).bytes, seen.bytes.len() as u64);
}

#[test]
fn no_header_is_added_that_nobody_named() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    let seen = client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").reply();
    assert_eq!(seen.text(), "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n\r\nGET / ");
}

#[test]
fn a_header_that_hyper_cannot_send_leaves_all_the_same() {
    let stand = Stand::new(|_| {
        let head = ResponseHead::new(200).with("x-name", "caf\u{e9}").with("bad name", "v");
        (Reply::Whole { head, body: b"ok".to_vec() }, false)
    });
    let mut client = stand.client();
    for _ in 0..2 {
        let seen = client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").reply();
        assert!(seen.text().contains("x-name: caf\u{e9}\r\nbad name: v\r\n"), "{}", seen.text());
        assert_eq!(seen.body(), b"ok");
    }
}

#[test]
fn four_hundred_clients_at_once_are_all_answered() {
    let stand = Stand::new(echo);
    let mut clients: Vec<_> = (0..400).map(|_| stand.client()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.send(format!("GET /{number} HTTP/1.1\r\nHost: x\r\n\r\n"));
    }
    for (number, client) in clients.iter_mut().enumerate() {
        assert_eq!(body_of(&client.reply()), format!("GET /{number} "));
    }
}

#[test]
fn connections_are_numbered_and_a_panic_ends_only_its_own() {
    let stand = Stand::new(echo);
    let mut lives = stand.client();
    assert_eq!(lives.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    let mut dies = stand.client();
    dies.send("GET /panic HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(dies.read_to_end().bytes, b"");
    assert_eq!(lives.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    let conns: Vec<_> = stand
        .told()
        .into_iter()
        .filter_map(|told| match told {
            Told::Asked { conn, target, .. } => Some((conn, target)),
            Told::Refused { .. } | Told::Left(..) => None,
        })
        .collect();
    assert_eq!(conns, [(1, "/1".to_owned()), (2, "/panic".to_owned()), (1, "/2".to_owned())]);
}

#[test]
fn a_status_without_a_body_says_no_length() {
    let stand = Stand::new(|_| (whole(204, ""), false));
    let mut client = stand.client();
    for plain in ["GET / HTTP/1.1", "GET / HTTP/1.1\r\nTE: trailers"] {
        client.send(format!("{plain}\r\nHost: x\r\n\r\n"));
        let text = client.reply().text();
        assert!(text.starts_with("HTTP/1.1 204 ") && text.ends_with("\r\n\r\n"), "{text}");
        assert!(!text.contains("content-length"), "{text}");
    }
}
