//! Replies that are made while they leave: what clients see of them, and what their senders learn.
#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{End, RawClient};
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::http::{
    Answer, App, ClientGone, End as AnswerEnd, Left, Limits, LiveSender, Refusal, Reply, Request, live, serve,
};
use rehearsal_world::listen;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::stand::{Stand, brief, echo, whole};

/// Targets below `/live` get a live reply, those below `/live/9` with a length of nine; their senders come out here.
fn stand(limits: Limits) -> (Stand, Receiver<LiveSender>) {
    let (give, senders) = channel();
    let script = move |request: &Request| {
        let target = request.head.target();
        if !target.starts_with("/live") {
            return echo(request);
        }
        let (sender, body) = live(target.starts_with("/live/9").then_some(9));
        give.send(sender).unwrap();
        let status = if target.ends_with("none") { 204 } else { 200 };
        let head = ResponseHead::new(status).with("content-type", "text/event-stream");
        (Reply::Live { head, body }, target.ends_with("close"))
    };
    (Stand::with(limits, script), senders)
}

/// A client that has asked, and the sender of its answer.
fn ask(stand: &Stand, senders: &Receiver<LiveSender>, request: &str) -> (RawClient, LiveSender) {
    let mut client = stand.client();
    client.send(format!("{request}\r\nHost: x\r\n\r\n"));
    (client, senders.recv_timeout(PATIENCE).unwrap())
}

/// Both ways into a live reply: read by us, and read by hyper.
const ASKED: [&str; 2] = ["GET /live HTTP/1.1", "GET /live HTTP/1.1\r\nTE: trailers"];
const COUNTED: [&str; 2] = ["GET /live/9 HTTP/1.1", "GET /live/9 HTTP/1.1\r\nTE: trailers"];

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

fn send(sender: &mut LiveSender, piece: &'static str) -> Result<(), ClientGone> {
    block_on(sender.send(Bytes::from_static(piece.as_bytes())))
}

/// Sends until the client is known to be gone.
fn until_gone(sender: &mut LiveSender) {
    while block_on(sender.send(Bytes::from(vec![b'x'; 1000]))).is_ok() {}
}

#[test]
fn pieces_that_leave_together_are_chunks_of_their_own() {
    let (stand, senders) = stand(Limits::default());
    for asked in ASKED {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        let pieces = ["one", "", "three"].map(|piece| Bytes::from_static(piece.as_bytes()));
        block_on(sender.send_all(pieces.into())).unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let seen = format!("{head}3\r\none\r\n5\r\nthree\r\n");
        assert_eq!(client.read_at_least(seen.len()), seen.as_bytes(), "{asked}");
        sender.finish();
    }
}

#[test]
fn head_and_pieces_arrive_before_the_next_is_made() {
    let (stand, senders) = stand(Limits::default());
    for asked in ASKED {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut seen = head.to_owned();
        assert_eq!(client.read_at_least(seen.len()), seen.as_bytes(), "{asked}");
        for (piece, chunk) in
            [("one", "3\r\none\r\n"), ("and twenty bytes more", "15\r\nand twenty bytes more\r\n")]
        {
            send(&mut sender, piece).unwrap();
            seen.push_str(chunk);
            assert_eq!(client.read_at_least(seen.len()), seen.as_bytes(), "{asked}");
        }
        send(&mut sender, "").unwrap();
        sender.finish();
        assert_eq!(client.reply().text(), format!("{seen}0\r\n\r\n"), "{asked}");
    }
}

#[test]
fn a_length_is_said_and_kept() {
    let (stand, senders) = stand(Limits::default());
    for asked in COUNTED {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        for piece in ["012", "345", "678"] {
            send(&mut sender, piece).unwrap();
        }
        sender.finish();
        let seen = client.reply();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9\r\n\r\n";
        assert_eq!(seen.text(), format!("{head}012345678"), "{asked}");
        assert_eq!(client.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n").reply().body(), b"GET /after ");
    }
}

#[test]
fn the_connection_serves_on_also_with_requests_sent_ahead() {
    let (stand, senders) = stand(Limits::default());
    let mut client = stand.client();
    let all = ["/1", "/live", "/2", "/live/9", "v1/odd", "/live", "/3"];
    client.send(all.map(|target| format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")).concat());
    for target in all {
        if !target.starts_with("/live") {
            assert_eq!(client.reply().body(), format!("GET {target} ").as_bytes());
            continue;
        }
        let mut sender = senders.recv_timeout(PATIENCE).unwrap();
        send(&mut sender, "012345678").unwrap();
        sender.finish();
        assert!(client.reply().text().contains("012345678"), "{target}");
    }
}

#[test]
fn an_old_client_reads_to_the_end_of_the_connection() {
    let (stand, senders) = stand(Limits::default());
    for asked in ["GET /live HTTP/1.0", "GET /live HTTP/1.0\r\nConnection: keep-alive"] {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        send(&mut sender, "one").unwrap();
        send(&mut sender, "two").unwrap();
        sender.finish();
        let seen = client.read_to_end();
        assert_eq!((seen.body(), seen.end), (&b"onetwo"[..], End::Eof), "{asked}");
        assert!(seen.text().contains("connection: close\r\n"), "{}", seen.text());
    }
    let (mut client, mut sender) = ask(&stand, &senders, "GET /live/9 HTTP/1.0\r\nConnection: keep-alive");
    send(&mut sender, "012345678").unwrap();
    sender.finish();
    assert_eq!(client.reply().body(), b"012345678");
}

#[test]
fn an_abort_is_seen_as_a_broken_transfer() {
    let (stand, senders) = stand(Limits::default());
    let table = [
        (ASKED[0], "9\r\n012345678\r\n", End::Eof),
        (ASKED[1], "9\r\n012345678\r\n", End::Eof),
        ("GET /live HTTP/1.0", "012345678", End::Reset),
    ];
    for (asked, body, end) in table {
        for way in [LiveSender::abort, drop] {
            let (mut client, mut sender) = ask(&stand, &senders, asked);
            send(&mut sender, "012345678").unwrap();
            way(sender);
            let seen = client.read_to_end();
            assert_eq!((seen.body(), seen.end), (body.as_bytes(), end), "{asked}");
        }
    }
    for asked in [COUNTED[0], COUNTED[1], "GET /live/9 HTTP/1.0"] {
        // An end before the length is no end.
        for way in [LiveSender::abort, LiveSender::finish] {
            let (mut client, mut sender) = ask(&stand, &senders, asked);
            send(&mut sender, "01234567").unwrap();
            way(sender);
            let seen = client.read_to_end();
            assert_eq!((seen.body(), seen.end), (&b"01234567"[..], End::Eof), "{asked}");
        }
    }
}

#[test]
fn what_goes_beyond_the_length_never_leaves() {
    let (stand, senders) = stand(Limits::default());
    let (mut client, mut sender) = ask(&stand, &senders, COUNTED[0]);
    send(&mut sender, "01234").unwrap();
    send(&mut sender, "5678HTTP/1.1 200 OK").unwrap();
    sender.finish();
    let seen = client.read_to_end();
    assert_eq!((seen.body(), seen.end), (&b"012345678"[..], End::Eof));
}

#[test]
fn an_abort_before_the_first_piece_leaves_a_head() {
    let (stand, senders) = stand(Limits::default());
    let (mut client, sender) = ask(&stand, &senders, ASKED[0]);
    sender.abort();
    let seen = client.read_to_end();
    assert_eq!((seen.status(), seen.body(), seen.end), (200, &b""[..], End::Eof));
}

#[test]
fn a_head_request_and_a_status_without_body_get_the_head_alone() {
    let (stand, senders) = stand(Limits::default());
    for (asked, framing) in [
        ("HEAD /live HTTP/1.1", "transfer-encoding: chunked\r\n"),
        ("HEAD /live/9 HTTP/1.1", "content-length: 9\r\n"),
        ("GET /live/none HTTP/1.1", ""),
        ("GET /live/9/none HTTP/1.1", ""),
    ] {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        block_on(sender.gone());
        assert_eq!(send(&mut sender, "lost"), Err(ClientGone), "{asked}");
        assert_eq!(sender.sent().bytes(), 0);
        client.send("GET /after HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let seen = client.read_to_end().text();
        let (head, rest) = seen.split_once("\r\n\r\n").unwrap();
        let said = head.lines().skip(2).collect::<Vec<_>>().join("\r\n");
        assert_eq!(said, framing.trim_end(), "{asked}");
        assert!(rest.starts_with("HTTP/1.1 200 OK\r\n") && rest.ends_with("GET /after "), "{asked}: {rest}");
    }
}

#[test]
fn an_answer_that_closes_closes_after_its_end() {
    let (stand, senders) = stand(Limits::default());
    for asked in ["GET /live/close HTTP/1.1", "GET /live HTTP/1.1\r\nConnection: close"] {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        send(&mut sender, "x").unwrap();
        sender.finish();
        let seen = client.read_to_end();
        assert_eq!((seen.body(), seen.end), (&b"1\r\nx\r\n0\r\n\r\n"[..], End::Eof), "{asked}");
        assert!(seen.text().contains("connection: close\r\n"), "{}", seen.text());
    }
}

#[test]
fn what_left_is_counted_and_digested() {
    let (stand, senders) = stand(Limits::default());
    for (ticket, asked) in (1..).zip([ASKED[0], ASKED[1], COUNTED[0], COUNTED[1]]) {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        let sent = sender.sent();
        send(&mut sender, "012").unwrap();
        send(&mut sender, "345678").unwrap();
        sender.finish();
        let seen = client.reply();
        let left = stand.wait_left(ticket);
        assert_eq!((left.bytes, left.end), (seen.bytes.len() as u64, AnswerEnd::Complete), "{asked}");
        assert_eq!(left.sha256, <[u8; 32]>::from(Sha256::digest(&seen.bytes)), "{asked}");
        assert_eq!(sent.bytes(), 9, "{asked}");
    }
}

#[test]
fn what_left_of_an_aborted_answer_is_told_once() {
    let (stand, senders) = stand(Limits::default());
    for (ticket, asked) in (1..).zip([ASKED[0], COUNTED[0], "GET /live HTTP/1.0"]) {
        let (mut client, mut sender) = ask(&stand, &senders, asked);
        let sent = sender.sent();
        send(&mut sender, "0123").unwrap();
        sender.abort();
        let seen = client.read_to_end();
        let left = stand.wait_left(ticket);
        assert_eq!(left.sha256, <[u8; 32]>::from(Sha256::digest(&seen.bytes)), "{asked}");
        assert_eq!((left.bytes, sent.bytes()), (seen.bytes.len() as u64, 4), "{asked}");
    }
    assert_eq!(stand.told().len(), 6, "asked and left three times");
}

#[test]
fn a_client_that_leaves_is_known_to_the_sender() {
    let (stand, senders) = stand(Limits::default());
    for (ticket, asked) in (1..).zip(ASKED) {
        let (client, mut sender) = ask(&stand, &senders, asked);
        drop(client);
        until_gone(&mut sender);
        let left = stand.wait_left(ticket);
        assert_eq!(left.end, AnswerEnd::ClientLeft, "{asked}");
    }
}

#[test]
fn a_client_that_resets_is_known_while_nothing_is_sent() {
    let (stand, senders) = stand(Limits::default());
    let (client, mut sender) = ask(&stand, &senders, ASKED[0]);
    let sent = sender.sent();
    send(&mut sender, "unread").unwrap();
    block_on(async {
        while sent.bytes() == 0 {
            tokio::task::yield_now().await;
        }
    });
    // Closing a socket that holds something unread resets it.
    drop(client);
    block_on(sender.gone());
    assert_eq!(stand.wait_left(1).end, AnswerEnd::ClientLeft);
}

#[test]
fn a_slow_client_slows_the_sender() {
    let (stand, senders) = stand(Limits::default());
    let (mut client, mut sender) = ask(&stand, &senders, "GET /live HTTP/1.1\r\nConnection: close");
    let sent = sender.sent();
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    let mut given: u64 = 0;
    // Socket buffers take some megabytes; beyond them the sender waits.
    let stuck = block_on(async {
        loop {
            let next = tokio::time::timeout(Duration::from_millis(200), sender.send(piece.clone()));
            match next.await {
                Ok(went) => went.unwrap(),
                Err(_) => break sent.bytes(),
            }
            given += piece.len() as u64;
            assert!(given < 64 << 20, "nothing slows the sender");
        }
    });
    assert!(given - stuck <= 6 << 20, "{given} bytes were given, {stuck} left");
    // It goes on as the client reads.
    let reading = std::thread::spawn(move || client.read_to_end().bytes.len() as u64);
    block_on(sender.send(piece)).unwrap();
    sender.finish();
    let whole = given + (1 << 20);
    assert!(reading.join().unwrap() > whole);
    assert_eq!(stand.wait_left(1).end, AnswerEnd::Complete);
    assert_eq!(sent.bytes(), whole);
}

#[test]
fn a_client_that_takes_nothing_is_given_up() {
    let (stand, senders) = stand(brief());
    let (_client, mut sender) = ask(&stand, &senders, ASKED[0]);
    while block_on(sender.send(Bytes::from(vec![b'x'; 1 << 20]))).is_ok() {}
    assert_eq!(stand.wait_left(1).end, AnswerEnd::TimedOut);
}

#[test]
fn a_shutdown_lets_a_live_answer_finish_within_its_grace() {
    let (mut stand, senders) = stand(Limits::default());
    let (mut client, mut sender) = ask(&stand, &senders, ASKED[0]);
    send(&mut sender, "x").unwrap();
    client.read_at_least(1);
    stand.stop();
    send(&mut sender, "y").unwrap();
    sender.finish();
    let seen = client.read_to_end();
    assert_eq!((seen.body(), seen.end), (&b"1\r\nx\r\n1\r\ny\r\n0\r\n\r\n"[..], End::Eof));
    drop(client);
    stand.wait_stopped();
}

#[test]
fn a_shutdown_does_not_wait_for_a_sender_for_ever() {
    let (mut stand, senders) = stand(brief());
    let (mut client, sender) = ask(&stand, &senders, ASKED[0]);
    client.read_at_least(1);
    stand.stop();
    block_on(sender.gone());
    assert_eq!(stand.wait_left(1).end, AnswerEnd::Stopped);
    stand.wait_stopped();
}

/// Answers with what a socket of its own says, piece by piece.
struct Relay {
    upstream: SocketAddr,
}

impl App for Relay {
    const ASIDE: usize = usize::MAX;

    async fn answer(&self, _: Request) -> Answer {
        let mut upstream = TcpStream::connect(self.upstream).await.unwrap();
        let (mut sender, body) = live(None);
        tokio::spawn(async move {
            let mut piece = BytesMut::with_capacity(16);
            while upstream.read_buf(&mut piece).await.unwrap() > 0 {
                sender.send(piece.split().freeze()).await.unwrap();
            }
            sender.finish();
        });
        Answer { ticket: 1, reply: Reply::Live { head: ResponseHead::new(200), body }, close: true }
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        Answer { ticket: 1, reply: whole(refusal.status, ""), close: true }
    }

    fn left(&self, _: u64, _: Left) {}
}

#[test]
fn an_app_that_waits_for_sockets_answers_large_requests_where_they_came() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let listener = listen::bind(loopback, 0, false).unwrap();
    let address = listener.address();
    let client = std::thread::spawn(move || {
        let mut client = RawClient::connect(address);
        let body = "x".repeat(100_000);
        client.send(format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{body}"));
        client.read_to_end()
    });
    runtime.block_on(async {
        let upstream = TcpListener::bind((loopback, 0)).await.unwrap();
        let app = Arc::new(Relay { upstream: upstream.local_addr().unwrap() });
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(serve(listener, app, Limits::default(), async {
            let _dropped = stopped.await;
        }));
        let (mut peer, _) = upstream.accept().await.unwrap();
        peer.write_all(b"hello").await.unwrap();
        drop((peer, stop));
        served.await.unwrap().unwrap();
    });
    let seen = client.join().unwrap();
    assert_eq!((seen.body(), seen.end), (&b"5\r\nhello\r\n0\r\n\r\n"[..], End::Eof));
}
