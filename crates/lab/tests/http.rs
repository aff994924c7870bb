//! One request to a server on this machine: what came, and each way in which nothing comes.
#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]
#![expect(clippy::disallowed_methods, reason = "the tests play the server with sockets of their own")]

use rehearsal_lab::{Code, Fact, Http, Stop, http};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

/// Plays the server of one connection once a whole request has been read; tells what was read.
fn server(host: &str, play: impl FnOnce(&mut TcpStream) + Send + 'static) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind((host, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(b"\r\n\r\n") && socket.read(&mut byte).unwrap() == 1 {
            seen.push(byte[0]);
        }
        let head = String::from_utf8(seen).unwrap();
        let length = head
            .to_lowercase()
            .split("content-length: ")
            .nth(1)
            .map(|rest| rest.lines().next().unwrap().to_owned());
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        socket.read_exact(&mut body).unwrap();
        let _unheard = tell.send(head + &String::from_utf8(body).unwrap());
        play(&mut socket);
    });
    (port, told)
}

fn says(answer: &'static [u8]) -> impl FnOnce(&mut TcpStream) + Send + 'static {
    move |socket| socket.write_all(answer).unwrap()
}

/// Says something and then nothing, until the other side is gone.
fn says_and_holds(answer: &'static [u8]) -> impl FnOnce(&mut TcpStream) + Send + 'static {
    move |socket| {
        socket.write_all(answer).unwrap();
        let _gone = socket.read(&mut [0]);
    }
}

fn get(url: &str) -> Http {
    Http {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        time_limit: LONG,
        max_body: 1 << 20,
    }
}

async fn asked(play: impl FnOnce(&mut TcpStream) + Send + 'static) -> Result<Fact, Stop> {
    let (port, _) = server("127.0.0.1", play);
    http(&get(&format!("http://127.0.0.1:{port}/"))).await
}

async fn code(play: impl FnOnce(&mut TcpStream) + Send + 'static) -> (Code, String) {
    match asked(play).await {
        Err(Stop::Refused(refusal)) => (refusal.code, refusal.message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_is_a_fact_and_the_request_as_it_was_meant() {
    let (port, told) = server(
        "127.0.0.1",
        says(b"HTTP/1.1 201 Created\r\nDate: Mon, 30 Nov 2026 14:00:00 GMT\r\nX-Two: a\r\nContent-Length: 6\r\nX-Two: b\r\n\r\nhell\xc3\xb6"),
    );
    let order = Http {
        method: "PUT".to_owned(),
        headers: vec![("X-Own".to_owned(), "yes".to_owned())],
        body: b"sent".to_vec(),
        ..get(&format!("http://127.0.0.1:{port}/a/b?c=d#e"))
    };
    let fact = http(&order).await.unwrap();
    let digest = rehearsal_journal::digest::text(&rehearsal_journal::digest::of("hellö".as_bytes()));
    let expected = json!({
        "status": 201, "headers": {"x-two": "a, b", "content-length": "6"}, "body": "hellö", "bytes": 6, "sha256": digest,
    });
    assert_eq!(serde_json::Value::from(fact.observed().clone()), expected);
    let told = told.recv().unwrap().to_lowercase();
    assert!(told.starts_with("put /a/b?c=d http/1.1\r\n"), "{told}");
    assert!(told.contains(&format!("\r\nhost: 127.0.0.1:{port}\r\n")), "{told}");
    assert!(told.contains("\r\nx-own: yes\r\n") && told.ends_with("\r\n\r\nsent"), "{told}");
}

#[tokio::test]
async fn json_is_read_where_the_answer_says_that_it_is() {
    let fact = asked(says(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: 32\r\n\r\n{\"big\":9007199254740993,\"b\":[1]}",
    ))
    .await
    .unwrap();
    assert_eq!(fact.observed()["json"], json!({"big": 9_007_199_254_740_993_u64, "b": [1]}));
    for answer in [
        &b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"[..],
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ] {
        let fact = asked(says(answer)).await.unwrap();
        assert_eq!((fact.observed().get("json"), &fact.observed()["bytes"]), (None, &json!(2)));
    }
}

#[tokio::test]
async fn any_status_is_an_answer_and_nothing_is_followed() {
    let fact =
        asked(says(b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")).await.unwrap();
    assert_eq!(
        (&fact.observed()["status"], &fact.observed()["headers"]["location"]),
        (&json!(302), &json!("/there"))
    );
    let fact = asked(says(b"HTTP/1.1 503 Busy\r\n\r\nwithout a length")).await.unwrap();
    assert_eq!(
        (&fact.observed()["status"], &fact.observed()["body"]),
        (&json!(503), &json!("without a length"))
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_have_a_digest_alone() {
    let fact = asked(says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\x00")).await.unwrap();
    assert_eq!((fact.observed().get("body"), &fact.observed()["bytes"]), (None, &json!(2)));
}

#[tokio::test]
async fn a_big_body_is_shown_in_part_and_a_too_big_one_refused() {
    let big = |size: usize| {
        move |socket: &mut TcpStream| {
            socket
                .write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n").as_bytes())
                .unwrap();
            // The reader may have seen enough before the end.
            let _cut = socket.write_all(&b"x".repeat(size));
        }
    };
    let fact = asked(big(1 << 20)).await.unwrap();
    assert_eq!(fact.observed()["bytes"], 1 << 20);
    assert_eq!(fact.observed()["body"].as_str().unwrap().len(), 64 << 10);
    let (code, message) = code(big((1 << 20) + 1)).await;
    assert_eq!((code, message.as_str()), (Code::Quota, "the answer is larger than 1048576 bytes"));
}

#[tokio::test]
async fn what_comes_too_slowly_is_timed_out() {
    for answer in [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"] {
        let (port, _) = server("127.0.0.1", says_and_holds(answer));
        let order =
            Http { time_limit: Duration::from_millis(200), ..get(&format!("http://127.0.0.1:{port}/")) };
        assert_eq!(http(&order).await, Err(Stop::TimedOut));
    }
    // A byte now and then is no life.
    let (port, _) = server("127.0.0.1", |socket| {
        let _head = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        while socket.write_all(b"x").is_ok() {}
    });
    let order = Http {
        time_limit: Duration::from_millis(200),
        max_body: usize::MAX,
        ..get(&format!("http://127.0.0.1:{port}/"))
    };
    assert_eq!(http(&order).await, Err(Stop::TimedOut));
}

#[tokio::test]
async fn what_is_no_http_is_told_plainly() {
    let cut = "the connection ended before the answer was whole";
    for (answer, message) in [
        (&b""[..], cut),
        (b"HTTP/1.1 200 OK\r\nContent-", cut),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", cut),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "the answer is not valid HTTP"),
        (b"HTTP/1.1 two hundred\r\n\r\n", "the answer is not valid HTTP"),
    ] {
        assert_eq!(
            code(says(answer)).await,
            (Code::Http, message.to_owned()),
            "{}",
            String::from_utf8_lossy(answer)
        );
    }
}

#[tokio::test]
async fn a_port_at_which_nobody_listens_is_told_plainly() {
    // It was free a moment ago.
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let Err(Stop::Refused(refusal)) = http(&get(&format!("http://127.0.0.1:{port}/"))).await else {
        panic!()
    };
    assert_eq!((refusal.code, refusal.message.as_str()), (Code::Http, "the connection was refused"));
}

#[tokio::test]
async fn every_name_of_this_machine_is_asked() {
    for (listens, host) in
        [("127.0.0.1", "localhost"), ("127.0.0.2", "127.0.0.2"), ("::1", "[::1]"), ("::1", "LOCALHOST")]
    {
        if TcpListener::bind((listens, 0)).is_err() {
            eprintln!("left out: this machine has no address {listens}");
            continue;
        }
        let (port, _) = server(listens, says(b"HTTP/1.1 204 No Content\r\n\r\n"));
        let fact = http(&get(&format!("http://{host}:{port}/"))).await;
        assert_eq!(fact.map(|fact| fact.observed()["status"].clone()), Ok(json!(204)), "{host}");
    }
}

#[tokio::test]
async fn what_is_elsewhere_or_cannot_be_sent_is_never_sent() {
    let refused = async |order: &Http| match http(order).await {
        Err(Stop::Refused(refusal)) => (refusal.code, refusal.message),
        other => panic!("{other:?}"),
    };
    let elsewhere = refused(&get("http://example.com/")).await;
    assert_eq!(elsewhere, (Code::NotLoopback, "example.com is not on this machine".to_owned()));
    assert_eq!(refused(&get("http://192.0.2.1/")).await.0, Code::NotLoopback);
    // A server that would answer each of these.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let header = |name: &str, value: &str| Http { headers: vec![(name.into(), value.into())], ..get(&url) };
    for order in [
        Http { method: "CONNECT".to_owned(), ..get(&url) },
        Http { method: "G T".to_owned(), ..get(&url) },
        get(&format!("{url}a b")),
        get(&format!("{url}a\r\nX: y")),
        header("a b", "c"),
        header("a", "b\r\nc: d"),
    ] {
        assert_eq!(refused(&order).await.0, Code::Input, "{order:?}");
    }
    // What was connected to, if anything, was closed without a byte.
    while let Ok((mut socket, _)) = listener.accept() {
        socket.set_nonblocking(false).unwrap();
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
    }
}

#[tokio::test]
async fn what_cannot_be_sent_as_it_stands_is_refused_and_not_left_out() {
    let url = "http://127.0.0.1:1/";
    for name in ["Host", "content-length", "TRANSFER-ENCODING", "Connection"] {
        let order = Http { headers: vec![(name.to_owned(), "1".to_owned())], ..get(url) };
        let Err(Stop::Refused(refusal)) = http(&order).await else { panic!("{name} must be refused") };
        assert_eq!(refusal.code, Code::Input, "{name}");
        assert!(refusal.message.contains(name), "{}", refusal.message);
    }
    let Err(Stop::Refused(refusal)) = http(&get("http://who:s3cret@127.0.0.1:1/")).await else {
        panic!("a name in the URL must be refused")
    };
    assert_eq!(refusal.code, Code::Input);
    assert!(!refusal.message.contains("s3cret"), "{}", refusal.message);
}
