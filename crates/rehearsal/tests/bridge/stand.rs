//! A folder with cases, the program that records in it, and requests to it.

use crate::upstream::{MODEL, Upstream};
use rehearsal_journal::bridge::{Done, Fact};
use rehearsal_journal::event::Event;
use rehearsal_journal::verify::Verifier;
use rehearsal_testkit::program::lines;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{End, RawClient, Seen, scratch};
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

pub(crate) const ALIAS: &str = "public-alias-1";
pub(crate) const ORIGIN: &str = "http://127.0.0.1:37416";
pub(crate) const SYSTEM: &str = "You are the inline editor.\nAnswer with the text alone: żółć 😀.";
pub(crate) const CHAT: &str = "/v1/chat/completions";

/// Where things are.
pub(crate) struct Stand {
    pub(crate) folder: PathBuf,
    pub(crate) upstream: Upstream,
    /// The record's folder; a test may put another in its place.
    pub(crate) data: PathBuf,
    /// What `record` is told beside the files.
    pub(crate) extra: Vec<String>,
    /// Words before the program: a tracer, or another namespace to start it in.
    pub(crate) wrap: Vec<String>,
    /// Where the root of that namespace is seen from here.
    pub(crate) root: Option<PathBuf>,
    is_open: bool,
}

/// The program, serving.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) banner: Value,
    pub(crate) out: Receiver<String>,
    pub(crate) err: Receiver<String>,
}

/// The program did not serve.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) code: Option<i32>,
    pub(crate) err: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    /// Without chunks.
    pub(crate) body: Vec<u8>,
    /// Whether the client can know that it has all of it.
    pub(crate) is_whole: bool,
    pub(crate) raw: Vec<u8>,
}

impl Got {
    pub(crate) fn of(seen: &Seen) -> Self {
        let (status, raw) = (seen.status(), seen.bytes.clone());
        let body = seen.body().to_vec();
        let head = String::from_utf8_lossy(&raw[..raw.len() - body.len()]).to_ascii_lowercase();
        let (body, is_whole) = if head.contains("transfer-encoding: chunked") {
            unchunked(&body)
        } else {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let whole = length.map_or(matches!(status, 204 | 304), |length| length == body.len().to_string());
            (body, whole)
        };
        Self { status, head, is_whole: is_whole && seen.end != End::Reset, body, raw }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Status and code of a refusal.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        (self.status, body["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else { return (body, false) };
        let size =
            std::str::from_utf8(&rest[..line]).ok().and_then(|hex| usize::from_str_radix(hex, 16).ok());
        let Some(size) = size else { return (body, false) };
        rest = &rest[line + 2..];
        if size == 0 {
            return (body, rest == b"\r\n");
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        if rest.len() < size + 2 {
            return (body, false);
        }
        rest = &rest[size + 2..];
    }
}

impl Stand {
    /// So many cases, `case-0` and on.
    pub(crate) fn cases(name: &str, count: usize) -> Self {
        let stand = Self::bare(name, false);
        let list: Vec<Value> =
            (0..count).map(|at| json!({"id": case(at), "promptFile": format!("prompts/{at}.txt")})).collect();
        stand.write("cases.json", json!(list).to_string());
        for at in 0..count {
            stand.write(&format!("prompts/{at}.txt"), prompt(at));
        }
        stand.write("system.txt", SYSTEM);
        stand.write("models.json", json!({"data": [{"id": MODEL}]}).to_string());
        stand
    }

    /// Everything is forwarded.
    pub(crate) fn open(name: &str, extra: &[&str]) -> Self {
        Self { extra: extra.iter().map(|&word| word.to_owned()).collect(), ..Self::bare(name, true) }
    }

    fn bare(name: &str, is_open: bool) -> Self {
        let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("bridge/{name}"));
        let data = folder.join("record");
        Self {
            data,
            upstream: Upstream::start(),
            extra: Vec::new(),
            wrap: Vec::new(),
            root: None,
            is_open,
            folder,
        }
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn command(&self, port: u16) -> Command {
        let program = env!("CARGO_BIN_EXE_rehearsal").to_owned();
        let mut words = self.wrap.iter().cloned().chain([program]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).arg("record").current_dir(&self.folder);
        command.args(["--port", &port.to_string(), "--origin", ORIGIN, "--data"]).arg(&self.data);
        if !self.extra.iter().any(|word| word == "--upstream") {
            command.args(["--upstream", &format!("http://{}/v1", self.upstream.address)]);
        }
        if !self.is_open {
            // In whole: another namespace has another current folder.
            for (flag, file) in
                [("--cases", "cases.json"), ("--models", "models.json"), ("--system", "system.txt")]
            {
                command.arg(flag).arg(self.folder.join(file));
            }
            if !self.extra.iter().any(|word| word == "--alias") {
                command.args(["--alias", ALIAS]);
            }
        }
        command.args(&self.extra).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self) -> Running {
        self.try_start().unwrap_or_else(|refused| panic!("{refused:?}"))
    }

    /// Starts it, or tells why it does not serve.
    pub(crate) fn try_start(&self) -> Result<Running, Refused> {
        self.try_command(self.command(0))
    }

    pub(crate) fn try_command(&self, mut command: Command) -> Result<Running, Refused> {
        let mut child = command.spawn().unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        let Ok(banner) = out.recv_timeout(PATIENCE) else {
            let code = ended(&mut child);
            return Err(Refused { code, err: err.iter().collect::<Vec<_>>().join("\n") });
        };
        let banner: Value = serde_json::from_str(&banner).unwrap_or_else(|_| panic!("{banner:?}"));
        let endpoint = banner["endpoint"].as_str().unwrap();
        let address = endpoint.strip_prefix("http://").unwrap().parse().unwrap();
        let token = fs::read_to_string(self.seen().join("private/control-token.txt")).unwrap();
        Ok(Running { child, address, token: token.trim().to_owned(), banner, out, err })
    }

    /// The record's folder as it is seen from here, wherever the program lives.
    pub(crate) fn seen(&self) -> PathBuf {
        let inside = |root: &PathBuf| root.join(self.data.strip_prefix("/").unwrap());
        self.root.as_ref().map_or_else(|| self.data.clone(), inside)
    }

    /// `rehearsal verify` finds the journal and all that it names unchanged.
    pub(crate) fn verify(&self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        let verified = command.arg("verify").arg(&self.data).output().unwrap();
        assert!(verified.status.success(), "{}", rehearsal_testkit::said(&verified));
    }

    /// All facts of the journal so far, which must be unchanged.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        facts(&self.seen())
    }

    /// The ends of requests.
    pub(crate) fn ends(&self) -> Vec<Done> {
        let ends = self.facts().into_iter().filter_map(|fact| match fact {
            Fact::Done(done) => Some(*done),
            _ => None,
        });
        ends.collect()
    }

    /// Waits for the end of the request that this is true of.
    pub(crate) fn end(&self, is_it: impl Fn(&Done) -> bool) -> Done {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(done) = self.ends().into_iter().find(&is_it) {
                return done;
            }
            assert!(Instant::now() < until, "the request never ends: {:#?}", self.ends());
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }

    /// The end of a case's forward.
    pub(crate) fn forwarded(&self, case: &str) -> Done {
        self.end(|done| done.forwarded && done.case.as_deref() == Some(case))
    }

    /// A file of the exchange; none where there is no such file.
    pub(crate) fn file(&self, done: &Done, ending: &str) -> Option<Vec<u8>> {
        let name = done.files.as_ref().unwrap_or_else(|| panic!("no files: {done:?}"));
        fs::read(self.seen().join(format!("private/exchanges/{name}.{ending}"))).ok()
    }

    /// The readable file of the exchange.
    pub(crate) fn readable(&self, done: &Done) -> Value {
        serde_json::from_slice(&self.file(done, "json").unwrap()).unwrap()
    }

    /// The lines of the public log.
    pub(crate) fn public(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.seen().join("public/events.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// All facts of a record's journal, which must be unchanged.
pub(crate) fn facts(data: &Path) -> Vec<Fact> {
    let bytes = fs::read(data.join("private/journal-0001.jsonl")).unwrap();
    let mut facts = Vec::new();
    let mut verifier = Verifier::new();
    let seen = |_, event| {
        if let Event::Bridge(fact) = event {
            facts.push(fact);
        }
    };
    verifier.segment(std::io::Cursor::new(&bytes), None::<&[u8]>, seen).unwrap();
    facts
}

fn ended(child: &mut Child) -> Option<i32> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(Instant::now() < until, "the program does not end");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

pub(crate) fn case(at: usize) -> String {
    format!("case-{at}")
}

/// What tells a case's request from all others.
pub(crate) fn marker(at: usize) -> String {
    format!("MARK{at}END")
}

pub(crate) fn prompt(at: usize) -> String {
    format!(
        "# Note {}\n\nRewrite the first  two sentences.\n- alpha\n- beta\n\nEnd: \"quoted\" \\ żółć.\n",
        marker(at)
    )
}

/// The right body for a case.
pub(crate) fn body(at: usize, stream: bool) -> Value {
    json!({
        "model": ALIAS, "stream": stream,
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt(at)}],
    })
}

impl Running {
    pub(crate) fn client(&self) -> RawClient {
        RawClient::connect(self.address)
    }

    /// A request as bytes; the connection is closed behind its answer.
    pub(crate) fn bytes(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut head =
            format!("{method} {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method == "POST" {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        format!("{head}\r\n{body}")
    }

    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Got {
        self.raw(self.bytes(method, target, headers, body))
    }

    /// Sends bytes and reads to the end of the connection.
    pub(crate) fn raw(&self, bytes: impl AsRef<[u8]>) -> Got {
        let mut client = self.client();
        client.send(bytes);
        Got::of(&client.read_to_end())
    }

    pub(crate) fn post(&self, body: &Value) -> Got {
        self.ask("POST", CHAT, &[("Content-Type", "application/json")], &body.to_string())
    }

    pub(crate) fn get(&self, target: &str) -> Got {
        self.ask("GET", target, &[], "")
    }

    pub(crate) fn control(&self, method: &str, target: &str, body: &str) -> Got {
        self.ask(method, target, &[("X-Rehearsal-Control", &self.token)], body)
    }

    /// Tries to arm a case.
    pub(crate) fn arm(&self, case: &str) -> Got {
        self.control("POST", "/_control/arm", &json!({"caseId": case}).to_string())
    }

    /// Arms a case and sends its request.
    pub(crate) fn send(&self, at: usize, stream: bool) -> Got {
        let armed = self.arm(&case(at));
        assert_eq!(armed.status, 200, "{armed:?}");
        self.post(&body(at, stream))
    }

    pub(crate) fn status(&self) -> Value {
        self.control("GET", "/_control/status", "").json()
    }

    /// The row of a case.
    pub(crate) fn row(&self, at: usize) -> Value {
        self.status()["cases"][case(at)].clone()
    }

    /// Nothing is forwarded for this case any more, whoever asks however often.
    pub(crate) fn is_spent(&self, stand: &Stand, at: usize, forwards: usize) {
        let spent = (409, "case_budget_consumed".to_owned());
        assert_eq!(self.post(&body(at, false)).refusal(), spent);
        assert_eq!(self.arm(&case(at)).refusal(), spent);
        assert_eq!(self.post(&body(at, true)).refusal(), spent);
        assert_eq!(stand.upstream.asked(&marker(at)).len(), forwards);
    }

    /// The program's own id, whatever it was started through.
    pub(crate) fn id(&self) -> u64 {
        self.banner["pid"].as_u64().unwrap()
    }

    /// Kills it as no process can be asked to end.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn signal(&self, signal: &str) -> bool {
        // The shell's own `kill`: the program of that name is missing on small machines.
        let line = format!("kill -{signal} {}", self.id());
        Command::new("sh").args(["-c", &line]).stderr(Stdio::null()).status().is_ok_and(|sent| sent.success())
    }

    /// Asks it to end as a supervisor does, without waiting.
    pub(crate) fn ask_to_end(&self) {
        assert!(self.signal("TERM"));
    }

    pub(crate) fn ended(mut self) -> Option<i32> {
        ended(&mut self.child)
    }

    pub(crate) fn terminate(self) -> Option<i32> {
        self.ask_to_end();
        self.ended()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Who is started through a tracer does not end with it.
        if self.id() != u64::from(self.child.id()) {
            self.signal("KILL");
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
