//! Requests as they are sent and answers as they come, byte for byte.

use super::*;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// What the peer reads of a request.
fn sent(request: Request<'_>) -> String {
    let (base, told) = peer(|socket| socket.write_all(OK).unwrap());
    run(async {
        let client = Client::new(Trust::system());
        let connected = client.connect(&base, LIMITS, false).await.unwrap();
        connected.ask(request).await.unwrap().whole().await.unwrap()
    });
    told.recv().unwrap()
}

#[test]
fn method_target_headers_and_body_leave_as_they_were_given() {
    let seen = sent(Request {
        method: "PROPFIND",
        target: "/files/a%20b;c?x=1&y=%C3%A4?&z",
        headers: &[("X-One", b"1"), ("x-two", b"a"), ("X-Two", b"b"), ("x-text", "gr\u{fc}n".as_bytes())],
        body: Bytes::from_static(b"body"),
    });
    let lines: Vec<&str> = seen.lines().collect();
    assert_eq!(lines[0], "PROPFIND /t/x/v1/files/a%20b;c?x=1&y=%C3%A4?&z HTTP/1.1");
    assert!(lines[1].starts_with("host: 127.0.0.1:"), "{seen}");
    assert_eq!(lines[2..6], ["x-one: 1", "x-two: a", "x-two: b", "x-text: gr\u{fc}n"]);
    assert_eq!(lines[6..], ["content-length: 4", "", "body"]);
}

#[test]
fn headers_of_the_connection_are_left_out() {
    let seen = sent(Request {
        headers: &[
            ("Host", b"evil.example"),
            ("Connection", b"close"),
            ("Transfer-Encoding", b"chunked"),
            ("Content-Length", b"7"),
            ("Keep-Alive", b"timeout=1"),
            ("TE", b"trailers"),
            ("accept", b"*/*"),
        ],
        ..get("/")
    });
    let lines: Vec<&str> = seen.lines().collect();
    assert!(lines[1].starts_with("host: 127.0.0.1:"), "{seen}");
    assert_eq!((lines[0], &lines[2..]), ("GET /t/x/v1/ HTTP/1.1", &["accept: */*", ""][..]));
}

#[test]
fn what_no_request_line_may_hold_is_refused_before_a_byte_leaves() {
    let base = BaseUrl::parse("http://127.0.0.1:9/v1").unwrap();
    for method in ["", "GE T", "GET\r\n", "CONNECT"] {
        let error = run(ask(&base, Request { method, ..get("/") }, LIMITS)).expect_err(method);
        assert!(matches!(error, DialError::BadMethod), "{method:?}: {error:?}");
    }
    for target in ["", "x", "*", "http://elsewhere/", "/a b", "/a#b", "/a\r\nx: y", "/\u{7f}"] {
        let error = run(ask(&base, get(target), LIMITS)).expect_err(target);
        assert!(matches!(error, DialError::BadTarget), "{target:?}: {error:?}");
    }
}

#[test]
fn chunks_come_out_one_by_one_however_they_arrived() {
    let (base, _told) = peer(|socket| {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        socket.write_all(format!("{head}1\r\na\r\n3\r\nbcd\r\n2\r\nef\r\n0\r\n\r\n").as_bytes()).unwrap();
    });
    run(async {
        let mut answer = ask(&base, get("/"), LIMITS).await.unwrap();
        for piece in ["a", "bcd", "ef"] {
            assert_eq!(answer.next().await.unwrap().unwrap(), piece);
        }
        assert_eq!(answer.next().await.unwrap(), None);
        assert_eq!(answer.next().await.unwrap(), None);
    });
}

#[test]
fn all_headers_of_an_answer_are_told_in_order() {
    let (base, _told) = peer(|socket| {
        let head = b"HTTP/1.1 299 Odd\r\nX-B: 1\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-A: \xff\r\nContent-Length: 0\r\n\r\n";
        socket.write_all(head).unwrap();
    });
    let answer = run(ask(&base, get("/"), LIMITS)).unwrap();
    let headers: Vec<_> = answer.headers().collect();
    let wanted: [(&str, &[u8]); 5] = [
        ("x-b", b"1"),
        ("set-cookie", b"a=1"),
        ("set-cookie", b"b=2"),
        ("x-a", b"\xff"),
        ("content-length", b"0"),
    ];
    assert_eq!((answer.status(), headers), (299, wanted.to_vec()));
    assert_eq!((answer.header("x-b"), answer.header("x-a")), (Some("1"), None));
}

#[test]
fn what_names_the_machine_itself_is_seen_from_addresses_not_from_text() {
    for own in ["127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST"] {
        assert!(BaseUrl::parse(&format!("http://{own}:9/v1")).unwrap().names_loopback(), "{own}");
    }
    for other in
        ["localhost.example", "127.0.0.1.example", "0.0.0.0", "[::]", "10.0.0.1", "x/localhost", "127.1"]
    {
        assert!(!BaseUrl::parse(&format!("http://{other}")).unwrap().names_loopback(), "{other}");
    }
}

#[test]
fn all_addresses_of_localhost_are_tried_and_each_failure_is_told() {
    let listener = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0")).unwrap();
    let port = listener.local_addr().unwrap().port();
    let base = BaseUrl::parse(&format!("http://localhost:{port}")).unwrap().on_loopback();
    let serving = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        read_request(&mut socket);
        socket.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    });
    assert_eq!(run(ask(&base, get("/"), LIMITS)).unwrap().status(), 204);
    serving.join().unwrap();
    let error = run(ask(&base, get("/"), LIMITS)).expect_err("nobody listens any more");
    let text = error.to_string();
    assert!(matches!(error, DialError::NoneOf(_)), "{text}");
    assert!(text.contains("127.0.0.1: ") && text.contains("::1: "), "{text}");
}

#[test]
fn an_address_elsewhere_is_not_reached_where_only_the_machine_itself_will_do() {
    let base = BaseUrl::parse("http://192.0.2.1").unwrap().on_loopback();
    assert!(matches!(run(ask(&base, get("/"), LIMITS)), Err(DialError::NotLoopback)));
}

#[test]
fn the_root_of_a_url_has_its_origin_and_no_path() {
    let root = BaseUrl::parse("https://host:8443/a/b").unwrap().root();
    assert_eq!((root.to_string().as_str(), root.target("/x").as_str()), ("https://host:8443", "/x"));
}
