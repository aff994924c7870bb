//! A provider that gives the bytes it was told to, one answer a connection, and keeps what was asked.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long it waits for a request.
const PATIENCE: Duration = Duration::from_secs(20);

/// The provider. Its thread ends with the test's process.
pub(super) struct Raw {
    pub(super) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Raw {
    /// Gives these answers in order; the last one again and again.
    pub(super) fn start(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        std::thread::spawn(move || {
            for (at, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                heard.lock().unwrap().push(read(&mut stream));
                let answer = answers.get(at).or(answers.last()).unwrap();
                // Who has seen enough may be gone.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { address, asked }
    }

    /// All requests, one behind the other.
    pub(super) fn heard(&self) -> String {
        self.asked.lock().unwrap().concat()
    }
}

/// One request, head and body.
fn read(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or_default() {
                return text;
            }
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return text,
        }
    }
}

/// A whole answer with this status line, further header lines, and a body.
pub(super) fn answer(status: &str, more: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n{more}\r\n{body}"
    )
}

/// The same with JSON and no further headers.
pub(super) fn json(status: &str, body: &str) -> String {
    answer(status, "", "application/json", body)
}

/// A completion with these words.
pub(super) fn said(text: &str) -> String {
    let body = serde_json::json!({
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909},
    });
    json("200 OK", &body.to_string())
}
