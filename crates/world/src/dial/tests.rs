//! Dialling against scripted listeners: every way to fail has its name.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the tests play the peer with sockets of their own")]

mod pool;
mod request;
mod tls;

use super::*;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream as Peer};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::SystemTime;

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(10),
    body: 1 << 20,
};

/// Plays the peer of one connection once a whole request has been read; hands out what was read.
fn peer(play: impl FnOnce(&mut Peer) + Send + 'static) -> (BaseUrl, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = base_of(listener.local_addr().unwrap());
    let (tell, told) = channel();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = tell.send(read_request(&mut socket));
        play(&mut socket);
    });
    (base, told)
}

fn base_of(address: SocketAddr) -> BaseUrl {
    BaseUrl::parse(&format!("http://{address}/t/x/v1/")).unwrap()
}

fn read_request(socket: &mut impl Read) -> String {
    next_request(socket).expect("the request is cut")
}

/// The next request; none where the other side is done.
fn next_request(socket: &mut impl Read) -> Option<String> {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        if socket.read(&mut byte).ok()? == 0 {
            return None;
        }
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen.clone()).unwrap().to_lowercase();
    let length =
        head.split("content-length: ").nth(1).map_or(0, |rest| rest.lines().next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    seen.extend(body);
    Some(String::from_utf8(seen).unwrap())
}

/// Keeps the socket open until the other side closes it.
fn hold(socket: &mut Peer) {
    let _ = socket.read(&mut [0]);
}

fn reset(socket: &Peer) {
    rustix::net::sockopt::set_socket_linger(socket, Some(Duration::ZERO)).unwrap();
}

async fn ask(base: &BaseUrl, request: Request<'_>, limits: Limits) -> Result<Answer, DialError> {
    Client::new(Trust::system()).ask(base, request, limits).await
}

fn get(target: &str) -> Request<'_> {
    Request { method: "GET", target, headers: &[], body: Bytes::new() }
}

async fn post(base: &BaseUrl, limits: Limits) -> Result<(u16, Vec<u8>), DialError> {
    let request = Request {
        method: "POST",
        target: "/chat/completions",
        headers: &[("authorization", b"Bearer k"), ("content-type", b"application/json")],
        body: Bytes::from_static(b"{}"),
    };
    let mut answer = ask(base, request, limits).await?;
    let body = answer.whole().await?;
    Ok((answer.status(), body))
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// What comes of an answer made of these bytes, after which the peer closes.
fn answered(bytes: &'static [u8]) -> Result<(u16, Vec<u8>), DialError> {
    let (base, _told) = peer(move |socket| {
        let _ = socket.write_all(bytes);
    });
    run(post(&base, LIMITS))
}

#[test]
fn a_request_says_what_it_must_and_nothing_else() {
    let (base, told) =
        peer(|socket| socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap());
    assert_eq!(run(post(&base, LIMITS)).unwrap(), (200, b"ok".to_vec()));
    let seen = told.recv().unwrap();
    let mut lines: Vec<&str> = seen.lines().collect();
    assert_eq!(lines.remove(0), "POST /t/x/v1/chat/completions HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: {}", base.authority());
    let wanted = [
        "",
        "authorization: Bearer k",
        "connection: close",
        "content-length: 2",
        "content-type: application/json",
    ];
    assert_eq!(lines, [&wanted[..], &[host.as_str(), "{}"]].concat());
}

#[test]
fn what_came_at_once_is_taken_at_once_and_what_did_not_is_not_waited_for() {
    let (go_on, wait) = channel();
    let (base, _told) = peer(move |socket| {
        let first = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n";
        socket.write_all(first).unwrap();
        wait.recv().unwrap();
        socket.write_all(b"1\r\n!\r\n0\r\n\r\n").unwrap();
        hold(socket);
    });
    run(async {
        let mut answer = ask(&base, get("/x"), LIMITS).await.unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), "he");
        assert_eq!(answer.ready().await.unwrap().unwrap().unwrap(), "llo");
        assert!(answer.ready().await.is_none());
        go_on.send(()).unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), "!");
        assert!(matches!(answer.next().await, Ok(None)));
        assert!(matches!(answer.ready().await, Some(Ok(None))));
    });
}

#[test]
fn bodies_of_every_framing_are_read() {
    for bytes in [
        &b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"[..],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: t\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ] {
        assert_eq!(answered(bytes).unwrap(), (200, b"hello".to_vec()), "{}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(answered(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap(), (204, Vec::new()));
}

#[test]
fn redirects_are_answers() {
    let bytes =
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(answered(bytes).unwrap(), (307, Vec::new()));
}

#[test]
fn answers_that_end_early_are_cut() {
    for bytes in [
        &b""[..],
        b"HTTP/1.1 200 O",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ] {
        let error = answered(bytes).expect_err("it is not whole");
        assert!(matches!(error, DialError::Cut), "{error:?}: {}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_is_no_http_is_a_bad_response() {
    for bytes in [
        &b"SSH-2.0-OpenSSH_9.6\r\n\r\n"[..],
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let error = answered(bytes).expect_err("it is no HTTP");
        assert!(matches!(error, DialError::BadResponse(_)), "{error:?}: {}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn endless_heads_are_bad_responses() {
    let (base, _told) = peer(|socket| {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\n");
        while socket.write_all(b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n").is_ok() {}
    });
    assert!(matches!(run(post(&base, LIMITS)), Err(DialError::BadResponse(_))));
}

#[test]
fn a_reset_is_a_reset_wherever_it_comes() {
    for bytes in [&b""[..], b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"] {
        let (base, _told) = peer(move |socket| {
            socket.write_all(bytes).unwrap();
            reset(socket);
        });
        assert!(matches!(run(post(&base, LIMITS)), Err(DialError::Reset)));
    }
}

#[test]
fn a_closed_port_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = base_of(listener.local_addr().unwrap());
    drop(listener);
    assert!(matches!(run(post(&base, LIMITS)), Err(DialError::Refused)));
}

#[test]
fn a_host_without_an_address_is_unresolved() {
    let base = BaseUrl::parse("http://no-such-host.invalid/v1").unwrap();
    assert!(matches!(run(post(&base, LIMITS)), Err(DialError::Unresolved(_))));
}

#[cfg(target_os = "linux")]
#[test]
fn a_connection_that_is_never_taken_up_times_out() {
    // A full queue drops what knocks next, so the connection is neither made nor refused.
    let (base, _held, _queue) = {
        let socket =
            rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None)
                .unwrap();
        rustix::net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        rustix::net::listen(&socket, 0).unwrap();
        let address: SocketAddr = rustix::net::getsockname(&socket).unwrap().try_into().unwrap();
        let queue: Vec<_> =
            (0..4).map(|_| Peer::connect_timeout(&address, Duration::from_millis(50))).collect();
        (base_of(address), socket, queue)
    };
    let limits = Limits { connect: Duration::from_millis(50), ..LIMITS };
    assert!(matches!(run(post(&base, limits)), Err(DialError::ConnectTimeout(_))));
}

#[test]
fn silence_ends_at_the_idle_limit() {
    for bytes in
        [&b""[..], b"HTTP/1.1 200 OK\r\nConte", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"]
    {
        let (base, _told) = peer(move |socket| {
            socket.write_all(bytes).unwrap();
            hold(socket);
        });
        let limits = Limits { idle: Duration::from_millis(50), ..LIMITS };
        assert!(matches!(run(post(&base, limits)), Err(DialError::Idle(_))));
    }
}

#[test]
fn a_drip_ends_at_the_total_limit() {
    let (base, _told) = peer(|socket| {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
        let _ = socket.set_read_timeout(Some(Duration::from_millis(5)));
        // A read that times out is the pause between two drops.
        while socket.write_all(b"x").is_ok() && socket.read(&mut [0]).is_err() {}
    });
    let limits = Limits { total: Duration::from_millis(100), ..LIMITS };
    assert!(matches!(run(post(&base, limits)), Err(DialError::Total(_))));
}

#[test]
fn a_body_beyond_the_cap_is_too_large_and_is_not_read_on() {
    let (base, _told) = peer(|socket| {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while socket.write_all(&[b'x'; 4096]).is_ok() {}
    });
    assert!(matches!(run(post(&base, LIMITS)), Err(DialError::TooLarge(1_048_576))));
}

#[test]
fn pieces_arrive_as_they_are_sent_and_the_connection_ends_with_the_answer() {
    let (gone, closed) = channel();
    let (go, wait) = channel::<()>();
    let (base, _told) = peer(move |socket| {
        socket.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n").unwrap();
        wait.recv().unwrap();
        socket.write_all(b"3\r\ntwo\r\n").unwrap();
        // A reset is as good an end as any.
        gone.send(socket.read(&mut [0]).unwrap_or(0)).unwrap();
    });
    run(async {
        let mut answer = ask(&base, get("/models"), LIMITS).await.unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), "one");
        go.send(()).unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), "two");
    });
    assert_eq!(closed.recv_timeout(Duration::from_secs(10)), Ok(0));
}

#[test]
fn the_wished_wait_is_read_in_all_its_forms() {
    let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(1000));
    let at_least = |text: &str, least: Duration, most: Duration| {
        let head = format!("HTTP/1.1 429 Too Many Requests\r\n{text}\r\nContent-Length: 0\r\n\r\n");
        let (base, _told) = peer(move |socket| socket.write_all(head.as_bytes()).unwrap());
        let wait = run(ask(&base, get("/"), LIMITS)).unwrap().retry_after().unwrap_or(Duration::MAX);
        assert!(wait >= least && wait <= most, "{text}: {wait:?}");
    };
    let exactly = |text: &str, wait: Duration| at_least(text, wait, wait);
    exactly("Retry-After: 2", Duration::from_secs(2));
    exactly("Retry-After: 0.5", Duration::from_millis(500));
    exactly("retry-after-ms: 20\r\nRetry-After: 2", Duration::from_millis(20));
    exactly("retry-after-ms: soon\r\nRetry-After: 2", Duration::from_secs(2));
    exactly("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", Duration::ZERO);
    at_least(&format!("Retry-After: {later}"), Duration::from_secs(900), Duration::from_secs(1000));
    for none in ["x: y", "Retry-After: soon", "Retry-After: -1", "Retry-After: NaN", "Retry-After: 1e300"] {
        exactly(none, Duration::MAX);
    }
}

#[test]
fn headers_that_cannot_be_sent_are_named_without_their_value() {
    let base = BaseUrl::parse("http://127.0.0.1:9/v1").unwrap();
    let request = Request { headers: &[("authorization", b"Bearer s3cret\nx: y")], ..get("/") };
    let error = run(ask(&base, request, LIMITS)).expect_err("a line break in a header");
    assert!(matches!(&error, DialError::BadHeader(name) if name == "authorization"));
    assert!(!format!("{error} {error:?}").contains("s3cret"));
}

#[test]
fn base_urls_are_read_strictly() {
    for (text, shown, target) in [
        ("http://127.0.0.1:7771/v1", "http://127.0.0.1:7771/v1", "/v1/x"),
        ("HTTP://localhost", "http://localhost", "/x"),
        ("http://localhost:80///", "http://localhost", "/x"),
        ("http://[::1]:9/t/a%20b/v1//", "http://[::1]:9/t/a%20b/v1", "/t/a%20b/v1/x"),
        ("http://host/v1/x", "http://host/v1/x", "/v1/x"),
        ("https://host/v1", "https://host/v1", "/v1/x"),
        ("HTTPS://host:443", "https://host", "/x"),
        ("https://host:80", "https://host:80", "/x"),
        ("http://host:443", "http://host:443", "/x"),
    ] {
        let base = BaseUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((base.to_string().as_str(), base.target("/x").as_str()), (shown, target));
    }
    for (text, wanted) in [
        ("", UrlError::NoScheme),
        ("127.0.0.1:80", UrlError::NoScheme),
        ("http:/host", UrlError::NoScheme),
        ("ftp://host", UrlError::UnknownScheme),
        (" http://host", UrlError::UnknownScheme),
        ("http://", UrlError::BadHost),
        ("http:///v1", UrlError::BadHost),
        ("http://ho st/", UrlError::BadHost),
        ("http://h\u{f6}st/", UrlError::BadHost),
        ("http://ho\r\nst/", UrlError::BadHost),
        ("http://[::1/", UrlError::BadHost),
        ("http://[1.2.3.4]/", UrlError::BadHost),
        ("http://[::1]x/", UrlError::BadHost),
        ("http://user:pass@host/", UrlError::UserInfo),
        ("http://host:/", UrlError::BadPort),
        ("http://host:0/", UrlError::BadPort),
        ("http://host:+80/", UrlError::BadPort),
        ("http://host:65536/", UrlError::BadPort),
        ("http://host:80:80/", UrlError::BadPort),
        ("http://host/v1?key=x", UrlError::QueryOrFragment),
        ("http://host/v1#x", UrlError::QueryOrFragment),
        ("http://host/a b", UrlError::BadPath),
        ("http://host/a%2", UrlError::BadPath),
        ("http://host/a\\b", UrlError::BadPath),
        ("http://host/\u{fc}", UrlError::BadPath),
    ] {
        assert_eq!(BaseUrl::parse(text), Err(wanted), "{text:?}");
    }
}

#[test]
fn a_deadline_ends_work_and_waits_and_wins_over_what_is_ready() {
    run(async {
        let past = Deadline::after(Duration::ZERO);
        assert_eq!(past.within(std::future::ready(1)).await, None);
        assert!(!past.wait(Duration::ZERO).await);
        let soon = Deadline::after(Duration::from_millis(30));
        assert_eq!(soon.within(std::future::pending::<()>()).await, None);
        let far = Deadline::after(Duration::MAX);
        assert_eq!(far.within(std::future::ready(1)).await, Some(1));
        assert!(far.wait(Duration::from_millis(1)).await);
    });
}
