//! The core under arbitrary requests, times and outcomes of what is done in the world, beside a model of the contract.

use super::{Decision, Heard, Step, Work, judge, resume, tick};
use crate::effect::{Blocked, Effect};
use crate::run::{State as Stand, What};
use crate::setting::{Manner, Setting};
use crate::state::State;
use crate::v2::{Body, Form};
use proptest::prelude::*;
use rehearsal_journal::daemon::Fact;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One thing that somebody does. Numbers choose among what is there, round and round.
#[derive(Clone, Debug)]
enum Op {
    Start {
        key: u8,
        markers: u8,
    },
    Poll(u8),
    Answer {
        run: u8,
        late: bool,
    },
    Message {
        run: u8,
        key: u8,
        text: u8,
    },
    Cancel(u8),
    Listen(u8),
    /// Time passes, milliseconds: never so long in all that a question of the real daemon is given up.
    Wait(u16),
    /// The oldest work in the world is done, well or not.
    Work(bool),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..6_u8, 0..64_u8).prop_map(|(key, markers)| Op::Start { key, markers }),
        5 => any::<u8>().prop_map(Op::Poll),
        4 => (any::<u8>(), any::<bool>()).prop_map(|(run, late)| Op::Answer { run, late }),
        4 => (any::<u8>(), 0..8_u8, 0..2_u8).prop_map(|(run, key, text)| Op::Message { run, key, text }),
        2 => any::<u8>().prop_map(Op::Cancel),
        1 => any::<u8>().prop_map(Op::Listen),
        2 => (0..10_000_u16).prop_map(Op::Wait),
        4 => prop::bool::weighted(0.8).prop_map(Op::Work),
    ]
}

const MARKERS: [&str; 6] = ["HANG", "ASK", "TURN", "INPUT_REQUIRED", "MUTATE", "REFUSE"];

fn prompt(markers: u8) -> String {
    let named = MARKERS.iter().enumerate().filter(|(at, _)| markers & (1 << at) != 0);
    named.map(|(_, marker)| format!("[FAKE:{marker}]")).chain(["work".to_owned()]).collect()
}

/// What the contract says of a run, kept apart from the code that plays it.
#[derive(Debug)]
struct Model {
    hangs: bool,
    fails: bool,
    /// Questions that are still to be answered; the first one is open.
    questions: usize,
    over: Option<&'static str>,
}

impl Model {
    fn new(markers: u8) -> Self {
        let has = |at: u8| markers & (1 << at) != 0;
        let questions = match (has(1), has(2)) {
            (false, false) => 0,
            (true, false) => 1,
            (_, true) => 2,
        };
        Self { hangs: has(0), fails: has(3), questions, over: None }
    }

    fn poll(&mut self) {
        if self.over.is_none() && !self.hangs && self.questions == 0 {
            self.over = Some(if self.fails { "failed" } else { "succeeded" });
        }
    }

    fn cancel(&mut self) {
        if self.over.is_none() {
            self.over = Some("cancelled");
            self.questions = 0;
        }
    }

    fn message(&self) -> &'static str {
        match (self.over, self.questions) {
            (Some(_), _) => "run_terminal",
            (None, 1..) => "interaction_pending",
            (None, 0) => "",
        }
    }
}

/// The core, the model, and what is under way.
struct Machine {
    setting: Setting,
    state: State,
    now_ms: u64,
    works: Vec<(Box<Work>, Asked)>,
    models: BTreeMap<String, Model>,
    order: Vec<String>,
    /// What each key was first answered, with the body that it came with.
    first: BTreeMap<String, (String, u16, Value)>,
    seqs: BTreeMap<String, u64>,
    facts: Vec<Fact>,
}

/// What a request was about.
#[derive(Clone, Debug)]
enum Asked {
    Start { key: String, body: String, markers: u8 },
    Poll(String),
    Answer { run: String, open: bool },
    Message { run: String, key: String, body: String },
    Cancel(String),
    Listen,
}

impl Machine {
    fn new(manner: Manner) -> Self {
        Self {
            setting: Setting::of_tests(manner),
            state: State::default(),
            now_ms: Setting::CLOCK_MS,
            works: Vec::new(),
            models: BTreeMap::new(),
            order: Vec::new(),
            first: BTreeMap::new(),
            seqs: BTreeMap::new(),
            facts: Vec::new(),
        }
    }

    fn run(&self, choice: u8) -> Option<String> {
        let at = usize::from(choice).checked_rem(self.order.len())?;
        Some(self.order[at].clone())
    }

    /// Asks; what must be done first is done meanwhile, or later.
    fn ask(&mut self, method: &str, path: &str, key: &str, body: &str, asked: Asked) {
        loop {
            let heard = Heard {
                method,
                target: path,
                authorization: b"Bearer t",
                host: "127.0.0.1",
                key,
                major: "3",
                body: Body::read(body.as_bytes()),
                ..Heard::nothing()
            };
            match judge(&mut self.state, &self.setting, &heard, self.now_ms) {
                Step::Done(decision) => return self.decided(*decision, asked),
                Step::Work(work) => return self.works.push((work, asked)),
                // Whatever is waited for is under way.
                Step::Wait => self.work(true),
            }
        }
    }

    /// The oldest work is done.
    fn work(&mut self, well: bool) {
        if self.works.is_empty() {
            return;
        }
        let (work, asked) = self.works.remove(0);
        let outcome = match (&work.effect, well) {
            (Effect::Begin { edits, .. }, true) => Ok(edits.is_some()),
            (Effect::Edit { .. }, true) => Ok(true),
            (Effect::Telemetry { .. }, true) => Ok(false),
            (Effect::Begin { edits: Some(_), .. } | Effect::Edit { .. }, false) => {
                Err(Blocked::Refused { path: "tracked.txt".to_owned(), why: "it is a link".to_owned() })
            }
            (Effect::Begin { edits: None, .. } | Effect::Telemetry { .. }, false) => {
                Err(Blocked::Disk("full".to_owned()))
            }
        };
        match resume(&mut self.state, &self.setting, *work, outcome, self.now_ms) {
            Step::Done(decision) => self.decided(*decision, asked),
            Step::Work(work) => self.works.push((work, asked)),
            Step::Wait => panic!("work under way waits for nobody"),
        }
    }

    fn decided(&mut self, decision: Decision, asked: Asked) {
        let Decision { reply, decided, facts, .. } = decision;
        self.facts.extend(facts);
        let status = reply.status;
        let body = match &reply.form {
            Form::Whole(_, bytes) => serde_json::from_slice(bytes).unwrap(),
            Form::Events { .. } | Form::A2a(_) => Value::Null,
        };
        match asked {
            Asked::Start { key, body: asked, markers } => {
                if let (200, Some(run)) = (status, body["runId"].as_str().map(str::to_owned))
                    && !decided.replayed
                {
                    self.models.insert(run.clone(), Model::new(markers));
                    self.order.push(run);
                }
                self.replayed(&key, &asked, status, &body);
            }
            Asked::Poll(run) => {
                let model = self.models.get_mut(&run).unwrap();
                if status == 503 {
                    // Its telemetry could not be written; the read counted.
                    model.poll();
                    return;
                }
                assert_eq!(status, 200, "{body}");
                model.poll();
                let summary = &body["summary"];
                assert_eq!(summary["state"].as_str(), Some(model.over.unwrap_or("running")));
                assert_eq!(summary["waitingOnUser"].as_bool(), Some(model.questions > 0));
                assert_eq!(body["pendingInteractions"].as_array().unwrap().len(), model.questions.min(1));
                let seq = body["lastSeq"].as_u64().unwrap();
                let before = self.seqs.insert(run, seq).unwrap_or(0);
                assert!(before <= seq, "the cursor fell from {before} to {seq}");
            }
            Asked::Answer { run, open } => {
                assert_eq!(status, if open { 200 } else { 409 }, "{body}");
                let model = self.models.get_mut(&run).unwrap();
                if open {
                    model.questions -= 1;
                }
            }
            Asked::Message { run, key, body: asked } => {
                let known = self.first.contains_key(&key);
                if !known && status == 200 {
                    let reason = self.models[&run].message();
                    assert_eq!(body["reason"].as_str().unwrap_or_default(), reason);
                    assert_eq!(body["accepted"].as_bool(), Some(reason.is_empty()));
                }
                self.replayed(&key, &asked, status, &body);
            }
            Asked::Cancel(run) => {
                let model = self.models.get_mut(&run).unwrap();
                let late = model.over.is_some() && self.setting.manner == Manner::Engine;
                assert_eq!(status, if late { 409 } else { 200 });
                model.cancel();
            }
            Asked::Listen => assert_eq!(status, 200),
        }
    }

    /// A key gives its first answer for ever, and a conflict for anything else.
    fn replayed(&mut self, key: &str, asked: &str, status: u16, body: &Value) {
        let Some((first, first_status, first_body)) = self.first.get(key) else {
            if body["code"] == "idempotency_conflict" {
                // The first one is still under way, and may yet come to nothing.
                let is_it = |asked: &Asked| matches!(asked, Asked::Start { key: it, .. } if it == key);
                assert!(self.works.iter().any(|(_, asked)| is_it(asked)), "{key}");
            } else if status != 503 {
                // Nothing is kept where our own files could not be written.
                self.first.insert(key.to_owned(), (asked.to_owned(), status, body.clone()));
            }
            return;
        };
        if first == asked {
            assert_eq!((status, body), (*first_status, first_body), "{key}");
        } else {
            assert_eq!((status, body["code"].as_str()), (409, Some("idempotency_conflict")), "{key}");
        }
    }

    fn play(&mut self, op: &Op) {
        match op {
            Op::Start { key, markers } => {
                let key = format!("start-{key}");
                let body = json!({
                    "prompt": prompt(*markers),
                    "mode": "agent",
                    "harnesses": ["h"],
                    "primaryHarness": "h",
                    "execution": {"workspaceRoot": "/w", "isolation": "live", "delegated": true},
                    "scope": {"kind": "project", "root": "/l", "ephemeral": true},
                })
                .to_string();
                let asked = Asked::Start { key: key.clone(), body: body.clone(), markers: *markers };
                self.ask("POST", "/v2/runs", &key, &body, asked);
            }
            Op::Poll(run) => {
                let Some(run) = self.run(*run) else { return };
                self.ask("GET", &format!("/v2/runs/{run}"), "", "", Asked::Poll(run));
            }
            Op::Answer { run, late } => {
                let Some(run) = self.run(*run) else { return };
                let open = self.state.run(&run).and_then(|run| run.open.as_ref()).map(|open| open.id.clone());
                let asked = self.state.run(&run).and_then(|run| {
                    let asked = run.timeline.iter().find_map(|row| match &row.what {
                        What::Asked(id) => Some(id.clone()),
                        _ => None,
                    });
                    asked.filter(|id| Some(id) != open.as_ref())
                });
                let Some(question) = (if *late { asked } else { open }) else { return };
                let path = format!("/v2/runs/{run}/interactions/{question}/answer");
                let body = json!({"answers": [{"freeText": "x"}]}).to_string();
                self.ask("POST", &path, "", &body, Asked::Answer { run, open: !late });
            }
            Op::Message { run, key, text } => {
                let Some(run) = self.run(*run) else { return };
                let key = format!("message-{key}");
                let body = json!({"text": format!("words {text}")}).to_string();
                let asked =
                    Asked::Message { run: run.clone(), key: key.clone(), body: format!("{run} {body}") };
                self.ask("POST", &format!("/v2/runs/{run}/messages"), &key, &body, asked);
            }
            Op::Cancel(run) => {
                let Some(run) = self.run(*run) else { return };
                let body = json!({"control": {"kind": "cancel"}}).to_string();
                self.ask("POST", &format!("/v2/runs/{run}/control"), "", &body, Asked::Cancel(run));
            }
            Op::Listen(run) => {
                let Some(run) = self.run(*run) else { return };
                self.ask("GET", &format!("/v2/runs/{run}/events"), "", "", Asked::Listen);
            }
            Op::Wait(time) => self.wait(u64::from(*time)),
            Op::Work(well) => self.work(*well),
        }
        self.check();
    }

    fn wait(&mut self, time: u64) {
        self.now_ms += time;
        for step in tick(&mut self.state, &self.setting, self.now_ms) {
            let Step::Done(decision) = step else { panic!("markers leave the clock nothing to do") };
            self.facts.extend(decision.facts);
        }
    }

    /// What holds of every run at every moment.
    fn check(&self) {
        for run in self.state.runs.values() {
            let seqs: Vec<u64> = run.timeline.iter().map(|row| row.seq).collect();
            assert!(seqs.iter().copied().eq(1..=seqs.len() as u64));
            assert!(run.timeline.is_sorted_by_key(|row| row.at_ms));
            let ends = run.timeline.iter().filter(|row| matches!(row.what, What::Ended(_))).count();
            assert_eq!(ends, usize::from(run.state != Stand::Running));
            assert!(run.state == Stand::Running || run.open.is_none(), "{} waits behind its end", run.id);
        }
    }

    /// The journal alone says how every run stands.
    fn check_facts(&self) {
        let mut told: BTreeMap<&str, (&str, Option<&str>)> = BTreeMap::new();
        for fact in &self.facts {
            match fact {
                Fact::RunStarted { run, .. } => {
                    assert!(told.insert(run, ("running", None)).is_none(), "{run}")
                }
                Fact::RunEnded { run, state, .. } => {
                    let known = told.get_mut(run.as_str()).unwrap();
                    assert_eq!(known.0, "running");
                    known.0 = state;
                }
                Fact::QuestionAsked { run, question } => {
                    assert_eq!(told.get_mut(run.as_str()).unwrap().1.replace(question), None);
                }
                Fact::QuestionClosed { run, question, .. } => {
                    let open = told.get_mut(run.as_str()).unwrap().1.take();
                    assert_eq!(open, Some(question.as_str()));
                }
                _ => {}
            }
        }
        assert!(self.state.busy.is_empty());
        assert_eq!(told.len(), self.state.runs.len());
        for (id, (state, question)) in told {
            let run = self.state.run(id).unwrap();
            assert_eq!(run.state.word(), state);
            assert_eq!(run.open.as_ref().map(|open| open.id.as_str()), question);
        }
    }
}

#[test]
fn one_key_in_two_projects_gives_two_ids_also_while_neither_run_is_made() {
    let mut machine = Machine::new(Manner::Engine);
    for project in ["/a", "/b"] {
        let scope = json!({"kind": "project", "root": project, "ephemeral": true});
        let body = json!({"prompt": "x", "harnesses": ["h"], "primaryHarness": "h", "scope": scope});
        machine.ask("POST", "/v2/runs", "key", &body.to_string(), Asked::Listen);
    }
    let run = |work: &Work| match &work.effect {
        Effect::Begin { run, .. } => run.clone(),
        other @ (Effect::Edit { .. } | Effect::Telemetry { .. }) => panic!("{other:?}"),
    };
    let runs: Vec<String> = machine.works.iter().map(|(work, _)| run(work)).collect();
    assert!(runs.len() == 2 && runs[0] != runs[1], "{runs:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_runs_keys_and_questions_stand_as_the_contract_says(
        engine in any::<bool>(),
        ops in prop::collection::vec(op(), 1..80),
    ) {
        let mut machine = Machine::new(if engine { Manner::Engine } else { Manner::Corrected });
        for op in &ops {
            machine.play(op);
        }
        while !machine.works.is_empty() {
            machine.work(true);
        }
        machine.check_facts();
    }

    #[test]
    fn the_same_requests_at_the_same_times_get_the_same_answers(ops in prop::collection::vec(op(), 1..60)) {
        let play = || {
            let mut machine = Machine::new(Manner::Corrected);
            ops.iter().for_each(|op| machine.play(op));
            (machine.first, machine.facts)
        };
        prop_assert_eq!(play(), play());
    }
}
