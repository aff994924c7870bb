//! The load: requests that differ in their last message, sent by `wrk` where it is installed and by one thread of ours where not.

use crate::api::{Api, Past};
use crate::bare::Form;
use crate::server::Server;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Digits of the number that makes each request its own.
const DIGITS: usize = 10;

/// One kind of load.
pub(crate) struct Load {
    /// The request before its number.
    before: String,
    /// The request after its number.
    after: String,
    /// Connections at once.
    connections: usize,
    /// What bare answers beside it.
    pub(crate) bare_form: Form,
}

/// What a load measured.
#[derive(Clone, Copy, Default)]
pub(crate) struct Measured {
    pub(crate) requests: u64,
    pub(crate) time: Duration,
    /// Processor time of the server, microseconds.
    pub(crate) cpu: f64,
}

impl Measured {
    pub(crate) fn rate(&self) -> f64 {
        self.requests as f64 / self.time.as_secs_f64()
    }

    pub(crate) fn cpu_micros(&self) -> f64 {
        self.cpu / self.requests as f64
    }
}

impl Load {
    pub(crate) fn small(api: Api) -> Self {
        Self::of(api, 32, Form::Plain, "bench-small", false, Past::None)
    }

    pub(crate) fn streamed(api: Api) -> Self {
        Self::of(api, 32, Form::Plain, "bench-stream", true, Past::None)
    }

    pub(crate) fn dripped(api: Api) -> Self {
        Self::of(api, 32, Form::Dripped, "bench-drip", true, Past::None)
    }

    pub(crate) fn large(api: Api) -> Self {
        Self::of(api, 16, Form::Plain, "bench-large", false, Past::Long)
    }

    /// A stream that stays open.
    pub(crate) fn held(api: Api, past: Past) -> Self {
        Self::of(api, 1, Form::Plain, "bench-held", true, past)
    }

    fn of(api: Api, connections: usize, bare_form: Form, marker: &str, stream: bool, past: Past) -> Self {
        let (start, after) = api.body(marker, stream, past);
        let length = start.len() + DIGITS + after.len();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{}Content-Length: {length}\r\n\r\n",
            api.path(),
            api.credentials()
        );
        Self { before: head + &start, after, connections, bare_form }
    }

    /// Any request whose number stands between two texts.
    pub(crate) fn raw(before: String, after: String, connections: usize) -> Self {
        Self { before, after, connections, bare_form: Form::Plain }
    }

    /// The bytes of one request.
    pub(crate) fn request(&self, number: u64, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(self.before.as_bytes());
        out.extend_from_slice(format!("{number:0DIGITS$}").as_bytes());
        out.extend_from_slice(self.after.as_bytes());
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

static NUMBER: AtomicU64 = AtomicU64::new(1);

/// Runs a load for a time.
pub(crate) fn run(address: SocketAddr, load: &Load, time: Duration) -> Measured {
    if time >= Duration::from_secs(1) && Command::new("wrk").arg("--version").output().is_ok() {
        return wrk(address, load, time);
    }
    let end = Instant::now() + time;
    let started = Instant::now();
    let requests = runtime().block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..load.connections {
            let (before, after) = (load.before.clone(), load.after.clone());
            let load = Load { before, after, connections: 1, bare_form: load.bare_form };
            tasks.spawn(async move {
                let mut socket = connect(address).await;
                let (mut request, mut reply, mut done) = (Vec::new(), Vec::new(), 0u64);
                while Instant::now() < end {
                    load.request(NUMBER.fetch_add(1, Ordering::Relaxed), &mut request);
                    socket.write_all(&request).await.expect("a request sent");
                    read_reply(&mut socket, &mut reply).await;
                    done += 1;
                }
                done
            });
        }
        tasks.join_all().await.into_iter().sum()
    });
    Measured { requests, time: started.elapsed(), cpu: 0.0 }
}

fn wrk(address: SocketAddr, load: &Load, time: Duration) -> Measured {
    let script = std::env::temp_dir().join(format!("rehearsal-load-{}.lua", std::process::id()));
    let text = format!(
        "local n = {}\nlocal before = {}\nlocal after = {}\nrequest = function() n = n + 1; return before .. string.format('%0{DIGITS}d', n) .. after end\n",
        NUMBER.fetch_add(100_000_000, Ordering::Relaxed),
        lua(&load.before),
        lua(&load.after)
    );
    std::fs::write(&script, text).expect("a script for wrk");
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{}", load.connections), &format!("-d{}s", time.as_secs()), "-s"])
        .arg(&script)
        .arg(format!("http://{address}/"))
        .output()
        .expect("wrk");
    let _gone = std::fs::remove_file(&script);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("Non-2xx"), "not every answer was 200: {text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let requests = words
        .windows(2)
        .find(|pair| pair[1] == "requests")
        .and_then(|pair| pair[0].parse().ok())
        .expect("a count");
    Measured { requests, time, cpu: 0.0 }
}

fn lua(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\r', "\\r").replace('\n', "\\n"))
}

async fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(address).await.expect("a connection");
    socket.set_nodelay(true).expect("no delay");
    socket
}

/// The body of a reply.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// Bytes, framing included.
    pub(crate) bytes: usize,
    /// Chunks that it came in, the last and empty one left out; 0 for a body with its length.
    pub(crate) chunks: usize,
}

impl Size {
    /// A body with its length.
    pub(crate) const fn whole(bytes: usize) -> Self {
        Self { bytes, chunks: 0 }
    }
}

/// Reads one whole reply, by its length or its last chunk.
async fn read_reply(socket: &mut TcpStream, reply: &mut Vec<u8>) -> Size {
    reply.clear();
    loop {
        assert!(socket.read_buf(reply).await.expect("a reply") > 0, "the server left");
        let Some(head) = reply.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4) else {
            continue;
        };
        assert!(reply.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(reply));
        let text = String::from_utf8_lossy(&reply[..head]).to_ascii_lowercase();
        let whole = match text.split("content-length:").nth(1) {
            Some(rest) => {
                reply.len() - head
                    >= rest.split("\r\n").next().and_then(|n| n.trim().parse().ok()).expect("a length")
            }
            None => reply.ends_with(b"0\r\n\r\n"),
        };
        if whole {
            return Size { bytes: reply.len() - head, chunks: chunks(&reply[head..]) };
        }
    }
}

/// Counts the chunks of a body that has any.
fn chunks(mut body: &[u8]) -> usize {
    let mut count = 0;
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n")
        && let Ok(size) = usize::from_str_radix(&String::from_utf8_lossy(&body[..end]), 16)
        && size > 0
    {
        body = body.get(end + 2 + size + 2..).unwrap_or_default();
        count += 1;
    }
    count
}

/// One request on a connection of its own, tried until the server listens; the size of the reply's body.
pub(crate) fn once(address: SocketAddr, load: &Load) -> Size {
    runtime().block_on(async {
        let mut socket = connect(address).await;
        let (mut request, mut reply) = (Vec::new(), Vec::new());
        load.request(NUMBER.fetch_add(1, Ordering::Relaxed), &mut request);
        socket.write_all(&request).await.expect("a request sent");
        read_reply(&mut socket, &mut reply).await
    })
}

/// Opens streams and reads the first byte of each; they stay open until dropped.
pub(crate) fn hold(server: &Server, load: &Load, count: usize) -> Vec<std::net::TcpStream> {
    use std::io::{Read as _, Write as _};
    let mut request = Vec::new();
    let mut streams: Vec<std::net::TcpStream> = (0..count)
        .map(|_| {
            let mut socket = std::net::TcpStream::connect(server.address).expect("a connection");
            load.request(NUMBER.fetch_add(1, Ordering::Relaxed), &mut request);
            socket.write_all(&request).expect("a request sent");
            socket
        })
        .collect();
    for socket in &mut streams {
        socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a deadline");
        socket.read_exact(&mut [0]).expect("the first byte");
    }
    streams
}

/// The slowest of some requests, one after the other.
pub(crate) fn slowest_of(server: &Server, load: &Load, count: usize) -> Duration {
    (0..count)
        .map(|_| {
            let started = Instant::now();
            once(server.address, load);
            started.elapsed()
        })
        .max()
        .expect("at least one")
}

/// The median time of so many requests, one after the other on one connection.
pub(crate) fn median_of(server: &Server, load: &Load, count: usize) -> Duration {
    let mut times: Vec<Duration> = runtime().block_on(async {
        let mut socket = connect(server.address).await;
        let (mut request, mut reply, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            load.request(NUMBER.fetch_add(1, Ordering::Relaxed), &mut request);
            let started = Instant::now();
            socket.write_all(&request).await.expect("a request sent");
            read_reply(&mut socket, &mut reply).await;
            times.push(started.elapsed());
        }
        times
    });
    times.sort_unstable();
    times[times.len() / 2]
}
