//! A client of ACP: it says what it is told to say, and holds every line that comes against the official schema, where the program
//! on it is built.

use rehearsal_journal::daemon::Fact;
use rehearsal_journal::event::Event;
use rehearsal_testkit::outside::ACP_SCHEMA;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{Heard, Program, scratch};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What comes from the agent.
#[derive(Debug)]
pub(crate) enum Said {
    /// `session/update`: what the update says.
    Update(Value),
    /// Another notification.
    Notice(String, Value),
    /// A request: id, method, parameters.
    Asks(u64, String, Value),
    /// An answer: the id, and a result or an error.
    Answers(u64, Result<Value, Value>),
    /// No JSON.
    Noise(String),
}

/// The client.
pub(crate) struct Client {
    pub(crate) folder: PathBuf,
    program: Option<Program>,
    count: u64,
    asked: BTreeMap<u64, String>,
    /// What is held against the schema, a line each.
    held: String,
}

impl Client {
    /// A client with all capabilities that has initialized.
    pub(crate) fn new(name: &str, script: &str, extra: &[&str]) -> Self {
        let mut client = Self::started(name, script, extra);
        client.initialize(&json!({"fs": {"writeTextFile": true, "readTextFile": true}, "terminal": true}));
        client
    }

    /// One that has said nothing yet.
    pub(crate) fn started(name: &str, script: &str, extra: &[&str]) -> Self {
        let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("acp/{name}"));
        fs::write(folder.join("runs.yaml"), script).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command.current_dir(&folder).args(["daemon", "--acp", "--data", "data", "--wire-log", "wire.jsonl"]);
        if !script.is_empty() {
            command.args(["--script", "runs.yaml"]);
        }
        command.args(extra).stderr(Stdio::inherit());
        Self {
            program: Some(Program::start(&mut command)),
            folder,
            count: 0,
            asked: BTreeMap::new(),
            held: String::new(),
        }
    }

    pub(crate) fn initialize(&mut self, capabilities: &Value) -> Value {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        self.call("initialize", &params).unwrap()
    }

    /// A new session.
    pub(crate) fn session(&mut self) -> String {
        let body = self.call("session/new", &json!({"cwd": "/work", "mcpServers": []})).unwrap();
        body["sessionId"].as_str().unwrap().to_owned()
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.program.as_mut().unwrap().say(line);
    }

    /// Asks, and does not wait for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.count += 1;
        self.asked.insert(self.count, method.to_owned());
        self.say(
            &json!({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}).to_string(),
        );
        self.count
    }

    /// Asks, and hears nothing but the answer.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        match self.hear() {
            Said::Answers(answered, outcome) if answered == id => outcome,
            other => panic!("{method}: {other:?}"),
        }
    }

    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> u64 {
        self.ask("session/prompt", &json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    fn hold(&mut self, what: &str, method: &str, body: &Value) {
        let line = json!({"what": what, "method": method, "body": body});
        self.held += &format!("{line}\n");
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.hold("client_notification", method, params);
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    pub(crate) fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", &json!({"sessionId": session}));
    }

    /// Answers a request of the agent.
    pub(crate) fn answer(&mut self, id: u64, result: &Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    /// Refuses one.
    pub(crate) fn refuse(&mut self, id: u64, code: i64) {
        let error = json!({"code": code, "message": "no"});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
    }

    /// What comes next.
    pub(crate) fn hear(&mut self) -> Said {
        let heard = self.program.as_ref().unwrap().hear(PATIENCE);
        let Heard::Line(line) = heard else { panic!("nothing comes: {heard:?}") };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { return Said::Noise(line) };
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        let id = message["id"].as_u64();
        let params = message["params"].clone();
        match (message["method"].as_str(), id) {
            (Some(method), Some(id)) => {
                self.hold("agent_request", method, &params);
                Said::Asks(id, method.to_owned(), params)
            }
            (Some("session/update"), None) => {
                self.hold("agent_notification", "session/update", &params);
                Said::Update(params["update"].clone())
            }
            (Some(method), None) => Said::Notice(method.to_owned(), params),
            (None, Some(id)) => Said::Answers(id, self.outcome(id, &message)),
            (None, None) => Said::Answers(0, Err(message["error"].clone())),
        }
    }

    fn outcome(&mut self, id: u64, message: &Value) -> Result<Value, Value> {
        let method = self.asked.get(&id).cloned().unwrap_or_else(|| panic!("nobody asked {id}"));
        if let Some(result) = message.get("result") {
            self.hold("agent_response", &method, result);
            return Ok(result.clone());
        }
        Err(message["error"].clone())
    }

    /// What comes until the prompt is answered: the updates, and the answer. Nothing may be asked.
    pub(crate) fn turn(&mut self, id: u64) -> (Vec<Value>, Result<Value, Value>) {
        let mut updates = Vec::new();
        loop {
            match self.hear() {
                Said::Update(update) => updates.push(update),
                Said::Answers(answered, outcome) if answered == id => return (updates, outcome),
                other => panic!("{other:?}"),
            }
        }
    }

    /// What comes until the agent asks for something: the updates, and the request.
    pub(crate) fn until_asked(&mut self) -> (Vec<Value>, u64, String, Value) {
        let mut updates = Vec::new();
        loop {
            match self.hear() {
                Said::Update(update) => updates.push(update),
                Said::Asks(id, method, params) => return (updates, id, method, params),
                other => panic!("{other:?}"),
            }
        }
    }

    /// A whole turn without questions: the text, and why it stopped.
    pub(crate) fn whole(&mut self, session: &str, text: &str) -> (String, Result<String, Value>) {
        let id = self.prompt(session, text);
        let (updates, outcome) = self.turn(id);
        (words(&updates), outcome.map(|body| body["stopReason"].as_str().unwrap().to_owned()))
    }

    /// The client leaves: the facts of the journal, after `verify` found it whole.
    pub(crate) fn leave(mut self) -> Vec<Fact> {
        // Its input ends, and so does the program, once it has taken that down.
        let mut program = self.program.take().unwrap();
        program.end_of_input();
        assert_eq!(program.hear(PATIENCE), Heard::End);
        drop(program);
        self.facts()
    }

    /// The agent is killed: the facts of the journal.
    pub(crate) fn killed(mut self) -> Vec<Fact> {
        drop(self.program.take());
        self.facts()
    }

    fn facts(&self) -> Vec<Fact> {
        let verified = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .arg("verify")
            .arg(self.folder.join("data"))
            .output()
            .unwrap();
        assert!(verified.status.success(), "{}", rehearsal_testkit::said(&verified));
        let run = fs::read_dir(self.folder.join("data/daemon")).unwrap().next().unwrap().unwrap().path();
        let mut facts = Vec::new();
        let mut verifier = rehearsal_journal::verify::Verifier::new();
        let lines = fs::File::open(run.join("journal-0001.jsonl")).unwrap();
        let seen = |_, event| {
            if let Event::Daemon(fact) = event {
                facts.push(fact);
            }
        };
        verifier.segment(std::io::BufReader::new(lines), None::<&[u8]>, seen).unwrap();
        facts
    }
}

/// The text of the agent's messages.
pub(crate) fn words(updates: &[Value]) -> String {
    let said = updates.iter().filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    said.filter_map(|update| update["content"]["text"].as_str()).collect()
}

impl Drop for Client {
    fn drop(&mut self) {
        let Some(program) = ACP_SCHEMA.path().filter(|_| !std::thread::panicking()) else { return };
        let held = holds(&program, &self.held);
        assert!(held.status.success(), "{}", rehearsal_testkit::said(&held));
    }
}

/// What the program on the schema says of these messages.
pub(crate) fn holds(program: &Path, held: &str) -> Output {
    let mut child = Command::new(program);
    let mut child =
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It leaves at the first message that it does not know.
    drop(child.stdin.take().unwrap().write_all(held.as_bytes()));
    child.wait_with_output().unwrap()
}
