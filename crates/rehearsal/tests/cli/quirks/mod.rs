//! Every quirk of the collection, as a provider that has it and what one task at it comes to.
//!
//! A row says how the quirk is made (a fault of the scripted provider, its script, raw bytes, or what a person gave) and what
//! `drive` must then tell and leave. A quirk without a row fails a test.

mod files;
mod network;
mod provider;
mod raw;
mod words;

use crate::replaying::Server;
use crate::sandbox::{Ended, Sandbox};
use raw::Raw;
use serde_json::{Value, json};
use std::fs;

/// The numbers of the collection.
const ALL: std::ops::RangeInclusive<u32> = 1..=62;

/// What the file holds before.
const BEFORE: &str = "one\ntwo\n";

/// What a good answer makes of it.
const AFTER: &str = "one\nthree\n";

/// How a provider has a quirk.
enum Has {
    /// The scripted provider is told to have this fault, and plays these steps.
    Fault(&'static str, Vec<Value>),
    /// The scripted provider plays these steps.
    Script(Vec<Value>),
    /// These answers, byte for byte.
    Raw(Vec<String>),
}

/// One row.
struct Row {
    /// The number in the collection.
    quirk: u32,
    has: Has,
    /// What is given to `drive` beside the task.
    more: Vec<&'static str>,
    /// Variables of its environment.
    env: Vec<(&'static str, String)>,
    /// The endpoint, from the address of the provider.
    endpoint: fn(std::net::SocketAddr) -> String,
    /// The owned file before; none where [`Row::set`] makes it.
    before: Vec<u8>,
    /// What else stands in the sandbox.
    set: fn(&Sandbox),
    /// What must stand in the report; `~` before a text asks for a part of it.
    wants: Value,
    /// The exit code.
    code: i32,
    /// What must be said on the terminal.
    says: &'static str,
    /// The owned file afterwards.
    left: Vec<u8>,
    /// What must be told nowhere.
    hides: &'static str,
    /// What a raw provider must have heard, and with `!` before it what it must not.
    heard: Vec<&'static str>,
}

/// A row whose task is done as if there were no quirk, in one request.
fn row(quirk: u32, has: Has) -> Row {
    Row {
        quirk,
        has,
        more: Vec::new(),
        env: Vec::new(),
        endpoint: |address| format!("http://{address}/v1"),
        before: BEFORE.into(),
        set: |_| {},
        wants: json!({"outcome": "applied", "error": null}),
        code: 0,
        says: "",
        left: AFTER.into(),
        hides: "",
        heard: Vec::new(),
    }
}

/// A fault of the scripted provider, whose model gives a good answer.
fn fault(quirk: u32, name: &'static str) -> Row {
    row(quirk, Has::Fault(name, vec![step(&good())]))
}

impl Row {
    fn with(mut self, more: &[&'static str]) -> Self {
        self.more.extend(more);
        self
    }

    fn wants(mut self, more: &Value) -> Self {
        let all = self.wants.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        self
    }

    fn requests(self, count: usize) -> Self {
        self.wants(&json!({"attempts": vec![json!({}); count]}))
    }

    /// Nothing is written, and this is why.
    fn fails(mut self, class: &str, reason: Option<&str>, message: &str) -> Self {
        let error = json!({"class": class, "reason": reason, "message": format!("~{message}")});
        self.left.clone_from(&self.before);
        Self { code: 1, ..self }.wants(&json!({"outcome": "failed", "error": error}))
    }

    /// What else must stand in the error.
    fn tells(mut self, more: &Value) -> Self {
        let error = self.wants["error"].as_object_mut().unwrap();
        error.extend(more.as_object().unwrap().clone());
        self
    }

    fn hides(self, hides: &'static str) -> Self {
        Self { hides, ..self }
    }

    fn hears(mut self, words: &[&'static str]) -> Self {
        self.heard.extend(words);
        self
    }

    fn exits(self, code: i32) -> Self {
        Self { code, ..self }
    }

    /// The file before, which is left where nothing else is said.
    fn file(self, before: &str, left: &str) -> Self {
        Self { before: before.into(), left: left.into(), ..self }
    }
}

/// An answer that makes this of the file.
fn patch(contents: &str) -> String {
    json!({"files": [{"path": "a.py", "contents": contents}], "summary": "s", "done": true}).to_string()
}

fn good() -> String {
    patch(AFTER)
}

/// A step of a script in which the model says this.
fn step(text: &str) -> Value {
    json!({"text": text, "usage": {"prompt_tokens": 900, "completion_tokens": 9}})
}

/// Whether all that is wanted stands in what there is, and where it first does not.
fn holds(there: &Value, wanted: &Value, at: &str) -> Result<(), String> {
    let differs = || Err(format!("{at}: {there}, not {wanted}"));
    match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => wanted.iter().try_for_each(|(key, wanted)| {
            holds(there.get(key).unwrap_or(&Value::Null), wanted, &format!("{at}/{key}"))
        }),
        (Value::Array(there), Value::Array(wanted)) if there.len() == wanted.len() => {
            let pairs = there.iter().zip(wanted).enumerate();
            pairs.into_iter().try_for_each(|(n, (there, wanted))| holds(there, wanted, &format!("{at}/{n}")))
        }
        (Value::String(there), Value::String(wanted)) if wanted.starts_with('~') => {
            if there.contains(&wanted[1..]) { Ok(()) } else { differs() }
        }
        _ if there == wanted => Ok(()),
        _ => differs(),
    }
}

/// The provider of a row.
enum Provider {
    Scripted(Server),
    Raw(Raw),
}

fn provider(sandbox: &Sandbox, has: Has) -> Provider {
    let (fault, steps) = match has {
        Has::Raw(answers) => return Provider::Raw(Raw::start(answers)),
        Has::Fault(name, steps) => (Some(name), steps),
        Has::Script(steps) => (None, steps),
    };
    let phrasings = json!([{"id": "t", "prompt": "Change two"}]);
    let task = json!({"advance": "request", "script": steps, "phrasings": phrasings});
    let suite = json!({"version": 1, "rules": {"one-token-limit": false}, "classes": {"task": task}});
    sandbox.write("suite.json", suite.to_string().as_bytes());
    let fixed = ["serve", "--port", "0", "--scenarios", "suite.json", "--data", "served"];
    let more: Vec<&str> = fault.iter().flat_map(|name| ["--fault", name]).collect();
    Provider::Scripted(Server::start(sandbox, &[&fixed[..], &more].concat()))
}

/// What a row comes to, where it is not what it should be.
fn judge(row: Row) -> Result<(), String> {
    let sandbox = Sandbox::with(&[]);
    fs::create_dir(sandbox.path("tree")).unwrap();
    if !row.before.is_empty() {
        sandbox.write("tree/a.py", &row.before);
    }
    (row.set)(&sandbox);
    let provider = provider(&sandbox, row.has);
    let address = match &provider {
        Provider::Scripted(server) => server.address,
        Provider::Raw(raw) => raw.address,
    };
    let endpoint = (row.endpoint)(address);
    let fixed = ["drive", "--endpoint", &endpoint, "--model", "m", "--prompt", "Change two", "--workdir"];
    let owned = ["tree", "--owns", "a.py", "--data", "drive", "--json"];
    let mut command = sandbox.command(&[&fixed[..], &owned, &row.more].concat());
    command.env_remove("OPENAI_API_KEY").envs(row.env);
    let ended = crate::sandbox::finish(command.spawn().unwrap());
    let all = |what: String| format!("q{:02}: {what}\n{ended:?}", row.quirk);
    let Ended { code, out, err } = &ended;
    if *code != Some(row.code) || !err.contains(row.says) {
        return Err(all(format!("not code {} with {:?}", row.code, row.says)));
    }
    if !row.hides.is_empty() && [out, err].iter().any(|told| told.contains(row.hides)) {
        return Err(all(format!("{} is told", row.hides)));
    }
    if row.code != 2 {
        let report = serde_json::from_str(out).map_err(|error| all(error.to_string()))?;
        holds(&report, &row.wants, "").map_err(&all)?;
    }
    let left = fs::read(sandbox.path("tree/a.py")).unwrap_or_default();
    if left != row.left {
        return Err(all(format!("the file holds {:?}", String::from_utf8_lossy(&left))));
    }
    let heard = match &provider {
        Provider::Scripted(_) => String::new(),
        Provider::Raw(raw) => raw.heard().to_ascii_lowercase(),
    };
    for words in row.heard {
        let wanted = words.trim_start_matches('!').to_ascii_lowercase();
        if heard.contains(&wanted) == words.starts_with('!') {
            return Err(all(format!("{words} of what was heard: {heard}")));
        }
    }
    Ok(())
}

fn judge_all(rows: Vec<Row>) {
    let wrong: Vec<String> = rows.into_iter().filter_map(|row| judge(row).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_task_at_a_provider_with_a_quirk_of_its_answers_comes_to_what_is_right() {
    judge_all(words::rows());
}

#[test]
fn a_task_at_a_provider_with_a_quirk_of_its_own_comes_to_what_is_right() {
    judge_all(provider::rows());
}

#[test]
fn a_task_at_a_place_with_a_quirk_comes_to_what_is_right() {
    judge_all(network::rows());
}

#[test]
fn a_task_whose_answer_would_spoil_files_leaves_them() {
    judge_all(files::rows());
}

#[test]
fn every_quirk_of_the_collection_has_a_row() {
    let tables = [words::rows(), provider::rows(), network::rows(), files::rows()];
    let numbers: Vec<u32> = tables.into_iter().flatten().map(|row| row.quirk).collect();
    for number in ALL {
        assert!(numbers.contains(&number), "q{number:02} has no row");
    }
}
