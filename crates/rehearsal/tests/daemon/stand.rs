//! A folder, the program that serves in it, and requests to it.

use rehearsal_journal::daemon::Fact;
use rehearsal_journal::event::Event;
use rehearsal_testkit::program::lines;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{RawClient, Seen, scratch};
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

static KEYS: AtomicU64 = AtomicU64::new(0);

/// A key that no other request has.
pub(crate) fn fresh() -> String {
    format!("key-{}", KEYS.fetch_add(1, Ordering::Relaxed))
}

/// The program, serving.
pub(crate) struct Stand {
    pub(crate) folder: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    child: Child,
    out: Receiver<String>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) head: String,
}

impl Got {
    pub(crate) fn of(seen: &Seen) -> Self {
        let text = seen.text();
        let head = text.split("\r\n\r\n").next().unwrap_or_default().to_ascii_lowercase();
        Self { status: seen.status(), body: serde_json::from_slice(seen.body()).unwrap_or_default(), head }
    }

    /// Status and code of a refusal.
    pub(crate) fn refusal(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }
}

pub(crate) fn command(folder: &Path, extra: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.current_dir(folder).arg("daemon");
    command.args(["--config-dir", "cfg", "--data", "data", "--wire-log", "wire.jsonl"]).args(extra);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Stand {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    pub(crate) fn with(name: &str, extra: &[&str]) -> Self {
        let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("daemon/{name}"));
        Self::in_folder(folder, extra)
    }

    pub(crate) fn in_folder(folder: PathBuf, extra: &[&str]) -> Self {
        let mut child = command(&folder, extra).spawn().unwrap();
        let out = lines(child.stdout.take().unwrap());
        let err = lines(child.stderr.take().unwrap());
        let Ok(banner) = out.recv_timeout(PATIENCE) else {
            panic!("it does not serve: {:?}", err.iter().collect::<Vec<_>>());
        };
        assert!(banner.starts_with("rehearsal daemon ["), "{banner}");
        let read = |name: &str| fs::read_to_string(folder.join("cfg/daemon").join(name)).unwrap();
        let descriptor: Value = serde_json::from_str(&read("control-api.json")).unwrap();
        let address = format!("127.0.0.1:{}", descriptor["port"]).parse().unwrap();
        assert_eq!(descriptor["tokenPath"], json!(folder.canonicalize().unwrap().join("cfg/daemon/token")));
        Self { address, token: read("token"), folder, child, out }
    }

    /// With a file of run scripts.
    pub(crate) fn scripted(name: &str, script: &str, extra: &[&str]) -> Self {
        let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("daemon/{name}"));
        fs::write(folder.join("runs.yaml"), script).unwrap();
        Self::in_folder(folder, &[&["--script", "runs.yaml"], extra].concat())
    }

    /// Puts the scripted clock forward.
    pub(crate) fn advance(&self, time: &str) {
        let got = self.post("/_control/clock", "", &json!({"advance": time}));
        assert_eq!(got.status, 200, "{got:?}");
    }

    /// Asks for the events of a run behind a row; the answer is still to be read.
    pub(crate) fn listen(&self, run: &str, after: &str) -> RawClient {
        let last = if after.is_empty() { String::new() } else { format!("Last-Event-ID: {after}\r\n") };
        let mut client = self.connect();
        let head = self.head(&format!("{last}Connection: close\r\n\r\n"));
        client.send(format!("GET /v2/runs/{run}/events HTTP/1.1\r\n{head}"));
        client
    }

    pub(crate) fn connect(&self) -> RawClient {
        RawClient::connect(self.address)
    }

    /// Head lines that every good request has.
    pub(crate) fn head(&self, extra: &str) -> String {
        format!(
            "Host: 127.0.0.1\r\nAuthorization: Bearer {}\r\nX-Claudexor-Protocol-Major: 3\r\n{extra}",
            self.token
        )
    }

    pub(crate) fn raw(&self, method: &str, path: &str, extra: &str, body: &[u8]) -> Got {
        let head = self.head(&format!("{extra}Content-Length: {}\r\n\r\n", body.len()));
        let mut request = format!("{method} {path} HTTP/1.1\r\n{head}").into_bytes();
        request.extend_from_slice(body);
        Got::of(&self.connect().send(request).reply())
    }

    pub(crate) fn get(&self, path: &str) -> Got {
        self.raw("GET", path, "", b"")
    }

    pub(crate) fn post(&self, path: &str, key: &str, body: &Value) -> Got {
        let key = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
        self.raw("POST", path, &key, body.to_string().as_bytes())
    }

    /// A start with further fields.
    pub(crate) fn start_with(&self, key: &str, prompt: &str, more: &Value) -> Got {
        self.post("/v2/runs", key, &start_body(prompt, more))
    }

    /// The id of a run that starts well.
    pub(crate) fn start(&self, prompt: &str) -> String {
        let got = self.start_with(&fresh(), prompt, &json!({}));
        assert_eq!(got.status, 200, "{got:?}");
        got.body["runId"].as_str().unwrap().to_owned()
    }

    pub(crate) fn detail(&self, run: &str) -> Value {
        let got = self.get(&format!("/v2/runs/{run}"));
        assert_eq!(got.status, 200, "{got:?}");
        got.body
    }

    pub(crate) fn pending(&self, run: &str) -> String {
        let detail = self.detail(run);
        detail["pendingInteractions"][0]["interactionId"].as_str().unwrap().to_owned()
    }

    pub(crate) fn answer(&self, run: &str, question: &str, answers: &Value) -> Got {
        let path = format!("/v2/runs/{run}/interactions/{question}/answer");
        self.post(&path, "", &json!({"answers": answers}))
    }

    pub(crate) fn message(&self, run: &str, key: &str, text: &str) -> Got {
        self.post(&format!("/v2/runs/{run}/messages"), key, &json!({"text": text}))
    }

    pub(crate) fn cancel(&self, run: &str) -> Got {
        self.post(&format!("/v2/runs/{run}/control"), "", &json!({"control": {"kind": "cancel"}}))
    }

    /// Names in the folder of runs.
    pub(crate) fn run_dirs(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.join("cfg/runs"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A fresh live tree and a private workspace, each with one tracked file.
    pub(crate) fn workspace(&self, name: &str) -> (PathBuf, PathBuf) {
        let (live, work) = (self.folder.join(name).join("live"), self.folder.join(name).join("work"));
        for folder in [&live, &work] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("tracked.txt"), "one\n").unwrap();
        }
        (live, work)
    }

    /// The process ends at once, without a chance to tidy up.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The process is asked to end, and does so well.
    pub(crate) fn stop(&mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
        assert_eq!(self.out.iter().count(), 0);
    }

    /// All facts of the journal, after `verify` found it whole.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let verified = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .arg("verify")
            .arg(self.folder.join("data"))
            .output();
        let verified = verified.unwrap();
        assert!(verified.status.success(), "{}", rehearsal_testkit::said(&verified));
        let runs = fs::read_dir(self.folder.join("data/daemon")).unwrap();
        let mut facts = Vec::new();
        for run in runs {
            let mut verifier = rehearsal_journal::verify::Verifier::new();
            let lines = fs::File::open(run.unwrap().path().join("journal-0001.jsonl")).unwrap();
            let seen = |_, event| {
                if let Event::Daemon(fact) = event {
                    facts.push(fact);
                }
            };
            verifier.segment(std::io::BufReader::new(lines), None::<&[u8]>, seen).unwrap();
        }
        facts
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn start_body(prompt: &str, more: &Value) -> Value {
    let mut body = json!({
        "prompt": prompt,
        "mode": "agent",
        "access": "workspace_write",
        "harnesses": ["fake-harness"],
        "primaryHarness": "fake-harness",
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// The fields of a start that writes in a workspace.
pub(crate) fn execution(work: &Path, live: &Path) -> Value {
    json!({
        "execution": {"isolation": "live", "delegated": true, "workspaceRoot": work},
        "scope": {"kind": "project", "root": live},
    })
}
