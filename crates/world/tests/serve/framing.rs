//! Requests that the HTTP layer refuses: each gets a whole answer and is told to the app with its reason.

use rehearsal_testkit::End;
use rehearsal_wire::follow::HeadFault::{
    Encoding, HostDoubled, HostMissing, LengthAndEncoding, LengthNotDigits, LengthTooLarge, LengthsDiffer,
    NoColon, RequestLine, SpaceBeforeColon, UnsupportedVersion, Version,
};
use rehearsal_world::http::Why;

use crate::stand::{Stand, Told, brief, echo};

/// A request, whether the client half-closes after it, and why it is refused.
type Row = (&'static str, bool, Why);

const ROWS: &[Row] = &[
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1.5\r\n\r\n", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x10\r\n\r\n", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 44, 44\r\n\r\n", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nbody", false, Why::Head(LengthNotDigits)),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4_4\r\n\r\nbody", false, Why::Head(LengthNotDigits)),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\nbody",
        false,
        Why::Head(LengthsDiffer),
    ),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
        false,
        Why::Head(LengthsDiffer),
    ),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        false,
        Why::Head(LengthAndEncoding),
    ),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", false, Why::Head(Encoding)),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false, Why::Head(Encoding)),
    ("GET / HTTP/1.1\r\n\r\n", false, Why::Head(HostMissing)),
    ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", false, Why::Head(HostDoubled)),
    ("GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", false, Why::Head(NoColon)),
    ("GET / HTTP/1.1\r\nHost: x\r\nname : v\r\n\r\n", false, Why::Head(SpaceBeforeColon)),
    ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", false, Why::Head(UnsupportedVersion)),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false, Why::Head(UnsupportedVersion)),
    ("GET / HTTP/1.7\r\nHost: x\r\n\r\n", false, Why::Head(UnsupportedVersion)),
    ("GET / JUNK/1.1\r\nHost: x\r\n\r\n", false, Why::Head(Version)),
    ("GET /\r\n\r\n", false, Why::Head(RequestLine)),
    ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", false, Why::Head(RequestLine)),
    ("G@T / HTTP/1.1\r\nHost: x\r\n\r\n", false, Why::Head(RequestLine)),
    ("GET /\u{1} HTTP/1.1\r\nHost: x\r\n\r\n", false, Why::Head(RequestLine)),
    ("GET / HTTP/1.1\r\nHost: x\r\nno colon\r\nunfinished", false, Why::Head(NoColon)),
    ("\u{1}\u{2}\u{3}\u{4}", false, Why::Malformed),
    ("\u{16}\u{3}\u{1}\u{0}", false, Why::Tls),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nbody", true, Why::BodyCut { got: 4 }),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\nbody", true, Why::BodyCut { got: 4 }),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n",
        true,
        Why::BodyCut { got: 4 },
    ),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nzz\r\n",
        false,
        Why::BadChunk { got: 4 },
    ),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-", true, Why::HeadCut),
    ("POST", true, Why::HeadCut),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n",
        false,
        Why::BodyTooLarge(1024 * 1024),
    ),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\nx",
        false,
        Why::BodyTooLarge(1024 * 1024),
    ),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        false,
        Why::Head(LengthTooLarge),
    ),
    (
        "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1048577\r\n\r\n",
        false,
        Why::BodyTooLarge(1024 * 1024),
    ),
];

#[test]
fn each_broken_request_gets_a_whole_answer_and_is_told_with_its_reason() {
    for (raw, half_close, why) in ROWS {
        let stand = Stand::with(brief(), echo);
        let mut client = stand.client();
        client.send(raw);
        if *half_close {
            client.half_close();
        }
        let seen = client.read_to_end();
        assert_eq!(seen.status(), why.status(), "{raw:?}: {}", seen.text());
        assert_eq!(seen.body(), why.to_string().as_bytes(), "{raw:?}");
        assert_eq!(seen.end, End::Eof, "{raw:?}");
        assert_eq!(stand.refusals(), [*why], "{raw:?}");
        assert_eq!(stand.wait_left(1).bytes, seen.bytes.len() as u64, "{raw:?}");
        assert!(!stand.told().iter().any(|told| matches!(told, Told::Asked { .. })), "{raw:?}");
    }
}

#[test]
fn what_breaks_after_good_requests_does_not_touch_their_answers() {
    for (raw, half_close, why) in ROWS {
        let stand = Stand::with(brief(), echo);
        let mut client = stand.client();
        client.send(["GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n", raw].concat());
        if *half_close {
            client.half_close();
        }
        assert_eq!(client.reply().body(), b"GET /1 ");
        assert_eq!(client.reply().body(), b"GET /2 ");
        let seen = client.read_to_end();
        assert_eq!(seen.status(), why.status(), "{raw:?}: {}", seen.text());
        assert_eq!(stand.refusals(), [*why], "{raw:?}");
    }
}

#[test]
fn a_refusal_holds_what_had_come() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("POST /cut HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nbo").send("dy").half_close();
    assert_eq!(client.read_to_end().status(), 400);
    let mut client = stand.client();
    client.send("POST /half HTTP/1.1\r\nHos").half_close();
    assert_eq!(client.read_to_end().status(), 400);
    let refused: Vec<_> = stand
        .told()
        .into_iter()
        .filter_map(|told| match told {
            Told::Refused { target, partial, body, .. } => Some((target, partial, body)),
            Told::Asked { .. } | Told::Left(..) => None,
        })
        .collect();
    assert_eq!(refused[0], (Some("/cut".to_owned()), vec![], b"body".to_vec()));
    assert_eq!(refused[1], (None, b"POST /half HTTP/1.1\r\nHos".to_vec(), vec![]));
}

#[test]
fn a_body_without_a_length_is_not_taken_for_a_request() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("POST / HTTP/1.1\r\nHost: x\r\n\r\n{\"model\": \"m\"}\r\n\r\n");
    assert_eq!(client.reply().body(), b"POST / ");
    assert_eq!(client.read_to_end().status(), 400);
}

#[test]
fn a_refused_head_request_gets_no_body() {
    let stand = Stand::new(echo);
    let mut client = stand.client();
    client.send("HEAD / HTTP/1.1\r\n\r\n");
    let seen = client.read_to_end();
    assert_eq!((seen.status(), seen.body()), (400, &b""[..]));
}
