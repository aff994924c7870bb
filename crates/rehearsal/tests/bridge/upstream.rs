//! A scripted provider on raw sockets: it says exactly the bytes it is told to, waits where it is told to, and remembers who asked.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The provider's own name of its model.
pub(crate) const MODEL: &str = "/models/real-7b-q4.gguf";
/// How long a gate, or whoever waits for a request, waits before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn wants_stream(&self) -> bool {
        self.text().contains("\"stream\":true")
    }
}

/// What is done on the connection; behind the last one it is closed.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Say(Vec<u8>),
    Wait(Gate),
    /// As long as a provider thinks.
    Think(Duration),
    /// RST in place of FIN.
    Reset,
}

/// Opened once, for all who wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// Waits; a test that forgot it goes on, too, and fails by what it sees then.
    pub(crate) fn pass(&self) {
        let open = self.0.0.lock().unwrap();
        drop(self.0.1.wait_timeout_while(open, PATIENCE, |open| !*open).unwrap());
    }
}

type Play = Box<dyn Fn(&Asked) -> Vec<Step> + Send>;

struct Inner {
    play: Mutex<Play>,
    log: Mutex<Vec<Asked>>,
    came: Condvar,
}

/// The provider. Its threads end with the test's process.
#[derive(Clone)]
pub(crate) struct Upstream {
    inner: Arc<Inner>,
    pub(crate) address: SocketAddr,
}

impl Upstream {
    /// Serves whole answers until it is told otherwise.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let play = Mutex::new(Box::new(ordinary) as Play);
        let inner = Arc::new(Inner { play, log: Mutex::default(), came: Condvar::new() });
        let serving = Arc::clone(&inner);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let inner = Arc::clone(&serving);
                std::thread::spawn(move || serve(&inner, stream));
            }
        });
        Self { inner, address }
    }

    /// From now on each request is answered so.
    pub(crate) fn plays(&self, play: impl Fn(&Asked) -> Vec<Step> + Send + 'static) {
        *self.inner.play.lock().unwrap() = Box::new(play);
    }

    /// From now on each request is answered with these bytes, and the connection is closed.
    pub(crate) fn says(&self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.plays(move |_| vec![Step::Say(bytes.clone())]);
    }

    /// Everything that came and holds this text.
    pub(crate) fn asked(&self, marker: &str) -> Vec<Asked> {
        let log = self.inner.log.lock().unwrap();
        log.iter().filter(|asked| asked.text().contains(marker)).cloned().collect()
    }

    /// How many requests came.
    pub(crate) fn count(&self) -> usize {
        self.inner.log.lock().unwrap().len()
    }

    /// Waits until as many requests have come.
    pub(crate) fn wait_for(&self, count: usize) {
        let log = self.inner.log.lock().unwrap();
        let (log, waited) =
            self.inner.came.wait_timeout_while(log, PATIENCE, |log| log.len() < count).unwrap();
        assert!(!waited.timed_out(), "{} of {count} requests reached the provider", log.len());
    }
}

fn serve(inner: &Inner, mut stream: TcpStream) {
    let Some(asked) = read(&mut stream) else { return };
    let steps = {
        let mut log = inner.log.lock().unwrap();
        log.push(asked.clone());
        inner.came.notify_all();
        inner.play.lock().unwrap()(&asked)
    };
    for step in steps {
        match step {
            Step::Say(bytes) if stream.write_all(&bytes).is_err() => return,
            Step::Say(_) => {}
            Step::Wait(gate) => gate.pass(),
            Step::Think(time) => std::thread::park_timeout(time),
            // The last byte of the request was never taken, so this is no orderly end.
            Step::Reset => return,
        }
    }
    drop(stream.shutdown(Shutdown::Write));
    // Until the other side has taken all of it.
    drop(stream.set_read_timeout(Some(PATIENCE)));
    let mut rest = [0; 1024];
    while matches!(stream.read(&mut rest), Ok(1..)) {}
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head = loop {
        if bytes.ends_with(b"\r\n\r\n") {
            break bytes.len() - 4;
        }
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let line = lines.next()?.to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if let Some((last, most)) = body.split_last_mut() {
        stream.read_exact(most).ok()?;
        // It stays in the kernel, so that a close without reading it is a reset.
        while stream.peek(std::slice::from_mut(last)).ok()? == 0 {}
    }
    Some(Asked { line, headers, body })
}

/// A whole answer in the form that was asked for; the list of models to a GET.
pub(crate) fn ordinary(asked: &Asked) -> Vec<Step> {
    if asked.line.starts_with("GET /v1/models") {
        return vec![Step::Say(whole("application/json", &models()))];
    }
    if asked.wants_stream() {
        return vec![Step::Say(
            [&head("text/event-stream", "Transfer-Encoding: chunked")[..], &chunks(&events())].concat(),
        )];
    }
    vec![Step::Say(whole("application/json", &completion()))]
}

/// The head of an answer with one more header, the empty line included.
pub(crate) fn head(content_type: &str, header: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nx-request-id: req_1\r\nSet-Cookie: up=1\r\n{header}\r\n\r\n"
    )
    .into_bytes()
}

/// A whole answer with its length.
pub(crate) fn whole(content_type: &str, body: &[u8]) -> Vec<u8> {
    [&head(content_type, &format!("Content-Length: {}", body.len()))[..], body].concat()
}

/// A body as chunks, each event one, with the last.
pub(crate) fn chunks(body: &[u8]) -> Vec<u8> {
    [&open_chunks(body)[..], b"0\r\n\r\n"].concat()
}

/// A body as one chunk, without the last.
pub(crate) fn open_chunks(body: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat()
}

pub(crate) fn models() -> Vec<u8> {
    format!(r#"{{"object":"list","data":[{{"id":"{MODEL}","object":"model","created":1,"owned_by":"us"}}]}}"#)
        .into_bytes()
}

/// A whole JSON answer.
pub(crate) fn completion() -> Vec<u8> {
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"{MODEL}","choices":[{{"index":0,"message":{{"role":"assistant","content":"Hello from {MODEL}."}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11}}}}"#
    )
    .into_bytes()
}

/// One event of a stream.
pub(crate) fn event(text: &str) -> Vec<u8> {
    format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"{MODEL}\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
    )
    .into_bytes()
}

/// A whole stream.
pub(crate) fn events() -> Vec<u8> {
    [event("Hello"), event(" from"), event(" here."), b"data: [DONE]\n\n".to_vec()].concat()
}
