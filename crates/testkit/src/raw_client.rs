//! A TCP client that sends exactly the bytes it is given and tells an orderly end from a reset.
#![expect(clippy::disallowed_methods, reason = "a test's client has its own sockets and deadlines")]
#![expect(clippy::expect_used, reason = "what goes wrong here is a failed test")]

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long any one wait may take before the test fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// One connection.
#[derive(Debug)]
#[must_use]
pub struct RawClient {
    stream: TcpStream,
    /// What was read beyond the last reply.
    ahead: Vec<u8>,
}

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The peer sent FIN.
    Eof,
    /// The peer sent RST.
    Reset,
    /// Nothing more came within the time, and the connection is still open.
    Open,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Seen {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How it ended.
    pub end: End,
}

impl Seen {
    /// The bytes as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The status in the first line; 0 where there is none.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.text().split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// What follows the first empty line.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        head_end(&self.bytes).map_or(&[], |end| &self.bytes[end..])
    }
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

impl RawClient {
    /// Connects.
    ///
    /// # Panics
    /// Where nobody listens.
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("somebody listens");
        stream.set_nodelay(true).expect("a fresh socket takes options");
        stream.set_write_timeout(Some(PATIENCE)).expect("a fresh socket takes options");
        Self { stream, ahead: Vec::new() }
    }

    /// Sends bytes in one write.
    ///
    /// # Panics
    /// Where the peer does not take them.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.try_send(bytes.as_ref()).expect("the peer takes what is sent");
        self
    }

    /// Sends each piece in a write of its own.
    ///
    /// # Panics
    /// Where the peer does not take them.
    pub fn send_pieces<'a>(&mut self, pieces: impl IntoIterator<Item = &'a [u8]>) -> &mut Self {
        for piece in pieces {
            self.send(piece);
        }
        self
    }

    /// Sends bytes; a peer that closed is an error, not a panic.
    ///
    /// # Errors
    /// What the system says.
    pub fn try_send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Sends FIN, unless the peer has reset the connection; reading goes on.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn half_close(&mut self) -> &mut Self {
        // Who reset the connection has closed this half, too.
        if let Err(error) = self.stream.shutdown(Shutdown::Write) {
            assert_eq!(error.kind(), io::ErrorKind::NotConnected, "{error}");
        }
        self
    }

    /// Reads one reply: its head and as much of a body as `Content-Length` says, or chunks up to the last one.
    ///
    /// # Panics
    /// Where the connection ends or nothing comes within [`PATIENCE`] before the reply is whole.
    pub fn reply(&mut self) -> Seen {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(length) = reply_length(&self.ahead) {
                let rest = self.ahead.split_off(length);
                return Seen { bytes: std::mem::replace(&mut self.ahead, rest), end: End::Open };
            }
            let end = self.read_more(until);
            assert!(
                end.is_none(),
                "the connection ended ({end:?}) after {:?}",
                String::from_utf8_lossy(&self.ahead)
            );
        }
    }

    /// Reads at least `count` bytes.
    ///
    /// # Panics
    /// Where fewer come.
    pub fn read_at_least(&mut self, count: usize) -> &[u8] {
        let until = Instant::now() + PATIENCE;
        while self.ahead.len() < count {
            let end = self.read_more(until);
            assert!(end.is_none(), "the connection ended ({end:?}) after {} bytes", self.ahead.len());
        }
        &self.ahead
    }

    /// Reads until the connection ends.
    ///
    /// # Panics
    /// Where it does not end within [`PATIENCE`].
    pub fn read_to_end(&mut self) -> Seen {
        let seen = self.read_for(PATIENCE);
        assert_ne!(seen.end, End::Open, "the connection stays open after {:?}", seen.text());
        seen
    }

    /// Reads until the connection ends or `time` has passed.
    pub fn read_for(&mut self, time: Duration) -> Seen {
        let until = Instant::now() + time;
        loop {
            if let Some(end) = self.read_more(until) {
                return Seen { bytes: std::mem::take(&mut self.ahead), end };
            }
        }
    }

    /// Reads once; `None` where something came.
    fn read_more(&mut self, until: Instant) -> Option<End> {
        let time = until.saturating_duration_since(Instant::now());
        if time.is_zero() {
            return Some(End::Open);
        }
        self.stream.set_read_timeout(Some(time)).expect("the time is not zero");
        let mut buffer = [0; 64 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => Some(End::Eof),
            Ok(count) => {
                self.ahead.extend_from_slice(&buffer[..count]);
                None
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Some(End::Open),
                io::ErrorKind::Interrupted => None,
                io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => Some(End::Reset),
                _ => panic!("reading failed: {error}"),
            },
        }
    }
}

/// The length of the first reply, once it is whole.
fn reply_length(bytes: &[u8]) -> Option<usize> {
    let head = head_end(bytes)?;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    if text.contains("transfer-encoding: chunked") {
        let end = b"\r\n0\r\n\r\n";
        return bytes[head - 2..]
            .windows(end.len())
            .position(|part| part == end)
            .map(|at| head - 2 + at + end.len());
    }
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|length| length.trim().parse::<usize>().ok())
        .unwrap_or(0);
    (bytes.len() >= head + length).then_some(head + length)
}
