//! The front under arbitrary clients: it never panics, answers every request once, and takes down whatever it says.

use super::{Front, Out};
use crate::run::LiveInput;
use crate::setting::{Manner, Setting};
use proptest::prelude::*;
use rehearsal_journal::daemon::{Fact, Sum};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One thing that a client does. Numbers choose among what is there, round and round.
#[derive(Clone, Debug)]
enum Op {
    New,
    Prompt {
        session: u8,
        markers: u8,
    },
    Cancel(u8),
    Close(u8),
    Load(u8),
    /// The prompt that was asked last is recalled.
    Recall,
    /// A request of the agent is answered, somehow.
    Answer {
        request: u8,
        how: u8,
    },
    /// Whatever.
    Line(String),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => Just(Op::New),
        5 => (any::<u8>(), 0..32_u8).prop_map(|(session, markers)| Op::Prompt { session, markers }),
        2 => any::<u8>().prop_map(Op::Cancel),
        1 => any::<u8>().prop_map(Op::Close),
        1 => any::<u8>().prop_map(Op::Load),
        1 => Just(Op::Recall),
        6 => (any::<u8>(), any::<u8>()).prop_map(|(request, how)| Op::Answer { request, how }),
        1 => any::<String>().prop_map(Op::Line),
        1 => "[{}\\[\\]\":,0-9a-z ]{0,40}".prop_map(Op::Line),
    ]
}

const MARKERS: [&str; 5] = ["HANG", "ASK", "TURN", "INPUT_REQUIRED", "MUTATE"];

fn setting() -> Setting {
    Setting { runs: String::new(), live: LiveInput::None, ..Setting::of_tests(Manner::Corrected) }
}

/// The front, and what its client has seen.
struct Client {
    front: Front,
    asked: u64,
    /// Answers by the id of the request.
    answers: BTreeMap<u64, u64>,
    sessions: Vec<String>,
    /// Requests of the agent: id and parameters.
    open: Vec<(u64, Value)>,
    prompt: u64,
    started: u64,
    ended: u64,
}

impl Client {
    fn new() -> Self {
        let mut client = Self {
            front: Front::new(setting(), false),
            asked: 0,
            answers: BTreeMap::new(),
            sessions: Vec::new(),
            open: Vec::new(),
            prompt: 0,
            started: 0,
            ended: 0,
        };
        let can = json!({"fs": {"writeTextFile": true}});
        client.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": can}));
        client
    }

    fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.say(&line.to_string());
        self.asked
    }

    fn say(&mut self, line: &str) {
        let outs = self.front.heard(line.as_bytes(), Setting::CLOCK_MS);
        assert!(
            matches!(outs.first(), Some(Out::Fact(Fact::LineHeard(heard))) if heard.line == Sum::of(line.as_bytes()))
        );
        self.hear(outs);
    }

    fn hear(&mut self, outs: Vec<Out>) {
        let mut told = None;
        for out in outs {
            match out {
                Out::Fact(Fact::LineSaid(said)) => told = Some(said.line),
                Out::Fact(Fact::RunStarted { .. }) => self.started += 1,
                Out::Fact(Fact::RunEnded { .. }) => self.ended += 1,
                Out::Fact(_) => {}
                Out::Line(line) => {
                    assert_eq!(
                        told.take(),
                        Some(Sum::of(line.as_bytes())),
                        "it was taken down before: {line}"
                    );
                    assert!(!line.contains('\n'));
                    self.message(&serde_json::from_str(&line).unwrap());
                }
            }
        }
    }

    fn message(&mut self, message: &Value) {
        match (message["method"].as_str(), message["id"].as_u64()) {
            (Some(_), Some(id)) => self.open.push((id, message["params"].clone())),
            (None, Some(id)) => {
                *self.answers.entry(id).or_default() += 1;
                if let Some(session) = message["result"]["sessionId"].as_str() {
                    self.sessions.push(session.to_owned());
                }
            }
            _ => {}
        }
    }

    fn session(&self, choice: u8) -> String {
        let at = usize::from(choice).checked_rem(self.sessions.len());
        at.map_or_else(|| "none".to_owned(), |at| self.sessions[at].clone())
    }

    fn play(&mut self, op: &Op) {
        match op {
            Op::New => drop(self.ask("session/new", &json!({"cwd": "/w", "mcpServers": []}))),
            Op::Prompt { session, markers } => {
                let named = MARKERS.iter().enumerate().filter(|(at, _)| markers & (1 << at) != 0);
                let text: String = named.map(|(_, marker)| format!("[FAKE:{marker}]")).collect();
                let prompt = json!([{"type": "text", "text": text}]);
                let params = json!({"sessionId": self.session(*session), "prompt": prompt});
                self.prompt = self.ask("session/prompt", &params);
            }
            Op::Cancel(session) => {
                let params = json!({"sessionId": self.session(*session)});
                self.say(
                    &json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}).to_string(),
                );
            }
            Op::Close(session) => {
                let params = json!({"sessionId": self.session(*session)});
                self.ask("session/close", &params);
            }
            Op::Load(session) => {
                let params = json!({"sessionId": self.session(*session), "cwd": "/v", "mcpServers": []});
                self.ask("session/load", &params);
            }
            Op::Recall => {
                let params = json!({"requestId": self.prompt});
                self.say(
                    &json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": params}).to_string(),
                );
            }
            Op::Answer { request, how } => self.answer(*request, *how),
            // One that asks for something by chance could not be told from ours.
            Op::Line(line) if line.contains("jsonrpc") => {}
            Op::Line(line) => {
                let known = self.answers.clone();
                self.say(line);
                self.answers = known;
            }
        }
    }

    fn answer(&mut self, request: u8, how: u8) {
        let Some(at) = usize::from(request).checked_rem(self.open.len()) else { return };
        let (id, params) = self.open.remove(at);
        let option = params["options"][usize::from(how) % 3]["optionId"].clone();
        let outcome = match how % 5 {
            0 => json!({"error": {"code": -32601, "message": "no"}}),
            1 => json!({"result": {"outcome": {"outcome": "cancelled"}}}),
            2 => json!({"result": null}),
            _ => json!({"result": {"outcome": {"outcome": "selected", "optionId": option}}}),
        };
        let mut line = json!({"jsonrpc": "2.0", "id": id});
        line.as_object_mut().unwrap().extend(outcome.as_object().unwrap().clone());
        self.say(&line.to_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered_once_whatever_the_client_does(ops in prop::collection::vec(op(), 1..60)) {
        let mut client = Client::new();
        for op in &ops {
            client.play(op);
            prop_assert!(client.answers.values().all(|answers| *answers == 1));
        }
        for session in client.sessions.clone() {
            let params = json!({"sessionId": session});
            client.say(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}).to_string());
        }
        prop_assert!(client.answers.keys().copied().eq(1..=client.asked));
        let last = client.front.left(Setting::CLOCK_MS);
        prop_assert!(last.is_empty());
        prop_assert_eq!(client.started, client.ended);
    }
}
