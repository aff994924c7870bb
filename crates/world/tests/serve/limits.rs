//! Sizes and times: what is too large or too slow is refused, and nobody holds the server up.

use std::time::Duration;

use rehearsal_testkit::End;
use rehearsal_world::http::{End as AnswerEnd, Limits, Why};

use crate::stand::{Stand, Told, brief, echo, whole};

#[test]
fn large_heads_long_targets_and_many_headers_are_refused() {
    let long = "a".repeat(20_000);
    let many: String = (0..101).map(|number| format!("h{number}: v\r\n")).collect();
    let table = [
        (format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"), Why::TargetTooLong(16 * 1024)),
        (format!("GET / HTTP/1.1\r\nHost: x\r\nlong: {long}\r\n\r\n"), Why::HeadTooLarge(16 * 1024)),
        (format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n"), Why::TooManyHeaders(100)),
    ];
    for (raw, why) in table {
        let stand = Stand::with(brief(), echo);
        let mut client = stand.client();
        client.send(raw);
        let seen = client.read_to_end();
        assert_eq!((seen.status(), seen.end), (why.status(), End::Eof), "{why:?}");
        assert_eq!(stand.refusals(), [why]);
    }
}

#[test]
fn the_largest_head_and_a_hundred_headers_pass() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    let many: String = (0..99).map(|number| format!("h{number}: v\r\n")).collect();
    let start = format!("GET / HTTP/1.1\r\nHost: x\r\n{many}");
    assert_eq!(client.send(format!("{start}\r\n")).reply().status(), 200);
    let filler = "a".repeat(64 * 1024 - 4 - "GET / HTTP/1.1\r\nHost: x\r\nlong: ".len());
    assert_eq!(
        client.send(format!("GET / HTTP/1.1\r\nHost: x\r\nlong: {filler}\r\n\r\n")).reply().status(),
        200
    );
}

#[test]
fn half_a_request_line_is_answered_408() {
    for raw in ["G", "POST / HTTP/1.1\r\nHost:"] {
        let stand = Stand::with(brief(), echo);
        let mut client = stand.client();
        client.send(raw);
        assert_eq!(client.read_to_end().status(), 408);
        assert_eq!(stand.refusals(), [Why::HeadTooSlow]);
    }
}

#[test]
fn half_a_body_is_answered_408_also_after_other_requests() {
    let stand = Stand::with(brief(), echo);
    let mut client = stand.client();
    assert_eq!(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 44\r\n\r\nhalf");
    assert_eq!(client.read_to_end().status(), 408);
    assert_eq!(stand.refusals(), [Why::BodyTooSlow { got: 4 }]);
}

#[test]
fn silent_connections_are_closed_silently() {
    let stand = Stand::with(brief(), echo);
    let mut fresh = stand.client();
    let mut idle = stand.client();
    assert_eq!(idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    assert_eq!((fresh.read_to_end().bytes, idle.read_to_end().bytes), (vec![], vec![]));
    assert_eq!(stand.refusals(), []);
}

#[test]
fn the_app_may_think_longer_than_any_deadline() {
    let stand = Stand::with(brief(), echo);
    let mut client = stand.client();
    client.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
    let early = client.read_for(Duration::from_millis(700));
    assert_eq!((early.bytes, early.end), (vec![], End::Open));
    stand.open_gate();
    assert_eq!(client.reply().body(), b"GET /gate ");
}

#[test]
fn a_client_that_first_sends_fifty_megabytes_still_reads_its_413() {
    let stand = Stand::new(echo);
    let part = vec![b'x'; 1024 * 1024];
    for promise in ["Content-Length: 52428800", "Transfer-Encoding: chunked"] {
        let mut client = stand.client();
        client.send(format!("POST / HTTP/1.1\r\nHost: x\r\n{promise}\r\n\r\n"));
        let chunked = promise.ends_with("chunked");
        for _ in 0..50 {
            if chunked {
                client.send("100000\r\n");
            }
            client.send(&part);
            if chunked {
                client.send("\r\n");
            }
        }
        let seen = client.half_close().read_to_end();
        assert_eq!((seen.status(), seen.end), (413, End::Eof), "{promise}");
    }
    assert_eq!(stand.refusals(), [Why::BodyTooLarge(32 * 1024 * 1024); 2]);
}

#[test]
fn a_body_of_the_largest_size_passes_in_chunks_of_any_size() {
    let limits = Limits { body: 60_000, ..Limits::default() };
    let stand = Stand::with(limits, |request| (whole(200, request.body.len().to_string()), false));
    for size in [1, 10, 1000, 60_000] {
        let mut client = stand.client();
        let chunk = format!("{size:x}\r\n{}\r\n", "x".repeat(size));
        let all = chunk.repeat(60_000 / size);
        client
            .send(format!("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{all}0\r\n\r\n"));
        assert_eq!(client.reply().body(), b"60000", "in chunks of {size}");
        client
            .send(format!("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{all}1\r\nx\r\n"));
        assert_eq!(client.read_to_end().status(), 413, "in chunks of {size}: {:?}", stand.refusals());
    }
}

#[test]
fn a_client_that_takes_nothing_is_given_up() {
    let stand = Stand::with(brief(), |_| (whole(200, vec![b'x'; 64 * 1024 * 1024]), false));
    let mut client = stand.client();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let left = stand.wait_left(1);
    assert_eq!(left.end, AnswerEnd::TimedOut);
    assert!(left.bytes > 0 && left.bytes < 64 * 1024 * 1024);
}

#[test]
fn connections_beyond_the_bound_wait_their_turn() {
    let stand = Stand::with(Limits { connections: 2, ..Limits::default() }, echo);
    let request = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut first = stand.client();
    let mut second = stand.client();
    assert_eq!(first.send(request).reply().status(), 200);
    assert_eq!(second.send(request).reply().status(), 200);
    let mut third = stand.client();
    third.send(request);
    assert_eq!(third.read_for(Duration::from_millis(200)).bytes, b"");
    drop(first);
    assert_eq!(third.reply().body(), b"GET /x ");
}

#[test]
fn a_body_of_one_mebibyte_passes_and_one_byte_more_is_never_taken_for_requests() {
    let stand = Stand::with(brief(), |request| (whole(200, request.body.len().to_string()), false));
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    for chunked in [false, true] {
        for (size, status, end) in [(1 << 20, 200, End::Open), ((1 << 20) + 1, 413, End::Eof)] {
            let body = format!("{}{hidden}", "x".repeat(size - hidden.len()));
            let mut client = stand.client();
            if chunked {
                client.send(format!(
                    "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{size:x}\r\n{body}\r\n0\r\n\r\n"
                ));
            } else {
                client
                    .send(format!("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n{body}"));
            }
            let seen = if end == End::Open { client.reply() } else { client.read_to_end() };
            assert_eq!((seen.status(), seen.end), (status, end), "{size}, chunked: {chunked}");
        }
    }
    assert!(
        !stand.told().iter().any(|told| matches!(told, Told::Asked { target, .. } if target == "/hidden"))
    );
}

#[test]
fn bodies_of_requests_that_need_none_are_read_and_are_no_requests() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    let length = hidden.len();
    for method in ["GET", "OPTIONS", "DELETE"] {
        for framed in [
            format!("Content-Length: {length}\r\n\r\n{hidden}"),
            format!("Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n{hidden}\r\n0\r\n\r\n"),
        ] {
            client.send(format!("{method} /body HTTP/1.1\r\nHost: x\r\n{framed}"));
            assert_eq!(client.reply().body(), format!("{method} /body {hidden}").as_bytes());
        }
    }
}
