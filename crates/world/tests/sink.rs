//! The refusing proxy over real sockets: everyone is refused, every attempt is told, and it ends when it is told to.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests connect by themselves")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rehearsal_journal::event::EscapeTried;
use rehearsal_world::sink::Sink;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

type Told = Arc<Mutex<Vec<EscapeTried>>>;

fn sink() -> (Sink, Told) {
    let told = Told::default();
    let ear = Arc::clone(&told);
    (Sink::open(Ipv4Addr::LOCALHOST, move |attempt| ear.lock().unwrap().push(attempt)).unwrap(), told)
}

/// Says something and reads until the sink closes.
async fn answer(address: SocketAddr, said: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(said).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(LONG, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    answer
}

fn targets(told: &Told) -> Vec<String> {
    told.lock().unwrap().iter().map(|attempt| format!("{} {}", attempt.method, attempt.target)).collect()
}

#[tokio::test]
async fn whoever_asks_is_refused_and_told_of_before_the_answer() {
    let (sink, told) = sink();
    assert!(sink.address().ip().is_loopback());

    for (said, tells) in [
        ("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", "CONNECT example.com:443"),
        ("POST http://h/x?key=s HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "POST http://h"),
        ("\u{5}\u{1}\u{0}", " unknown"),
    ] {
        let answer = answer(sink.address(), said.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
        assert_eq!(targets(&told).last().unwrap(), tells);
    }
    assert_eq!(told.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_flood_is_told_of_a_thousand_times_and_refused_for_ever() {
    let (sink, told) = sink();
    for _ in 0..1005 {
        let answer = answer(sink.address(), b"CONNECT h:1 HTTP/1.1\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
    assert_eq!(told.lock().unwrap().len(), 1000);
}

#[tokio::test]
async fn more_than_a_whole_head_is_not_waited_for() {
    let (sink, told) = sink();
    let endless = format!("GET http://h/{} HTTP/1.1\r\n", "x".repeat(64 << 10));
    let mut stream = TcpStream::connect(sink.address()).await.unwrap();
    let _cut = stream.write_all(endless.as_bytes()).await;
    let mut answer = Vec::new();
    let _cut = tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 403 "));
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn at_its_end_it_tells_of_those_who_had_come() {
    let (sink, told) = sink();
    // On this runtime of one thread nobody has accepted them yet.
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = std::net::TcpStream::connect(sink.address()).unwrap();
        std::io::Write::write_all(&mut stream, b"CONNECT h:1 HTTP/1.1\r\n\r\n").unwrap();
        streams.push(stream);
    }
    // A client that says nothing does not hold it up for ever, and one that left is no attempt.
    streams.push(std::net::TcpStream::connect(sink.address()).unwrap());
    drop(std::net::TcpStream::connect(sink.address()).unwrap());
    let address = sink.address();
    tokio::time::timeout(LONG, sink.finish()).await.unwrap();
    assert_eq!(targets(&told), ["CONNECT h:1"; 3]);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn dropped_it_listens_no_more() {
    let (sink, _told) = sink();
    let address = sink.address();
    answer(address, b"\n").await;
    drop(sink);
    let closed = async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, closed).await.unwrap();
}
