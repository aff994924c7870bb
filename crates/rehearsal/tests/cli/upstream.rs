//! A scripted provider for recordings: plain bytes on a socket, right and wrong. Which answer it gives stands in the request.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The provider's own name of its model.
pub(crate) const MODEL: &str = "real-model-1";

/// How long it waits for a request.
const PATIENCE: Duration = Duration::from_secs(20);

/// The provider. Its thread ends with the test's process.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    /// The bodies of all requests that came.
    asked: Arc<Mutex<Vec<String>>>,
}

/// One answer: what is written, piece by piece, before the connection ends.
#[derive(Clone)]
struct Answer {
    pieces: Vec<Vec<u8>>,
}

impl Upstream {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answers, heard) = (answers(), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (answers, heard) = (answers.clone(), Arc::clone(&heard));
                std::thread::spawn(move || serve(stream.unwrap(), &answers, &heard));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many requests came.
    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

/// The names of all answers.
pub(crate) fn modes() -> Vec<String> {
    answers().into_keys().collect()
}

/// One request a connection.
fn serve(mut stream: TcpStream, answers: &BTreeMap<String, Answer>, heard: &Mutex<Vec<String>>) {
    let text = read(&mut stream);
    if text.is_empty() {
        return;
    }
    let named = answers.iter().find(|(name, _)| text.contains(&format!("mode={name};")));
    let answer =
        named.map_or_else(|| whole("200 OK", JSON, completion().as_bytes()), |(_, answer)| answer.clone());
    heard.lock().unwrap().push(text);
    stream.set_nodelay(true).unwrap();
    for piece in &answer.pieces {
        // A bridge that has seen enough may be gone.
        if stream.write_all(piece).is_err() {
            return;
        }
    }
}

fn read(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(end) = text.find("\r\n\r\n") {
            let length = text
                .to_ascii_lowercase()
                .split("content-length: ")
                .nth(1)
                .map_or(0, |rest| rest.split("\r\n").next().unwrap().trim().parse::<usize>().unwrap());
            if bytes.len() >= end + 4 + length {
                return text;
            }
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return String::new(),
        }
    }
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

fn completion() -> String {
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"{MODEL}","choices":[{{"index":0,"message":{{"role":"assistant","content":"I am {MODEL} \u00e9😀"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11}}}}"#
    )
}

fn events(eol: &str) -> Vec<Vec<u8>> {
    let chunk = |delta: &str, finish: &str| {
        format!(
            r#"data: {{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"{MODEL}","choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}{eol}{eol}"#
        )
    };
    let mut all = vec![chunk(r#"{"role":"assistant","content":""}"#, "null")];
    all.extend(
        ["I", " am", " 漢字 ", MODEL].map(|word| chunk(&format!(r#"{{"content":"{word}"}}"#), "null")),
    );
    all.push(chunk("{}", "\"stop\""));
    all.push(format!("data: [DONE]{eol}{eol}"));
    all.into_iter().map(String::into_bytes).collect()
}

fn head(status: &str, content_type: &str, more: &str) -> Vec<u8> {
    let own = "x-request-id: req_1\r\nopenai-processing-ms: 12\r\nset-cookie: a=1\r\n";
    format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{own}{more}\r\n").into_bytes()
}

fn whole(status: &str, content_type: &str, body: &[u8]) -> Answer {
    let head =
        head(status, content_type, &format!("content-length: {}\r\nconnection: close\r\n", body.len()));
    Answer { pieces: vec![head, body.to_vec()] }
}

fn streamed(status: &str, more: &str, pieces: Vec<Vec<u8>>) -> Answer {
    let pieces = std::iter::once(head(status, EVENTS, &format!("connection: close\r\n{more}"))).chain(pieces);
    Answer { pieces: pieces.collect() }
}

fn chunked(pieces: Vec<Vec<u8>>, end: &[u8]) -> Answer {
    let chunk = |piece: Vec<u8>| [format!("{:x}\r\n", piece.len()).as_bytes(), &piece, b"\r\n"].concat();
    let mut pieces: Vec<Vec<u8>> = pieces.into_iter().map(chunk).collect();
    pieces.push(end.to_vec());
    streamed("200 OK", "transfer-encoding: chunked\r\n", pieces)
}

fn error(status: &str, more: &str) -> Answer {
    let body = format!(
        r#"{{"error":{{"message":"no, says {MODEL}","type":"server_error","param":null,"code":"e"}}}}"#
    );
    let length = format!("content-length: {}\r\nconnection: close\r\n{more}", body.len());
    Answer { pieces: vec![head(status, JSON, &length), body.into_bytes()] }
}

/// `Hello gzip.` as one stored block, with its sum.
const GZIP: &[u8] = &[
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 11, 0, 0xf4, 0xff, b'H', b'e', b'l', b'l', b'o', b' ', b'g',
    b'z', b'i', b'p', b'.', 0x3f, 0x17, 0xfc, 0xec, 11, 0, 0, 0,
];

/// All answers by name.
fn answers() -> BTreeMap<String, Answer> {
    let all = streams().into_iter().chain(documents()).chain(refusals());
    all.map(|(name, answer)| (name.to_owned(), answer)).collect()
}

/// Streams, whole and cut.
fn streams() -> Vec<(&'static str, Answer)> {
    let (mut cut, mut without_end) = (events("\n"), events("\n"));
    cut.truncate(2);
    without_end.pop();
    let broken = [cut.clone(), vec![b"data: {\"half\"".to_vec()]].concat();
    let split: Vec<Vec<u8>> = events("\r\n").concat().chunks(7).map(<[u8]>::to_vec).collect();
    vec![
        ("events", streamed("200 OK", "", events("\n"))),
        ("events-crlf", streamed("200 OK", "", events("\r\n"))),
        ("events-chunked", chunked(events("\n"), b"0\r\n\r\n")),
        ("events-split", chunked(split, b"0\r\n\r\n")),
        ("events-without-end", streamed("200 OK", "", without_end)),
        ("events-cut-within", streamed("200 OK", "", broken)),
        ("events-cut-chunked", chunked(cut.clone(), b"40\r\ndata: {")),
        ("events-cut-length", streamed("200 OK", "content-length: 5000\r\n", cut)),
        ("events-none", chunked(Vec::new(), b"")),
    ]
}

/// Whole bodies, and such as are cut or nothing.
fn documents() -> Vec<(&'static str, Answer)> {
    let json = completion().into_bytes();
    let half = json[..json.len() / 2].to_vec();
    let of = |more: &str, body: &[u8]| Answer { pieces: vec![head("200 OK", JSON, more), body.to_vec()] };
    let told = format!("content-length: {}\r\nconnection: close\r\n", json.len());
    let coded = format!("content-encoding: gzip\r\ncontent-length: {}\r\n", GZIP.len());
    let big = format!(r#"{{"model":"{MODEL}","choices":["{}"]}}"#, "x".repeat(3_000_000));
    vec![
        ("json", whole("200 OK", JSON, &json)),
        ("json-cut", of(&told, &half)),
        ("json-cut-early", of(&told, b"")),
        ("json-chunked-cut", of("transfer-encoding: chunked\r\n", &[b"ff\r\n", &half[..40]].concat())),
        ("html", whole("200 OK", "text/html", format!("<p>{MODEL}</p>").as_bytes())),
        ("empty", whole("200 OK", JSON, b"")),
        ("204", Answer { pieces: vec![b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_vec()] }),
        ("no-json", whole("200 OK", JSON, b"this is no json \xff")),
        ("big", whole("200 OK", JSON, big.as_bytes())),
        ("gzip", of(&coded, GZIP)),
    ]
}

/// What is no answer.
fn refusals() -> Vec<(&'static str, Answer)> {
    let event = b"data: {\"error\":{\"message\":\"no\"}}\n\n".to_vec();
    vec![
        ("nothing", Answer { pieces: Vec::new() }),
        ("429", error("429 Too Many Requests", "retry-after: 7\r\n")),
        ("500", error("500 Internal Server Error", "")),
        ("503-events", streamed("503 Service Unavailable", "", vec![event])),
        ("502-html", whole("502 Bad Gateway", "text/html; charset=utf-8", b"<html>502</html>")),
        ("redirect", whole("302 Found\r\nlocation: /elsewhere", JSON, b"{}")),
    ]
}
