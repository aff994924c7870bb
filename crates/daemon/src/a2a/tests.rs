//! The front end under arbitrary messages, reads, cancels, times and outcomes of what is done in the world: what a stream tells adds up to
//! what a read shows, what is over stays so, and one message makes one task.

use super::Headers;
use super::answer::{Binding, Leaving};
use super::settle::view;
use super::show::Frame;
use crate::core::{Decision, Heard, Step, Work, judge, play, resume, tick};
use crate::effect::{Blocked, Effect};
use crate::setting::{Manner, Setting};
use crate::state::State;
use crate::v2::{Body, Form};
use proptest::prelude::*;
use rehearsal_script::File;
use rehearsal_script::runs::read;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const RUNS: &[u8] = b"version: 1
runs:
  - id: many
    marker: many things
    steps:
      - {note: first}
      - {polls: 2, edit: {a.txt: one}}
      - {edit: {a.txt: two, b.txt: three}}
      - ask: {question: Well?, timeout: 2s}
      - {after: 1s, note: second}
      - end: {text: done}
  - {id: long, marker: long things, steps: [{end: {text: done, bytes: 140000}}]}
  - {id: broken, marker: broken things, steps: [{end: {failure: {code: hard_cap}}}]}
";

/// One thing that somebody does. Numbers choose among what is there, round and round.
#[derive(Clone, Debug)]
enum Op {
    /// A message of one of a few ids, to a task or to none.
    Send {
        id: u8,
        prompt: u8,
        to: Option<u8>,
        ghost: bool,
        how: u8,
    },
    Get(u8),
    Cancel(u8),
    List,
    Subscribe(u8),
    /// Somebody who listens plays the run.
    Play(u8),
    /// Time passes, milliseconds.
    Wait(u16),
    /// The oldest work in the world is done, well or not.
    Work(bool),
}

fn op() -> impl Strategy<Value = Op> {
    let send = (0..12_u8, 0..9_u8, prop::option::of(any::<u8>()), prop::bool::weighted(0.2), 0..3_u8);
    prop_oneof![
        8 => send.prop_map(|(id, prompt, to, ghost, how)| Op::Send { id, prompt, to, ghost, how }),
        4 => any::<u8>().prop_map(Op::Get),
        1 => any::<u8>().prop_map(Op::Cancel),
        1 => Just(Op::List),
        1 => any::<u8>().prop_map(Op::Subscribe),
        2 => any::<u8>().prop_map(Op::Play),
        2 => (0..10_000_u16).prop_map(Op::Wait),
        4 => prop::bool::weighted(0.8).prop_map(Op::Work),
    ]
}

const PROMPTS: [&str; 9] = [
    "work",
    "[FAKE:ASK]",
    "[FAKE:TURN]",
    "[FAKE:HANG]",
    "[FAKE:REFUSE]",
    "[FAKE:MUTATE] [FAKE:INPUT_REQUIRED]",
    "many things",
    "long things",
    "broken things",
];

fn setting() -> Setting {
    let scripts = read(&[File { name: "runs.yaml", bytes: RUNS }]).unwrap();
    Setting { scripts, keep: 5, ..Setting::of_tests(Manner::Corrected) }
}

/// The front end with works under way.
struct Stand {
    state: State,
    setting: Setting,
    now_ms: u64,
    works: Vec<Work>,
    /// Tasks in the order in which they were seen, and the state that ended them.
    seen: Vec<String>,
    over: BTreeMap<String, String>,
    /// The task of each message that was taken.
    messages: BTreeMap<(String, String), String>,
}

impl Stand {
    fn task(&self, choice: u8) -> Option<String> {
        let at = usize::from(choice).checked_rem(self.seen.len())?;
        Some(self.seen[at].clone())
    }

    /// Asks over HTTP+JSON. What must be done first is done well.
    fn ask(&mut self, method: &str, path: &str, body: &str) -> Option<Decision> {
        loop {
            let heard = Heard {
                method,
                target: path,
                authorization: b"Bearer t",
                host: "127.0.0.1",
                a2a: Headers { version: "1.0", content: "" },
                body: Body::read(body.as_bytes()),
                ..Heard::nothing()
            };
            match judge(&mut self.state, &self.setting, &heard, self.now_ms) {
                Step::Done(decision) => return Some(*decision),
                Step::Work(work) => {
                    self.works.push(*work);
                    return None;
                }
                // Whatever is waited for is under way.
                Step::Wait => {
                    self.work(true);
                }
            }
        }
    }

    /// The oldest work is done, and all that follows from it.
    fn work(&mut self, well: bool) -> Option<Decision> {
        if self.works.is_empty() {
            return None;
        }
        let work = self.works.remove(0);
        let outcome = match (&work.effect, well) {
            (Effect::Begin { .. } | Effect::Edit { .. }, true) => Ok(true),
            (Effect::Telemetry { .. }, _) => Ok(false),
            (Effect::Begin { .. } | Effect::Edit { .. }, false) => {
                Err(Blocked::Refused { path: "a.txt".to_owned(), why: "a folder".to_owned() })
            }
        };
        match resume(&mut self.state, &self.setting, work, outcome, self.now_ms) {
            Step::Done(decision) => Some(*decision),
            Step::Work(work) => {
                self.works.insert(0, *work);
                self.work(well)
            }
            Step::Wait => None,
        }
    }

    fn does(&mut self, op: &Op) {
        let none = String::new();
        match op {
            Op::Send { id, prompt, to, ghost, how } => self.send(*id, *prompt, *to, *ghost, *how),
            Op::Get(task) => {
                let Some(task) = self.task(*task) else { return };
                drop(self.ask("GET", &format!("/a2a/tasks/{task}"), &none));
            }
            Op::Cancel(task) => {
                let Some(task) = self.task(*task) else { return };
                drop(self.ask("POST", &format!("/a2a/tasks/{task}:cancel"), "{}"));
            }
            Op::List => {
                let decision = self.ask("GET", "/a2a/tasks?pageSize=3", &none).unwrap();
                assert_eq!(decision.reply.status, 200);
            }
            Op::Subscribe(task) => {
                let Some(task) = self.task(*task) else { return };
                drop(self.ask("POST", &format!("/a2a/tasks/{task}:subscribe"), &none));
            }
            Op::Play(task) => {
                let Some(task) = self.task(*task) else { return };
                let step = play(&mut self.state, &self.setting, &task, self.now_ms);
                self.follow(step);
            }
            Op::Wait(time) => {
                self.now_ms += u64::from(*time);
                let steps = tick(&mut self.state, &self.setting, self.now_ms);
                steps.into_iter().for_each(|step| self.follow(Some(step)));
            }
            Op::Work(well) => drop(self.work(*well)),
        }
    }

    fn follow(&mut self, step: Option<Step>) {
        if let Some(Step::Work(work)) = step {
            self.works.push(*work);
        }
    }

    fn send(&mut self, id: u8, prompt: u8, to: Option<u8>, ghost: bool, how: u8) {
        let text = PROMPTS[usize::from(prompt)];
        let mut message =
            json!({"messageId": format!("m{id}"), "role": "ROLE_USER", "parts": [{"text": text}]});
        let to = to.and_then(|choice| self.task(choice));
        if let Some(task) = &to {
            message["taskId"] = json!(task);
        }
        let profile = if ghost { "g" } else { "p" };
        let body = json!({
            "message": message,
            "metadata": {"credentialProfileId": profile},
            "configuration": {"returnImmediately": how == 0},
        });
        let path = if how == 2 { "/a2a/message:stream" } else { "/a2a/message:send" };
        let Some(decision) = self.ask("POST", path, &body.to_string()) else { return };
        let task = match &decision.reply.form {
            Form::Whole(_, bytes) => serde_json::from_slice::<Value>(bytes).unwrap()["task"]["id"].clone(),
            Form::A2a(Leaving::Events(play) | Leaving::Wait(play)) => json!(play.task),
            Form::A2a(Leaving::Card(_)) | Form::Events { .. } => Value::Null,
        };
        let Some(task) = task.as_str() else {
            assert!(decision.reply.status >= 400);
            return;
        };
        assert_eq!(decision.reply.status, 200);
        let key = (format!("m{id}"), body["message"].to_string() + profile);
        if decision.decided.replayed {
            assert_eq!(self.messages.get(&key).map_or(task, String::as_str), task);
        }
        self.messages.insert(key, task.to_owned());
        self.seen.retain(|known| known != task);
        self.seen.push(task.to_owned());
    }

    /// What holds at any time.
    fn holds(&mut self) {
        for id in self.seen.clone() {
            let Some(view) = view(&self.state, &self.setting, &id) else { continue };
            if self.state.busy.contains(&id) {
                continue;
            }
            let shown = view.task(Frame::now(None));
            let status = view.status(u64::MAX);
            assert_eq!(shown["status"]["state"], status.shown.word());
            if let Some(over) = self.over.get(&id) {
                assert_eq!(over, status.shown.word(), "what is over stays so");
            }
            if status.shown.is_terminal() {
                self.over.insert(id.clone(), status.shown.word().to_owned());
            }
            let ids: Vec<_> = shown["history"].as_array().into_iter().flatten().collect();
            assert!(ids.iter().all(|message| message["taskId"] == json!(id)));
            if view.run.is_some() {
                assert_eq!(told(view), (shown["status"].clone(), shown["artifacts"].clone()));
            }
        }
    }
}

/// What the events of a stream from the first row on add up to: the status and the artifacts.
fn told(view: super::show::View<'_>) -> (Value, Value) {
    let begun = Frame { upto: 1, begun: true, ..Frame::now(None) };
    let (mut status, mut artifacts) = (view.task(begun)["status"].clone(), Vec::<Value>::new());
    assert_eq!(status["state"], "TASK_STATE_SUBMITTED");
    status["state"] = json!("TASK_STATE_WORKING");
    let lines = view.rows(1, u64::MAX).flat_map(|row| view.events(row).0);
    for event in lines.map(|event| Binding::Rest.event(&event)) {
        let event: Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
        if let Some(update) = event.get("statusUpdate") {
            status = update["status"].clone();
            continue;
        }
        let update = &event["artifactUpdate"];
        if update["append"] == true {
            let last = artifacts.last_mut().unwrap();
            assert_eq!(last["artifactId"], update["artifact"]["artifactId"]);
            let text = &mut last["parts"][0]["text"];
            *text = json!(
                [text.as_str(), update["artifact"]["parts"][0]["text"].as_str()].map(Option::unwrap).concat()
            );
        } else {
            artifacts.push(update["artifact"].clone());
        }
    }
    (status, json!(artifacts))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streams_add_up_to_what_reads_show_and_one_message_is_one_task(ops in prop::collection::vec(op(), 1..60)) {
        let state = State::new(Some(Setting::CLOCK_MS));
        let mut stand = Stand {
            state,
            setting: setting(),
            now_ms: Setting::CLOCK_MS,
            works: Vec::new(),
            seen: Vec::new(),
            over: BTreeMap::new(),
            messages: BTreeMap::new(),
        };
        for op in &ops {
            stand.does(op);
            stand.holds();
        }
        while !stand.works.is_empty() {
            stand.work(true);
            stand.holds();
        }
        prop_assert!(stand.state.busy.is_empty());
        prop_assert!(stand.state.tasks.all().count() <= 2 * stand.setting.keep + ops.len());
    }
}
