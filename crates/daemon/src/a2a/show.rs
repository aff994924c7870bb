//! A task as it is shown: its state, its messages and the events of its stream. All of it follows from the rows of its run's timeline, so
//! that a stream and a snapshot never differ.

use super::artifact::{output_artifact, pieces};
use super::part::{asked, failed, needing, one_data, one_text};
use super::shown::Shown;
use super::task::{Stand, Task};
use crate::run::{Row, Run, State, What};
use crate::setting::Setting;
use rehearsal_journal::daemon::Closed;
use rehearsal_script::runs::Act;
use rehearsal_world::clock::rfc3339;
use serde_json::{Value, json};

/// How a task stands at a row.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) shown: Shown,
    pub(crate) at_ms: u64,
    /// The row; 0 where there is no run.
    seq: u64,
    /// Parts of the message that says more.
    parts: Vec<Value>,
}

impl Status {
    fn new(shown: Shown, at_ms: u64, seq: u64, parts: Vec<Value>) -> Self {
        Self { shown, at_ms, seq, parts }
    }
}

/// A task and its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'v> {
    pub(crate) setting: &'v Setting,
    pub(crate) task: &'v Task,
    pub(crate) run: Option<&'v Run>,
}

/// What of a task is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The last row that is taken into account.
    pub(crate) upto: u64,
    /// Whether it has only just begun.
    pub(crate) begun: bool,
    /// Most messages of the history.
    pub(crate) history: Option<usize>,
    pub(crate) artifacts: bool,
}

impl Frame {
    /// All of it, as it stands now.
    pub(crate) fn now(history: Option<usize>) -> Self {
        Self { upto: u64::MAX, begun: false, history, artifacts: true }
    }
}

impl<'v> View<'v> {
    /// How it stands at a row.
    pub(crate) fn status(&self, upto: u64) -> Status {
        match &self.task.stand {
            Stand::Rejected { why, code, at_ms } => {
                let parts = vec![one_text(why), one_data(&json!({"code": code}))];
                Status::new(Shown::Rejected, *at_ms, 0, parts)
            }
            Stand::Canceled { why, at_ms } => {
                Status::new(Shown::Canceled, *at_ms, 0, why.iter().map(|why| one_text(why)).collect())
            }
            Stand::Auth { at_ms, .. } => {
                let why = "This credential profile cannot be used. Send a message with this task's id and another \
                           `credentialProfileId` in its metadata.";
                let ghost =
                    json!({"code": "credential_profile_unknown", "credentialProfileId": self.setting.ghost});
                Status::new(Shown::AuthRequired, *at_ms, 0, vec![one_text(why), one_data(&ghost)])
            }
            Stand::Run => {
                let rows = self.rows(0, upto).rev();
                rows.into_iter()
                    .find_map(|row| self.status_of(row))
                    .unwrap_or_else(|| Status::new(Shown::Working, 0, 0, Vec::new()))
            }
        }
    }

    /// Rows behind one, up to another.
    pub(crate) fn rows(&self, after: u64, upto: u64) -> impl DoubleEndedIterator<Item = &'v Row> + use<'v> {
        let rows = self.run.map_or(&[][..], |run| &run.timeline);
        rows.iter().filter(move |row| row.seq > after && row.seq <= upto)
    }

    /// The status that a row brings, where it brings one.
    pub(crate) fn status_of(&self, row: &Row) -> Option<Status> {
        let status = |shown, parts| Some(Status::new(shown, row.at_ms, row.seq, parts));
        match &row.what {
            What::Started => status(Shown::Working, Vec::new()),
            What::Asked(id) => status(Shown::InputRequired, self.question(id)),
            What::Closed(_, Closed::Answered | Closed::TimedOut) => status(Shown::Working, Vec::new()),
            What::Note(note) => status(Shown::Working, vec![one_text(note)]),
            What::Ended(state) => {
                let (shown, parts) = self.ended(*state);
                status(shown, parts)
            }
            What::Closed(_, Closed::Released)
            | What::Queued
            | What::Message { .. }
            | What::Edited(_)
            | What::Update(_)
            | What::Called(_)
            | What::CallAnswered(..)
            | What::Cancelling(_) => None,
        }
    }

    fn ended(&self, state: State) -> (Shown, Vec<Value>) {
        let Some(run) = self.run else { return (Shown::Failed, Vec::new()) };
        match state {
            State::Queued | State::Running => (Shown::Working, Vec::new()),
            State::Succeeded => (Shown::Completed, Vec::new()),
            State::Cancelled => {
                (Shown::Canceled, run.cancel_reason.iter().map(|why| one_text(why)).collect())
            }
            State::Failed if !run.script.required_inputs.is_empty() => (Shown::Failed, needing(run)),
            State::Failed | State::Interrupted => (Shown::Failed, failed(run)),
        }
    }

    /// The parts of a question that was asked.
    fn question(&self, id: &str) -> Vec<Value> {
        let Some(run) = self.run else { return Vec::new() };
        let short = run.id.get(..8).unwrap_or(&run.id);
        let question = run.script.steps.iter().find_map(|step| match &step.act {
            Act::Ask(question) if question.id.replace("{run}", short) == id => Some(question),
            _ => None,
        });
        question.map(|question| asked(id, question)).unwrap_or_default()
    }

    /// The task as JSON.
    pub(crate) fn task(&self, frame: Frame) -> Value {
        let mut status = self.status(frame.upto);
        if frame.begun && status.shown == Shown::Working {
            status.shown = Shown::Submitted;
        }
        let mut out = json!({
            "id": self.task.id,
            "contextId": self.task.context,
            "status": self.status_json(&status),
        });
        if frame.artifacts {
            out["artifacts"] = json!(self.artifacts(frame.upto));
        }
        let history = self.history(frame.upto, status.seq);
        let shown = frame.history.unwrap_or(history.len()).min(history.len());
        if shown > 0 {
            out["history"] = json!(history[history.len() - shown..]);
        }
        out
    }

    fn status_json(&self, status: &Status) -> Value {
        let mut out = json!({"state": status.shown.word(), "timestamp": rfc3339(status.at_ms)});
        if !status.parts.is_empty() {
            out["message"] = self.agent_message(status);
        }
        out
    }

    /// What the agent says with a status.
    fn agent_message(&self, status: &Status) -> Value {
        json!({
            "messageId": format!("{}-{}", self.task.id, status.seq),
            "contextId": self.task.context,
            "taskId": self.task.id,
            "role": "ROLE_AGENT",
            "parts": status.parts,
        })
    }

    /// What was said, but for the message of the status, in order.
    fn history(&self, upto: u64, status: u64) -> Vec<Value> {
        let users = self.task.said.iter().filter(|said| said.after < upto).map(|said| {
            let mut message = said.message.clone();
            message.insert("contextId".to_owned(), json!(self.task.context));
            message.insert("taskId".to_owned(), json!(self.task.id));
            ((said.after, 1), Value::from(message))
        });
        let agents = self.rows(0, upto).filter(|row| row.seq != status).filter_map(|row| {
            let status = self.status_of(row).filter(|status| !status.parts.is_empty())?;
            Some(((row.seq, 0), self.agent_message(&status)))
        });
        let mut all: Vec<_> = users.chain(agents).collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, message)| message).collect()
    }

    /// The events that a row brings, and how the task stands with it, where it says that.
    pub(crate) fn events(&self, row: &Row) -> (Vec<Value>, Option<Shown>) {
        let mut out: Vec<Value> =
            self.files(row).into_iter().map(|file| self.artifact_update(&file, false, true)).collect();
        if let Some(output) = self.output(row) {
            let pieces = pieces(&output.text);
            let last = pieces.len() - 1;
            out.extend(pieces.iter().enumerate().map(|(at, piece)| {
                let artifact = output_artifact(piece, output.bytes);
                self.artifact_update(&artifact, at > 0, at == last)
            }));
        }
        let status = self.status_of(row);
        out.extend(status.iter().map(|status| self.status_update(status)));
        (out, status.map(|status| status.shown))
    }

    /// A status as an event.
    pub(crate) fn status_update(&self, status: &Status) -> Value {
        let (id, context) = (&self.task.id, &self.task.context);
        json!({"statusUpdate": {"taskId": id, "contextId": context, "status": self.status_json(status)}})
    }

    fn artifact_update(&self, artifact: &Value, append: bool, last: bool) -> Value {
        let mut update =
            json!({"taskId": self.task.id, "contextId": self.task.context, "artifact": artifact});
        // As Protocol Buffers write it, what is false is left out.
        for (name, is_so) in [("append", append), ("lastChunk", last)] {
            if is_so {
                update[name] = json!(true);
            }
        }
        json!({"artifactUpdate": update})
    }
}
