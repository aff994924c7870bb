//! The follower of raw connections: heads exactly as sent, in any chunking, and what RFC 9112 forbids in them.

use proptest::prelude::*;
use rehearsal_wire::follow::{Follower, HeadFault};

const MAX: usize = 4096;

fn follow(bytes: &[u8]) -> Follower {
    let mut follower = Follower::new(MAX);
    follower.feed(bytes);
    follower
}

/// All that a follower can tell: the heads, the unfinished one, whether it is lost.
fn told(follower: &mut Follower) -> (Vec<Vec<u8>>, Vec<u8>, bool) {
    let heads = std::iter::from_fn(|| follower.next_head()).map(|head| head.raw().to_vec()).collect();
    (heads, follower.partial().to_vec(), follower.lost())
}

fn fault(head: &str) -> Option<HeadFault> {
    let mut follower = follow(head.as_bytes());
    follower.next_head().unwrap_or_else(|| panic!("no head in {head:?}")).fault()
}

#[test]
fn keeps_each_head_exactly_as_it_came() {
    let heads = [
        "POST /a?b=c HTTP/1.1\r\nHost: x\r\ncontent-LENGTH:  5 \r\n\r\n",
        "GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /c HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n\n",
        "GET /d HTTP/1.0\r\n\r\n",
        "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
    ];
    // The body of the first request looks like the beginning of another one.
    let counted = "GET /";
    let chunks = "4;name=\"v\"\r\nWiki\r\n00A \r\n0123456789\r\n0\r\nTrailer: x\r\nother: y\r\n\r\n";
    let [a, b, c, d, e] = heads;
    let all = format!("\r\n\n{a}{counted}{b}{c}{chunks}\r\n{d}{e}");
    let (seen, partial, lost) = told(&mut follow(all.as_bytes()));
    let seen: Vec<String> = seen.into_iter().map(|head| String::from_utf8(head).unwrap()).collect();
    assert_eq!(seen, heads);
    assert_eq!((partial.as_slice(), lost), (b"".as_slice(), false));
}

#[test]
fn shows_the_parts_of_a_head() {
    let mut follower =
        follow(b"POST /v1/x?y=1 HTTP/1.1\r\nHost: a:1\r\nX-One:\t two words \r\nx-one: 2\r\nEmpty:\r\n\r\n");
    let head = follower.next_head().unwrap();
    assert_eq!((&*head.method(), &*head.target(), &*head.version()), ("POST", "/v1/x?y=1", "HTTP/1.1"));
    let headers: Vec<(&str, &[u8])> = head.headers().collect();
    let wanted: Vec<(&str, &[u8])> =
        vec![("Host", b"a:1"), ("X-One", b"two words"), ("x-one", b"2"), ("Empty", b"")];
    assert_eq!(headers, wanted);
    assert_eq!((head.get("x-ONE"), head.get("none")), (Some(b"two words".as_slice()), None));
    assert_eq!(head.fault(), None);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn names_what_rfc_9112_forbids() {
    use HeadFault::{
        Encoding, Folded, HeaderName, HeaderValue, HostDoubled, HostMissing, LengthAndEncoding,
        LengthNotDigits, LengthTooLarge, LengthsDiffer, NoColon, RequestLine, SpaceBeforeColon,
        UnsupportedVersion, Version,
    };
    let cases: &[(&str, &str, Option<HeadFault>)] = &[
        ("POST / HTTP/1.1", "Content-Length: 44", None),
        ("POST / HTTP/1.1", "Content-Length: 044", None),
        ("POST / HTTP/1.1", "Content-Length: 44\r\nContent-Length: 44", None),
        ("POST / HTTP/1.1", "Transfer-Encoding: Chunked", None),
        ("POST / HTTP/1.1", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", None),
        ("GET * HTTP/1.1", "X-Odd_1.!#$%&'*+^`|~: \"\u{e9}\" : ;", None),
        ("GET http://x/y HTTP/1.1", "A:b", None),
        ("POST / HTTP/1.1", "Content-Length: +44", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: 4_4", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: -1", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length:", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: 44, 44", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: 0x10", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: 1.5", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: \u{664}", Some(LengthNotDigits)),
        ("POST / HTTP/1.1", "Content-Length: 99999999999999999999", Some(LengthTooLarge)),
        ("POST / HTTP/1.1", "Content-Length: 5\r\nContent-Length: 44", Some(LengthsDiffer)),
        ("POST / HTTP/1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked", Some(LengthAndEncoding)),
        ("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Length: 0", Some(LengthAndEncoding)),
        ("POST / HTTP/1.1", "Transfer-Encoding: gzip", Some(Encoding)),
        ("POST / HTTP/1.1", "Transfer-Encoding: chunked, gzip", Some(Encoding)),
        ("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", Some(Encoding)),
        ("POST / HTTP/1.1", "Transfer-Encoding: xchunked", Some(Encoding)),
        ("POST / HTTP/1.0", "Transfer-Encoding: chunked", Some(Encoding)),
        ("GET / HTTP/1.1", "host: again", Some(HostDoubled)),
        ("GET / HTTP/1.1", "no colon here", Some(NoColon)),
        ("GET / HTTP/1.1", "nocolon", Some(NoColon)),
        ("GET / HTTP/1.1", "Name : value", Some(SpaceBeforeColon)),
        ("GET / HTTP/1.1", "Name\t: value", Some(SpaceBeforeColon)),
        ("GET / HTTP/1.1", "Two words: value", Some(HeaderName)),
        ("GET / HTTP/1.1", ": value", Some(HeaderName)),
        ("GET / HTTP/1.1", "N\u{e9}: value", Some(HeaderName)),
        ("GET / HTTP/1.1", "A: b\r\n folded", Some(Folded)),
        ("GET / HTTP/1.1", "A: b\r\n\tfolded", Some(Folded)),
        ("GET / HTTP/1.1", "A: b\u{0}c", Some(HeaderValue)),
        ("GET / HTTP/1.1", "A: b\rc", Some(HeaderValue)),
        ("GET / HTTP/1.1", "A: b\u{7f}", Some(HeaderValue)),
        ("GET / HTTP/2.0", "A: b", Some(UnsupportedVersion)),
        ("GET / HTTP/0.9", "A: b", Some(UnsupportedVersion)),
        ("GET / HTTP/1.2", "A: b", None),
        ("GET / http/1.1", "A: b", Some(Version)),
        ("GET / HTTP/1.10", "A: b", Some(Version)),
        ("GET / junk", "A: b", Some(Version)),
        ("GET /", "A: b", Some(RequestLine)),
        ("GET", "A: b", Some(RequestLine)),
        ("GET /a b HTTP/1.1", "A: b", Some(RequestLine)),
        ("GET  HTTP/1.1", "A: b", Some(RequestLine)),
        (" / HTTP/1.1", "A: b", Some(RequestLine)),
        ("G@T / HTTP/1.1", "A: b", Some(RequestLine)),
    ];
    for (line, header, wanted) in cases {
        let head = format!("{line}\r\nHost: x\r\n{header}\r\n\r\n");
        assert_eq!(fault(&head), *wanted, "{head:?}");
        if let Some(fault) = wanted {
            assert!((400..=505).contains(&fault.status()) && !fault.to_string().is_empty());
        }
    }
    assert_eq!(fault("GET / HTTP/1.1\r\n\r\n"), Some(HostMissing));
    assert_eq!(fault("GET / HTTP/1.0\r\n\r\n"), None);
    assert_eq!(fault("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"), Some(HostDoubled));
    // What hides the end of the request counts for more than what does not.
    assert_eq!(
        fault("POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: x\r\n\r\n"),
        Some(LengthNotDigits)
    );
}

#[test]
fn is_lost_where_the_end_of_a_request_is_unknown() {
    let chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    let long = format!("{chunked}1;{}\r\n", "e".repeat(MAX + 1));
    let trailers = format!("{chunked}0\r\nT: {}\r\n", "t".repeat(MAX + 1));
    let cases: &[(&str, bool)] = &[
        ("GET / HTTP/1.1\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4_4\r\n\r\n", true),
        ("PRI * HTTP/2.0\r\n\r\n", true),
        (&format!("{chunked}xyz\r\n"), true),
        (&format!("{chunked}\r\n"), true),
        (&format!("{chunked}3\r\nabcd"), true),
        (&format!("{chunked}3\r\nabc\n"), true),
        (&format!("{chunked}3\rx"), true),
        (&format!("{chunked}10000000000000000\r\n"), true),
        (&format!("{chunked}0\r\n\rx"), true),
        (&long, true),
        (&trailers, true),
        (&format!("{chunked}fffffffffffffffF\r\nabc"), false),
        (&format!("{chunked}3\nabc\r\n0\n\n"), false),
    ];
    for (bytes, wanted) in cases {
        let mut follower = follow(bytes.as_bytes());
        assert_eq!(follower.lost(), *wanted, "{bytes:?}");
        assert!(follower.next_head().is_some(), "the head stays to be judged");
        if *wanted {
            follower.feed(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            assert!(follower.lost() && follower.next_head().is_none(), "{bytes:?} and no way back");
        }
    }
}

#[test]
fn shows_a_head_that_is_not_complete() {
    let mut follower = follow(b"\r\nGET /a HTTP/1.1\r\nHo");
    assert!(follower.next_head().is_none());
    assert_eq!(follower.partial(), b"GET /a HTTP/1.1\r\nHo");
    follower.feed(b"st: x\r\n\r");
    assert_eq!(follower.partial(), b"GET /a HTTP/1.1\r\nHost: x\r\n\r");
    follower.feed(b"\nGET");
    assert_eq!(follower.next_head().unwrap().raw(), b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(follower.partial(), b"GET");
}

#[test]
fn keeps_no_more_of_a_head_than_allowed() {
    let exact = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "a".repeat(MAX - 32));
    assert_eq!(exact.len(), MAX);
    let mut follower = follow(exact.as_bytes());
    assert_eq!(follower.next_head().unwrap().raw().len(), MAX);
    for piece in [1, 7, 100_000] {
        let mut follower = Follower::new(MAX);
        let endless = format!("GET /{}", "a".repeat(3 * MAX));
        endless.as_bytes().chunks(piece).for_each(|bytes| follower.feed(bytes));
        assert!(follower.lost() && follower.next_head().is_none());
        assert_eq!(follower.partial(), &endless.as_bytes()[..MAX]);
    }
}

#[test]
fn holds_a_bounded_number_of_heads_that_nobody_takes() {
    let request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut follower = Follower::new(MAX);
    for _ in 0..100_000 {
        follower.feed(request);
    }
    assert!(follower.lost());
    let held = std::iter::from_fn(|| follower.next_head()).map(|head| head.raw().len()).sum::<usize>();
    assert!(held >= 10 * request.len() && held < 20 * MAX, "{held}");
    // Heads that are taken in time are never too many.
    let mut follower = Follower::new(MAX);
    for _ in 0..10_000 {
        follower.feed(request);
        assert!(follower.next_head().is_some());
    }
    assert!(!follower.lost());
}

#[test]
fn never_keeps_a_body() {
    let mut follower = follow(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551615\r\n\r\n");
    for _ in 0..100 {
        follower.feed(&[b'x'; 10_000]);
    }
    assert!(follower.partial().is_empty() && !follower.lost());
    assert!(follower.next_head().is_some() && follower.next_head().is_none());
}

/// A header line, or what stands in the place of one.
fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[A-Za-z-]{1,9}: ?[ -~]{0,9}".prop_map(String::into_bytes),
        "[ \ta:\u{e9}\u{a0}]{1,9}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>().prop_filter("no line end", |byte| !b"\r\n".contains(byte)), 1..9),
    ]
}

fn headers_of(raw: &[u8]) -> Vec<(String, Vec<u8>)> {
    let lines = raw.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let header = |line: &[u8]| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = std::str::from_utf8(&line[..colon]).ok()?.trim().to_owned();
        Some((name, line[colon + 1..].trim_ascii().to_vec()))
    };
    lines.skip(1).take_while(|line| !line.is_empty()).filter_map(header).collect()
}

fn requests() -> impl Strategy<Value = Vec<u8>> {
    let body = prop_oneof![
        Just("Host: x\r\n\r\n".to_owned()),
        "[a\r\n]{0,20}".prop_map(|body| format!("Host: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())),
        prop::collection::vec("[a\r\n]{1,9}", 0..4).prop_map(|chunks| {
            let chunks: String =
                chunks.iter().map(|data| format!("{:x};e=1\r\n{data}\r\n", data.len())).collect();
            format!("Host: x\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\nT: u\r\n\r\n")
        }),
        "[ -~\r\n:]{0,30}",
    ];
    prop::collection::vec(body, 1..5).prop_map(|bodies| {
        bodies.iter().map(|rest| format!("POST / HTTP/1.1\r\n{rest}")).collect::<String>().into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tells_the_same_in_any_chunking(bytes in requests(), cuts in prop::collection::vec(1..9_usize, 1..40)) {
        let whole = told(&mut follow(&bytes));
        let (mut follower, mut rest, mut heads) = (Follower::new(MAX), bytes.as_slice(), Vec::new());
        for cut in cuts.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*cut));
            follower.feed(now);
            heads.extend(std::iter::from_fn(|| follower.next_head()).map(|head| head.raw().to_vec()));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(whole, (heads, follower.partial().to_vec(), follower.lost()));
    }

    /// The index of a head against its lines, read as slowly as can be; twice, for the second time nothing is read.
    #[test]
    fn shows_the_headers_that_its_lines_hold(lines in prop::collection::vec(line(), 0..8), feed in prop_oneof![Just("\r\n"), Just("\n")]) {
        let mut raw = b"GET / HTTP/1.1\r\nHost: x\r\n".to_vec();
        for line in lines {
            raw.extend_from_slice(&line);
            raw.extend_from_slice(feed.as_bytes());
        }
        raw.extend_from_slice(b"\r\n");
        let mut follower = follow(&raw);
        follower.feed(&raw);
        while let Some(head) = follower.next_head() {
            let shown: Vec<_> = head.headers().map(|(name, value)| (name.to_owned(), value.to_vec())).collect();
            prop_assert_eq!(shown, headers_of(head.raw()));
        }
    }

    #[test]
    fn bears_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut follower = Follower::new(64);
        follower.feed(&bytes);
        while let Some(head) = follower.next_head() {
            let _ = (head.method(), head.target(), head.version(), head.headers().count(), head.fault());
        }
        prop_assert!(follower.partial().len() <= 64);
    }
}

/// The same head again is not read again; what it says must not depend on that.
#[test]
fn a_head_that_comes_again_is_the_same_head_in_any_chunking() {
    let one = "POST /a HTTP/1.1\r\nHost: x\r\nX-Odd : \u{e9} \r\nContent-Length: 3\r\n\r\nabc".as_bytes();
    let plain = b"POST /a?b HTTP/1.1\r\nHost:  x \r\nAccept:\r\nContent-Length: 3\r\n\r\nabc";
    let longer = b"POST /a?b HTTP/1.1\r\nHost:  x \r\nAccept:\r\nContent-Length: 4\r\n\r\nabcd";
    let bytes = [&plain[..], plain, longer, plain, plain, one].concat();
    let told = |piece: usize| {
        let mut follower = Follower::new(MAX);
        let mut heads = Vec::new();
        for bytes in bytes.chunks(piece) {
            follower.feed(bytes);
            heads.extend(std::iter::from_fn(|| follower.next_head()));
        }
        heads
    };
    let whole = told(bytes.len());
    assert!(whole[0].is(&whole[1]) && whole[3].is(&whole[4]) && !whole[1].is(&whole[2]));
    let headers: Vec<_> = whole[2].headers().collect();
    assert_eq!(headers, [("Host", &b"x"[..]), ("Accept", b""), ("Content-Length", b"4")]);
    assert_eq!(whole[5].fault(), Some(HeadFault::SpaceBeforeColon));
    for piece in [1, 2, 7, 60] {
        assert_eq!(told(piece), whole, "{piece}");
    }
}

#[test]
fn a_head_that_is_no_text_still_shows_its_parts() {
    let head = b"GET /\xff HTTP/1.1\r\nHost: x\r\n\xfe: lost\r\n B : \xfd \r\n\r\n";
    let head = follow(head).next_head().unwrap();
    assert_eq!((&*head.method(), &*head.target(), &*head.version()), ("GET", "/\u{fffd}", "HTTP/1.1"));
    assert_eq!(head.headers().collect::<Vec<_>>(), [("Host", &b"x"[..]), ("B", b"\xfd")]);
}
