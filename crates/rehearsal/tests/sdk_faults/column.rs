//! One library in one form under every fault: a provider of its own, a client of its own, one question after the other.

use crate::Library;
use crate::outcome::{Outcome, Seen};
use rehearsal_testkit::{Heard, Program, RawClient, scratch};
use rehearsal_wire::fault::{FAULTS, Fault, Group};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// After how many seconds a client is stopped that has said nothing: thrice its own timeout, so that another attempt fits in.
pub(crate) const LIMIT: u64 = 10;

/// How long a library may take to start, and to ask for the first time: a dozen of them do so at once.
const START: Duration = Duration::from_secs(120);

/// What a fault needs to find something in these answers, where that is not what it does by itself.
const SET: &[(&str, &str)] = &[("parallel-tool-calls", "count=3")];

/// The prompts of the suite: one is answered by words, the other by two calls.
const TEXT: &str = "text";
const CALLS: &str = "calls";

/// The fault as it is laid.
pub(crate) fn named(row: &Fault) -> String {
    match SET.iter().find(|(name, _)| *name == row.name) {
        Some((name, set)) => format!("{name}:{set}"),
        None => row.name.to_owned(),
    }
}

/// What is being measured.
pub(crate) struct Column {
    library: &'static Library,
    form: &'static str,
    _provider: Program,
    address: SocketAddr,
    /// What the provider writes down, and how much of it was read.
    journal: PathBuf,
    read: usize,
    /// What starts the client, which is done anew after it hung.
    command: Command,
    client: Program,
    version: String,
}

/// What was measured.
pub(crate) struct Measured {
    pub(crate) library: &'static Library,
    pub(crate) form: &'static str,
    /// The version of the library that ran.
    pub(crate) version: String,
    /// What came of each fault, in the order of the catalogue; none where the dialect cannot have it.
    pub(crate) seen: Vec<Option<Seen>>,
}

impl Column {
    pub(crate) fn start(library: &'static Library, form: &'static str) -> Self {
        let name = format!("{}-{form}", library.client);
        let data = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("sdk-faults-{name}"));
        let suite = crate::folder().join("suite.yaml");
        let (provider, address) = Program::serving(env!("CARGO_BIN_EXE_rehearsal"), &suite, &data);
        let mut command = library.command();
        command.arg(format!("http://{address}{}", library.base)).arg(form);
        let (client, version) = client(&mut command);
        let journal = journal(&data);
        Self { library, form, _provider: provider, address, journal, read: 0, command, client, version }
    }

    pub(crate) fn measure(mut self) -> Measured {
        let dialect = self.library.dialect;
        let whole = [TEXT, CALLS].map(|prompt| (prompt, self.told(prompt)));
        for (prompt, told) in &whole {
            assert!(told.get("text").is_some(), "{} {prompt}: {told}", self.library.client);
        }
        let mut under = |row: &Fault| {
            self.lay(&named(row));
            // A fault that finds nothing to break in words may find it in calls.
            if row.group != Group::ToolCalls {
                let (prompt, answer) = &whole[0];
                let seen = self.seen(prompt, answer);
                if seen.outcome != Outcome::Unmet {
                    return seen;
                }
            }
            let (prompt, answer) = &whole[1];
            self.seen(prompt, answer)
        };
        let seen = FAULTS.iter().map(|row| row.dialects.include(dialect).then(|| under(row))).collect();
        Measured { library: self.library, form: self.form, version: self.version, seen }
    }

    /// Puts a fault over the answers of the provider.
    fn lay(&self, fault: &str) {
        let body = format!("{{\"fault\": \"{fault}\"}}");
        let head =
            format!("POST /gate/faults HTTP/1.1\r\nHost: {}\r\nContent-Length: {}", self.address, body.len());
        let mut control = RawClient::connect(self.address);
        let reply = control.send(format!("{head}\r\nContent-Type: application/json\r\n\r\n{body}")).reply();
        assert_eq!(reply.status(), 200, "{fault}: {}", reply.text());
    }

    /// Asks under the fault.
    fn seen(&mut self, prompt: &str, whole: &Value) -> Seen {
        self.client.say(prompt);
        let heard = self.client.hear(Duration::from_secs(LIMIT));
        let (requests, met) = self.asked();
        let outcome = match &heard {
            _ if !met => Outcome::Unmet,
            Heard::Line(line) => Outcome::of(&serde_json::from_str(line).unwrap(), whole),
            Heard::End => Outcome::RawError("the program ended".to_owned()),
            Heard::Silence => Outcome::Hung,
        };
        if matches!(heard, Heard::End | Heard::Silence) {
            self.client = client(&mut self.command).0;
        }
        Seen { outcome, requests }
    }

    /// What the client tells when nothing is wrong.
    fn told(&mut self, prompt: &str) -> Value {
        self.client.say(prompt);
        let heard = self.client.hear(START);
        let Heard::Line(line) = heard else { panic!("{} {prompt}: {heard:?}", self.library.client) };
        self.asked();
        serde_json::from_str(&line).unwrap()
    }

    /// How many requests came since this was asked last, and whether a fault broke the answer to one of them.
    fn asked(&mut self) -> (usize, bool) {
        let text = std::fs::read_to_string(&self.journal).unwrap();
        let fresh: Vec<Value> =
            text[self.read..].lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        self.read = text.len();
        let asked = |event: &&Value| event["event"] == "asked" && event["kind"] != "aside";
        let requests: Vec<_> = fresh.iter().filter(asked).collect();
        let met = requests.iter().any(|event| event["delivered"]["fault"].is_string());
        (requests.len(), met)
    }
}

/// A client, and the version of its library, which is the first that it tells.
fn client(command: &mut Command) -> (Program, String) {
    let program = Program::start(command);
    let heard = program.hear(START);
    let Heard::Line(line) = &heard else { panic!("{command:?} does not start: {heard:?}") };
    let told: Value = serde_json::from_str(line).unwrap();
    (program, told["version"].as_str().unwrap().to_owned())
}

/// The journal of the one provider that kept it in this folder.
fn journal(data: &Path) -> PathBuf {
    let run = std::fs::read_dir(data.join("serve")).unwrap().next().unwrap().unwrap();
    run.path().join("journal-0001.jsonl")
}
