//! An incremental reader of server-sent events by the WHATWG standard (HTML, 9.2.6): fed in any chunking.

use std::collections::VecDeque;

/// One dispatched event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; `message` where the stream names none.
    pub kind: String,
    /// Its data lines, joined by LF.
    pub data: String,
    /// The last id that the stream set so far; empty at first.
    pub id: String,
}

/// An event grew beyond the reader's limit. The reader takes nothing more after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTooLong {
    /// The limit in bytes.
    pub limit: usize,
}

impl std::fmt::Display for EventTooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a server-sent event is longer than {} bytes", self.limit)
    }
}

impl std::error::Error for EventTooLong {}

/// The reader. What is fed but ends without a blank line is no event.
#[derive(Debug)]
pub struct SseReader {
    limit: usize,
    /// How much of a byte order mark was seen; `MARK.len()` once that question is settled.
    mark: usize,
    /// The last byte was a CR that ended a line: an LF right after it belongs to it.
    after_cr: bool,
    line: Vec<u8>,
    data: Vec<u8>,
    kind: String,
    id: String,
    retry: Option<u64>,
    ready: VecDeque<SseEvent>,
    too_long: bool,
}

const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

impl SseReader {
    /// A reader at the start of a stream. `limit` bounds the bytes of one event: its data and the line being read.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            mark: 0,
            after_cr: false,
            line: Vec::new(),
            data: Vec::new(),
            kind: String::new(),
            id: String::new(),
            retry: None,
            ready: VecDeque::new(),
            too_long: false,
        }
    }

    /// Takes what came next. Events that it completes wait in [`SseReader::next_event`].
    ///
    /// # Errors
    /// [`EventTooLong`], now and at every later call. Events that were complete before stay to be taken.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), EventTooLong> {
        let mut rest = self.skip_mark(bytes);
        while !rest.is_empty() && !self.too_long {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
            let part = &rest[..end.unwrap_or(rest.len())];
            if self.data.len() + self.line.len() + part.len() > self.limit {
                self.too_long = true;
                break;
            }
            let Some(end) = end else {
                self.line.extend_from_slice(part);
                break;
            };
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if self.line.is_empty() {
                self.end_line(part);
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(part);
                self.end_line(&line);
                line.clear();
                self.line = line;
            }
        }
        if self.too_long { Err(EventTooLong { limit: self.limit }) } else { Ok(()) }
    }

    /// The next complete event.
    pub fn next_event(&mut self) -> Option<SseEvent> {
        self.ready.pop_front()
    }

    /// The reconnection time in milliseconds that the stream set last.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Whether bytes of an event that is not complete were read: a stream that ends here was cut.
    #[must_use]
    pub fn is_mid_event(&self) -> bool {
        !self.line.is_empty() || !self.data.is_empty() || !self.kind.is_empty()
    }

    /// How many bytes of an event that is not complete were read; a comment is none.
    #[must_use]
    pub fn pending(&self) -> usize {
        let is_comment = self.line.first() == Some(&b':');
        self.data.len() + if is_comment { 0 } else { self.line.len() }
    }

    /// Passes over one byte order mark at the very start, also in pieces.
    fn skip_mark<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let mut rest = bytes;
        while self.mark < MARK.len() {
            match rest.split_first() {
                Some((byte, after)) if *byte == MARK[self.mark] => {
                    self.mark += 1;
                    rest = after;
                }
                Some(_) => {
                    // It only looked like a mark: its first bytes belong to the first line.
                    self.line.extend_from_slice(&MARK[..self.mark]);
                    self.mark = MARK.len();
                }
                None => break,
            }
        }
        rest
    }

    fn end_line(&mut self, line: &[u8]) {
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(0) => return,
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &line[line.len()..]),
        };
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.kind = String::from_utf8_lossy(value).into_owned(),
            b"id" if !value.contains(&0) => self.id = String::from_utf8_lossy(value).into_owned(),
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                self.retry =
                    std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok()).or(self.retry);
            }
            _ => {}
        }
    }

    fn dispatch(&mut self) {
        let kind = std::mem::take(&mut self.kind);
        if self.data.is_empty() {
            return;
        }
        self.data.pop();
        let data = String::from_utf8_lossy(&self.data).into_owned();
        self.data.clear();
        let kind = if kind.is_empty() { "message".to_owned() } else { kind };
        self.ready.push_back(SseEvent { kind, data, id: self.id.clone() });
    }
}
