//! Runs that wait in a queue: whatever is asked of them, they leave it once, when they are due, and a key tells of them what is so.

use super::{Decision, Heard, Step, judge, resume, tick};
use crate::effect::Effect;
use crate::run::What;
use crate::setting::{Manner, Setting};
use crate::state::State;
use crate::v2::{Body, Form};
use proptest::prelude::*;
use rehearsal_journal::daemon::Fact;
use rehearsal_script::runs::{Act, RunScript, RunScripts, Step as Do, When};
use serde_json::{Value, json};
use std::time::Duration;

/// What somebody does; the number says which of the three keys.
#[derive(Clone, Debug)]
enum Op {
    Start(usize),
    Poll(usize),
    Cancel(usize),
    Wait(u64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..3_usize).prop_map(Op::Start),
        2 => (0..3_usize).prop_map(Op::Poll),
        1 => (0..3_usize).prop_map(Op::Cancel),
        3 => (0..700_u64).prop_map(Op::Wait),
    ]
}

/// What must be so of one key.
#[derive(Clone, Debug, Default)]
struct Model {
    began_ms: Option<u64>,
    asked: u64,
    left: bool,
    cancelled: bool,
    answer: Option<Value>,
}

struct Machine {
    setting: Setting,
    state: State,
    now_ms: u64,
    queued: [When; 3],
    models: [Model; 3],
    facts: Vec<Fact>,
}

impl Machine {
    fn new(queued: [When; 3]) -> Self {
        let script = |(at, queued): (usize, &When)| RunScript {
            id: format!("s{at}"),
            marker: format!("[{at}]"),
            queued: Some(*queued),
            steps: vec![Do { when: When::Now, act: Act::Edit(None) }, Do { when: When::Now, act: Act::Hang }],
            attempt: true,
            ..RunScript::default()
        };
        let runs = queued.iter().enumerate().map(script).collect();
        let scripts = RunScripts { runs, ..RunScripts::default() };
        Self {
            setting: Setting { scripts, ..Setting::of_tests(Manner::Engine) },
            state: State::default(),
            now_ms: Setting::CLOCK_MS,
            queued,
            models: Default::default(),
            facts: Vec::new(),
        }
    }

    /// Does all work at once.
    fn settle(&mut self, mut step: Step) -> Decision {
        loop {
            match step {
                Step::Done(decision) => {
                    self.facts.extend(decision.facts.iter().cloned());
                    return *decision;
                }
                Step::Work(work) => {
                    let edits = match &work.effect {
                        Effect::Begin { edits, .. } => {
                            edits.as_ref().is_some_and(|(_, files)| !files.is_empty())
                        }
                        Effect::Edit { .. } => true,
                        Effect::Telemetry { .. } => false,
                    };
                    step = resume(&mut self.state, &self.setting, *work, Ok(edits), self.now_ms);
                }
                Step::Wait => panic!("nothing is under way"),
            }
        }
    }

    fn ask(&mut self, method: &str, path: &str, key: &str, body: &str) -> (u16, Value) {
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
        let step = judge(&mut self.state, &self.setting, &heard, self.now_ms);
        let reply = self.settle(step).reply;
        let Form::Whole(_, bytes) = &reply.form else { panic!("not whole") };
        (reply.status, serde_json::from_slice(bytes).unwrap())
    }

    fn start(&mut self, at: usize) {
        let body = json!({
            "prompt": format!("[{at}]"),
            "mode": "agent",
            "harnesses": ["h"],
            "primaryHarness": "h",
            "execution": {"workspaceRoot": "/w", "isolation": "live", "delegated": true},
            "scope": {"kind": "project", "root": "/l", "ephemeral": true},
        });
        let (status, body) = self.ask("POST", "/v2/runs", &format!("key-{at}"), &body.to_string());
        let fresh = self.models[at].began_ms.is_none();
        self.models[at].began_ms.get_or_insert(self.now_ms);
        // The first answer is always that it waits.
        if !fresh {
            self.asked(at, true);
        }
        let model = &mut self.models[at];
        if model.left || model.cancelled {
            assert_eq!(status, 200, "{body}");
            assert_eq!(model.answer.get_or_insert(body.clone()), &body);
        } else {
            assert_eq!((status, body["state"].as_str()), (202, Some("queued")));
            assert!(body.get("runId").is_none());
        }
    }

    /// Somebody looked, or time passed: a run that is due begins.
    fn asked(&mut self, at: usize, counts: bool) {
        let (now_ms, when) = (self.now_ms, self.queued[at]);
        let model = &mut self.models[at];
        let Some(began_ms) = model.began_ms else { return };
        if model.cancelled || model.left {
            return;
        }
        model.asked += u64::from(counts);
        model.left = match when {
            When::Polls(polls) => model.asked >= polls,
            When::After(time) => began_ms + time.as_millis() as u64 <= now_ms,
            When::Now | When::Message => true,
        };
    }

    fn id(&self, at: usize) -> Option<String> {
        let named = |run: &&crate::run::Run| run.script.id == format!("s{at}");
        self.state.runs.values().find(named).map(|run| run.id.clone())
    }

    fn play(&mut self, op: &Op) {
        match op {
            Op::Start(at) => self.start(*at),
            Op::Poll(at) => {
                let Some(id) = self.id(*at) else { return };
                let (_, body) = self.ask("GET", &format!("/v2/runs/{id}"), "", "");
                self.asked(*at, true);
                let model = &self.models[*at];
                let state = match (model.cancelled, model.left) {
                    (true, _) => "cancelled",
                    (false, true) => "running",
                    (false, false) => "queued",
                };
                assert_eq!(body["summary"]["state"], state, "{body}");
            }
            Op::Cancel(at) => {
                let Some(id) = self.id(*at) else { return };
                let body = json!({"control": {"kind": "cancel"}}).to_string();
                let (status, _) = self.ask("POST", &format!("/v2/runs/{id}/control"), "", &body);
                assert_eq!(status, if self.models[*at].cancelled { 409 } else { 200 });
                self.models[*at].cancelled = true;
            }
            Op::Wait(time) => {
                self.now_ms += time;
                for step in tick(&mut self.state, &self.setting, self.now_ms) {
                    self.settle(step);
                }
                (0..3).for_each(|at| self.asked(at, false));
            }
        }
        self.check();
    }

    /// What holds at every moment, of the state and of the journal.
    fn check(&self) {
        assert!(self.state.busy.is_empty());
        for at in 0..3 {
            let Some(run) = self.id(at).and_then(|id| self.state.run(&id)) else { continue };
            let count = |wanted: &What| run.timeline.iter().filter(|row| row.what == *wanted).count();
            let left = usize::from(self.models[at].left);
            assert_eq!((count(&What::Queued), count(&What::Started)), (1, left), "{:?}", run.timeline);
            assert!(run.timeline.is_sorted_by_key(|row| row.at_ms));
            let told = self.facts.iter().filter_map(|fact| match fact {
                Fact::ItemChanged { id, state, .. } if *id == run.id => Some(state.as_str()),
                _ => None,
            });
            assert_eq!(told.collect::<Vec<_>>(), ["queued", "running"][..=left]);
            let written = |fact: &&Fact| matches!(fact, Fact::FileWritten { run: id, path, .. } if *id == run.id && path == "tracked.txt");
            assert_eq!(self.facts.iter().filter(written).count(), left);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_leaves_its_queue_once_and_when_it_is_due(
        polls in 1..5_u64,
        time in 1..2_000_u64,
        ops in prop::collection::vec(op(), 1..60),
    ) {
        let queued =
            [When::Polls(polls), When::After(Duration::from_millis(time)), When::After(Duration::from_secs(1))];
        let mut machine = Machine::new(queued);
        ops.iter().for_each(|op| machine.play(op));
    }
}
