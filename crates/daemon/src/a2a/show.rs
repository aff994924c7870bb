//! A task as it is shown: its state, messages, artifacts, and the events of its stream. All of it follows from the rows of its run's
//! timeline, so that a stream and a snapshot never differ.

use super::task::{Stand, Task};
use crate::run::{Row, Run, State, What, final_text, output_beginning, output_bytes};
use crate::setting::Setting;
use rehearsal_journal::daemon::Closed;
use rehearsal_script::runs::{Act, Failure, Question};
use rehearsal_world::clock::rfc3339;
use serde_json::{Value, json};

/// Most bytes of a final text that a task shows: that of the daemon's own detail.
const PREVIEW: usize = 256 * 1024;
/// Most bytes of it in one event of a stream.
const CHUNK: usize = 64 * 1024;
/// Id of the artifact that holds it.
const OUTPUT: &str = "output";

/// The states of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    InputRequired,
    Rejected,
    AuthRequired,
}

impl Shown {
    pub(crate) const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::InputRequired,
        Self::Rejected,
        Self::AuthRequired,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Submitted => "TASK_STATE_SUBMITTED",
            Self::Working => "TASK_STATE_WORKING",
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Failed => "TASK_STATE_FAILED",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Rejected => "TASK_STATE_REJECTED",
            Self::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shown| shown.word() == word)
    }

    /// Whether the task is over.
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected => true,
            Self::Submitted | Self::Working | Self::InputRequired | Self::AuthRequired => false,
        }
    }

    /// Whether nothing happens by itself any more: it is over, or waits for its user.
    pub(crate) fn is_at_rest(self) -> bool {
        self.is_terminal() || matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

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
                let parts = vec![text(why), data(&json!({"code": code}))];
                Status::new(Shown::Rejected, *at_ms, 0, parts)
            }
            Stand::Canceled { why, at_ms } => {
                Status::new(Shown::Canceled, *at_ms, 0, why.iter().map(|why| text(why)).collect())
            }
            Stand::Auth { at_ms, .. } => {
                let why = "This credential profile cannot be used. Send a message with this task's id and another \
                           `credentialProfileId` in its metadata.";
                let ghost =
                    json!({"code": "credential_profile_unknown", "credentialProfileId": self.setting.ghost});
                Status::new(Shown::AuthRequired, *at_ms, 0, vec![text(why), data(&ghost)])
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
            What::Note(note) => status(Shown::Working, vec![text(note)]),
            What::Ended(state) => {
                let (shown, parts) = self.ended(*state);
                status(shown, parts)
            }
            What::Closed(_, Closed::Released)
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
            State::Running => (Shown::Working, Vec::new()),
            State::Succeeded => (Shown::Completed, Vec::new()),
            State::Cancelled => (Shown::Canceled, run.cancel_reason.iter().map(|why| text(why)).collect()),
            State::Failed if !run.script.required_inputs.is_empty() => {
                let needed =
                    json!({"reason": "input_required", "requiredInputs": run.script.required_inputs});
                (Shown::Failed, vec![text(&final_beginning(run)), data(&needed)])
            }
            State::Failed => (Shown::Failed, failed(run)),
        }
    }

    /// The parts of a question that was asked.
    fn question(&self, id: &str) -> Vec<Value> {
        let Some(run) = self.run else { return Vec::new() };
        let short = run.id.get(..8).unwrap_or(&run.id);
        let asked = run.script.steps.iter().find_map(|step| match &step.act {
            Act::Ask(question) if question.id.replace("{run}", short) == id => Some(question),
            _ => None,
        });
        asked.map(|question| parts_of(id, question)).unwrap_or_default()
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

    fn artifacts(&self, upto: u64) -> Vec<Value> {
        let mut out = Vec::new();
        for row in self.rows(0, upto) {
            out.extend(self.files(row));
            if let Some(output) = self.output(row) {
                out.push(output_artifact(&output.text, output.bytes));
            }
        }
        out
    }

    /// The files that a row wrote, as artifacts.
    fn files(&self, row: &Row) -> Vec<Value> {
        let (What::Edited(paths), Some(run)) = (&row.what, self.run) else { return Vec::new() };
        let is_edit = |row: &&Row| matches!(row.what, What::Edited(_));
        let before = self.rows(0, row.seq - 1).filter(is_edit).count();
        let edits = run.script.steps.iter().filter_map(|step| match &step.act {
            Act::Edit(files) => Some(files.as_deref()),
            _ => None,
        });
        let files = edits.into_iter().nth(before).flatten().unwrap_or(&self.setting.edits);
        let file = |(at, path): (usize, &String)| {
            let text = files.iter().find(|(name, _)| name == path).map_or("", |(_, text)| text);
            json!({
                "artifactId": format!("file-{}-{}", row.seq, at + 1),
                "name": path,
                "parts": [{"text": text, "filename": path, "mediaType": "text/plain"}],
            })
        };
        paths.iter().enumerate().map(file).collect()
    }

    /// The final text, where a row brings it.
    fn output(&self, row: &Row) -> Option<Output> {
        let run = self.run?;
        let is_whole = match row.what {
            What::Ended(State::Succeeded) => true,
            What::Ended(State::Failed) => !run.script.required_inputs.is_empty(),
            _ => false,
        };
        is_whole.then(|| Output { text: final_beginning(run), bytes: output_bytes(run) })
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

/// A final text, or its beginning.
struct Output {
    text: String,
    bytes: u64,
}

fn output_artifact(text: &str, bytes: u64) -> Value {
    json!({
        "artifactId": OUTPUT,
        "name": "output/final.md",
        "parts": [{"text": text, "mediaType": "text/markdown"}],
        "metadata": {"bytes": bytes, "truncated": bytes > PREVIEW as u64},
    })
}

/// As much of the final text as is shown.
fn final_beginning(run: &Run) -> String {
    let text =
        if output_bytes(run) > PREVIEW as u64 { output_beginning(run, PREVIEW) } else { final_text(run) };
    let end = boundary(&text, PREVIEW);
    text[..end].to_owned()
}

/// The last place not behind `most` where a character ends.
fn boundary(text: &str, most: usize) -> usize {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// A text in pieces that fit one event each; at least one.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let (piece, further) = rest.split_at(boundary(rest, CHUNK));
        out.push(piece);
        if further.is_empty() {
            return out;
        }
        rest = further;
    }
}

fn failed(run: &Run) -> Vec<Value> {
    let Some((failure, at_ms)) = &run.failure else { return vec![text("The run failed.")] };
    let Failure { code, phase, category, message, resets_after, next_actions } = failure;
    let resets =
        resets_after.map(|time| rfc3339(at_ms + u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2)));
    let facts = json!({
        "code": code,
        "phase": phase,
        "category": category,
        "resetsAt": resets,
        "nextActions": next_actions,
    });
    let said = if message.is_empty() { code } else { message };
    vec![text(said), data(&facts)]
}

fn parts_of(id: &str, question: &Question) -> Vec<Value> {
    let options: Vec<Value> = question
        .options
        .iter()
        .map(|(label, description)| json!({"label": label, "description": description}))
        .collect();
    let facts = json!({
        "interactionId": id,
        "header": question.header,
        "options": options,
        "multiSelect": question.multi_select,
    });
    vec![text(&question.text), data(&facts)]
}

fn text(text: &str) -> Value {
    json!({"text": text, "mediaType": "text/plain"})
}

fn data(data: &Value) -> Value {
    json!({"data": data, "mediaType": "application/json"})
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Shown, pieces};

    #[test]
    fn a_state_is_found_by_its_word_and_rests_where_its_user_must_act() {
        for shown in Shown::ALL {
            assert_eq!(Shown::of(shown.word()), Some(shown));
        }
        let at_rest: Vec<_> = Shown::ALL.into_iter().filter(|shown| !shown.is_at_rest()).collect();
        assert_eq!(at_rest, [Shown::Submitted, Shown::Working]);
    }

    #[test]
    fn a_long_text_leaves_in_pieces_of_whole_characters() {
        let text = "é".repeat(CHUNK);
        let cut = pieces(&text);
        assert_eq!(cut.concat(), text);
        assert!(cut.iter().all(|piece| piece.len() <= CHUNK));
        assert_eq!(pieces(""), [""]);
    }
}
