//! Connections that are used again, and those that must not be.

use super::super::pool::Pool;
use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A peer that plays each connection on a thread of its own; connections are counted from 1.
struct Many {
    base: BaseUrl,
    accepted: Arc<AtomicUsize>,
    requests: Receiver<String>,
}

/// Plays a request that came on a connection of this number; `false` closes it.
type Play = fn(usize, &mut Peer) -> bool;

impl Many {
    fn new(play: Play) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = base_of(listener.local_addr().unwrap());
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&accepted);
        let (tell, requests) = channel();
        thread::spawn(move || {
            while let Ok((mut socket, _)) = listener.accept() {
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                let tell = tell.clone();
                thread::spawn(move || {
                    while let Some(request) = next_request(&mut socket) {
                        let goes_on = play(number, &mut socket);
                        if !goes_on {
                            drop(socket);
                            // Told only after the end, so that who waits for it finds it.
                            return tell.send(request).unwrap_or(());
                        }
                        let _told = tell.send(request);
                    }
                });
            }
        });
        Self { base, accepted, requests }
    }

    fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Waits for a request to be played.
    fn played(&self) -> String {
        self.requests.recv_timeout(Duration::from_secs(10)).unwrap()
    }

    async fn connect(&self, client: &Client) -> Connected {
        client.connect(&self.base, LIMITS, false).await.unwrap()
    }

    /// One request, read to its end.
    async fn get(&self, client: &Client) -> Result<Vec<u8>, DialError> {
        client.connect(&self.base, LIMITS, false).await?.ask(get("/x")).await?.whole().await
    }

    /// Asks twice, one after the other; returns how many connections that took.
    fn twice(&self) -> usize {
        let client = Client::new(Trust::system());
        run(async {
            for _ in 0..2 {
                assert_eq!(self.get(&client).await.unwrap(), b"ok");
                self.played();
            }
        });
        self.accepted()
    }
}

fn always(_: usize, socket: &mut Peer) -> bool {
    socket.write_all(OK).is_ok()
}

#[test]
fn a_connection_is_used_again_and_does_not_say_that_it_closes() {
    let peer = Many::new(always);
    let client = Client::new(Trust::system());
    run(async {
        for _ in 0..20 {
            assert_eq!(peer.get(&client).await.unwrap(), b"ok");
        }
    });
    assert_eq!(peer.accepted(), 1);
    assert!(!peer.played().contains("connection:"));
}

#[test]
fn bodies_in_chunks_and_without_any_let_a_connection_be_used_again() {
    for play in [
        (|_, socket| {
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            socket.write_all(&[&head[..], b"1\r\no\r\n1\r\nk\r\n0\r\n\r\n"].concat()).is_ok()
        }) as Play,
        |_, socket| {
            // The end comes by itself.
            let _sent = socket.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
            socket.write_all(b"0\r\n\r\n").is_ok()
        },
    ] {
        assert_eq!(Many::new(play).twice(), 1);
    }
    let peer = Many::new(|_, socket| socket.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").is_ok());
    let client = Client::new(Trust::system());
    run(async {
        for _ in 0..2 {
            assert_eq!(peer.get(&client).await.unwrap(), b"");
        }
    });
    assert_eq!(peer.accepted(), 1);
}

#[test]
fn a_fresh_connection_serves_one_request_and_says_so() {
    let peer = Many::new(always);
    let client = Client::new(Trust::system());
    run(async {
        peer.get(&client).await.unwrap();
        for _ in 0..2 {
            let connected = client.connect(&peer.base, LIMITS, true).await.unwrap();
            assert_eq!(connected.ask(get("/x")).await.unwrap().whole().await.unwrap(), b"ok");
        }
        peer.get(&client).await.unwrap();
    });
    assert_eq!(peer.accepted(), 3);
    let closing = (0..4).filter(|_| peer.played().contains("connection: close\r\n")).count();
    assert_eq!(closing, 2);
}

#[test]
fn connections_are_shared_by_copies_but_not_by_hosts() {
    let (one, other) = (Many::new(always), Many::new(always));
    let client = Client::new(Trust::system());
    run(async {
        for _ in 0..2 {
            one.get(&client).await.unwrap();
            other.get(&client.clone()).await.unwrap();
        }
    });
    assert_eq!((one.accepted(), other.accepted()), (1, 1));
}

#[test]
fn an_answer_that_was_not_read_to_its_end_ends_its_connection() {
    let peer = Many::new(always);
    let client = Client::new(Trust::system());
    run(async {
        let mut answer = peer.connect(&client).await.ask(get("/x")).await.unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), "ok");
        drop(answer);
        peer.get(&client).await.unwrap();
    });
    assert_eq!(peer.accepted(), 2);
}

#[test]
fn connections_that_the_peer_ends_are_not_used_again() {
    for play in [
        // Says so.
        (|_, socket| {
            socket.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok").is_ok()
        }) as Play,
        // Does not say so.
        |_, socket| {
            socket.write_all(OK).unwrap();
            false
        },
        |_, socket| {
            socket.write_all(OK).unwrap();
            reset(socket);
            false
        },
        // Is too old for it.
        |_, socket| {
            socket.write_all(b"HTTP/1.0 200 OK\r\n\r\nok").unwrap();
            false
        },
        // Says more than it was asked.
        |_, socket| socket.write_all(&[OK, b"HTTP/1.1 200 OK\r\n"].concat()).is_ok(),
        |_, socket| socket.write_all(OK).and_then(|()| socket.write_all(b"more")).is_ok(),
    ] {
        assert_eq!(Many::new(play).twice(), 2);
    }
}

#[test]
fn a_connection_that_ends_before_anything_is_sent_costs_no_answer() {
    // The first connection is closed after its first answer; what came of the wait for that is told.
    let peer = Many::new(|number, socket| socket.write_all(OK).is_ok() && number > 1);
    let client = Client::new(Trust::system());
    run(async {
        let mut first = peer.connect(&client).await.ask(get("/x")).await.unwrap();
        assert_eq!(first.next().await.unwrap().unwrap(), "ok");
        peer.played();
        // The end may be known by now, or not: both must do.
        assert_eq!(first.next().await.unwrap(), None);
        assert_eq!(peer.get(&client).await.unwrap(), b"ok");
    });
    assert_eq!(peer.accepted(), 2);
}

#[test]
fn a_connection_that_ends_while_its_owner_does_something_else_is_replaced() {
    let peer = Many::new(|number, socket| {
        let _sent = socket.write_all(OK);
        if number == 1 {
            // Closes once the second request might come.
            let _ = socket.set_read_timeout(Some(Duration::from_millis(100)));
            let _waited = socket.read(&mut [0]);
            return false;
        }
        true
    });
    let client = Client::new(Trust::system());
    run(async {
        assert_eq!(peer.get(&client).await.unwrap(), b"ok");
        let connected = peer.connect(&client).await;
        peer.played();
        assert_eq!(connected.ask(get("/x")).await.unwrap().whole().await.unwrap(), b"ok");
    });
    assert_eq!(peer.accepted(), 2);
}

#[test]
fn what_hyper_gives_back_unsent_goes_on_another_connection_unless_this_one_was_new() {
    let peer = Many::new(always);
    let client = Client::new(Trust::system());
    run(async {
        let mut connected = peer.connect(&client).await;
        connected.break_off();
        assert!(matches!(connected.ask(get("/x")).await, Err(DialError::Cut)));
        assert_eq!(peer.get(&client).await.unwrap(), b"ok");
        let mut connected = peer.connect(&client).await;
        connected.break_off();
        assert_eq!(connected.ask(get("/x")).await.unwrap().whole().await.unwrap(), b"ok");
    });
    // The new one that broke, the one that was used and broke, the one in its place.
    assert_eq!((peer.played(), peer.played()).0.lines().next(), Some("GET /t/x/v1/x HTTP/1.1"));
    assert_eq!(peer.accepted(), 3);
    assert!(peer.requests.try_recv().is_err(), "nothing was sent twice");
}

#[test]
fn what_was_sent_is_not_sent_again() {
    // The connection answers once and ends on the second request without a word.
    for resets in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = base_of(listener.local_addr().unwrap());
        let (tell, told) = channel();
        thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            tell.send(read_request(&mut socket)).unwrap();
            socket.write_all(OK).unwrap();
            tell.send(read_request(&mut socket)).unwrap();
            if resets {
                reset(&socket);
            }
            drop(socket);
            // Nobody may come again.
            listener.set_nonblocking(true).unwrap();
            let again = listener.accept().map_or(String::new(), |_| "again".to_owned());
            tell.send(again).unwrap();
        });
        let client = Client::new(Trust::system());
        let failed = run(async {
            let ask = || async { client.connect(&base, LIMITS, false).await?.ask(get("/x")).await };
            ask().await.unwrap().whole().await.unwrap();
            ask().await
        });
        assert!(matches!(failed, Err(DialError::Cut | DialError::Reset)), "{failed:?}");
        let seen: Vec<_> = told.iter().collect();
        assert_eq!((seen.len(), seen[2].as_str()), (3, ""), "{seen:?}");
    }
}

#[test]
fn only_so_many_connections_wait() {
    let peer = Many::new(always);
    let client = Client::with(Trust::system(), Pool::of(2, Duration::from_secs(60)));
    run(async {
        for _ in 0..2 {
            let mut answers = Vec::new();
            for _ in 0..3 {
                answers.push(peer.connect(&client).await.ask(get("/x")).await.unwrap());
            }
            for answer in &mut answers {
                answer.whole().await.unwrap();
            }
        }
    });
    assert_eq!(peer.accepted(), 4);
}

#[test]
fn a_connection_that_waited_too_long_is_closed_by_the_next_use() {
    let peer = Many::new(always);
    let client = Client::with(Trust::system(), Pool::of(64, Duration::ZERO));
    run(async {
        for _ in 0..3 {
            peer.get(&client).await.unwrap();
        }
    });
    assert_eq!(peer.accepted(), 3);
}

#[test]
fn a_deadline_that_passes_ends_the_connection() {
    let peer = Many::new(|number, socket| number == 1 || socket.write_all(OK).is_ok());
    let client = Client::new(Trust::system());
    run(async {
        let brief = Limits { idle: Duration::from_millis(50), ..LIMITS };
        let connected = client.connect(&peer.base, brief, false).await.unwrap();
        assert!(matches!(connected.ask(get("/x")).await, Err(DialError::Idle(_))));
        assert_eq!(peer.get(&client).await.unwrap(), b"ok");
    });
    assert_eq!(peer.accepted(), 2);
}

#[test]
fn many_at_once_share_what_is_there() {
    let peer = Many::new(always);
    let client = Client::new(Trust::system());
    run(async {
        for _ in 0..3 {
            let mut all = tokio::task::JoinSet::new();
            for _ in 0..16 {
                let (client, base) = (client.clone(), peer.base.clone());
                all.spawn(async move {
                    let connected = client.connect(&base, LIMITS, false).await.unwrap();
                    connected.ask(get("/x")).await.unwrap().whole().await.unwrap()
                });
            }
            while let Some(body) = all.join_next().await {
                assert_eq!(body.unwrap(), b"ok");
            }
        }
    });
    assert!(peer.accepted() <= 16, "{} connections", peer.accepted());
}
