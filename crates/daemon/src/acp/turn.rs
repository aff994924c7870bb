//! One turn: a run that is played for a prompt, told row by row, and what it asks the client for.

use super::line::Fault;
use super::update::{self, chosen};
use crate::failure;
use crate::run::{AnswerRow, Run, State, What, final_text};
use rehearsal_journal::daemon::Closed;
use rehearsal_script::runs::{Call, Quirk};
use rehearsal_wire::json::Value;
use serde_json::json;

/// What a client can do, as it said when it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    /// `fs/write_text_file`.
    pub(super) writes: bool,
    /// `elicitation/create` with a form.
    pub(super) elicits: bool,
}

/// Where a turn is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage<'s> {
    pub(super) session: &'s str,
    pub(super) cwd: &'s str,
    pub(super) client: Client,
    pub(super) now_ms: u64,
}

/// What a request of ours is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A choice for this question.
    Permission(String),
    /// A text for this question.
    Elicitation(String),
    /// A file, by the id of its call.
    Write(String),
    /// Whatever the script asks for.
    Call,
}

/// What is to happen for a turn.
#[derive(Debug)]
pub(super) enum Want {
    /// This line leaves.
    Tell(String),
    /// This is asked.
    Ask(Asked, String, serde_json::Value),
    /// What was asked is not wanted any more; the client is told.
    Revoke,
    /// It is over: the text that was said, and what the prompt is answered, if anything.
    End(String, Option<Result<serde_json::Value, Fault>>),
}

/// The turn.
#[derive(Debug)]
pub(super) struct Turn {
    /// The id of its prompt, JSON text.
    pub(super) id: String,
    pub(super) run: Run,
    pub(super) quirks: Vec<Quirk>,
    /// Whether its prompt was recalled by `$/cancel_request`.
    pub(super) recalled: bool,
    /// Rows that were told.
    told: usize,
    /// The question that was asked last.
    asked: Option<String>,
    /// Which of the wanted files is next.
    next_file: usize,
    /// Whether the client is writing one.
    writing: bool,
    /// How many files it was asked to write: their ids.
    edits: u64,
    called: bool,
    /// What the client answered last.
    result: serde_json::Value,
}

impl Turn {
    pub(super) fn new(id: String, run: Run) -> Self {
        let quirks = run.script.quirks.clone();
        Self {
            id,
            run,
            quirks,
            recalled: false,
            told: 0,
            asked: None,
            next_file: 0,
            writing: false,
            edits: 0,
            called: false,
            result: serde_json::Value::Null,
        }
    }

    /// Goes on as far as it can.
    pub(super) fn go_on(&mut self, stage: Stage<'_>) -> Vec<Want> {
        let mut wants = Vec::new();
        loop {
            self.run.play(stage.now_ms);
            self.rows(stage, &mut wants);
            if self.run.is_over() {
                self.end(stage, &mut wants);
                return wants;
            }
            if self.run.open.is_some() {
                self.question(stage, &mut wants);
                return wants;
            }
            if self.run.wanted.is_some() {
                if self.edit(stage, &mut wants) {
                    continue;
                }
                return wants;
            }
            if let Some(call) = self.run.calling.clone().filter(|_| !self.called) {
                self.called = true;
                let params = self.params(stage, &call);
                wants.push(Want::Ask(Asked::Call, call.method, params));
            }
            return wants;
        }
    }

    /// Tells what happened since the last time.
    fn rows(&mut self, stage: Stage<'_>, wants: &mut Vec<Want>) {
        let rows = self.run.timeline.get(self.told..).unwrap_or_default();
        self.told += rows.len();
        for row in rows {
            match &row.what {
                What::Note(text) => {
                    // Chunks are one message: what is said next begins a paragraph of its own.
                    let text = format!("{text}\n\n");
                    let said = update::chunks(stage.session, "agent_message_chunk", &text);
                    wants.extend(said.into_iter().map(Want::Tell));
                }
                What::Update(text) => {
                    let text = fill(text, stage, &self.result);
                    wants.push(Want::Tell(update::update(
                        stage.session,
                        &serde_json::from_str(&text).unwrap_or_default(),
                    )));
                }
                What::Closed(id, Closed::Answered) => {
                    wants.push(Want::Tell(update::status(stage.session, id, "completed")));
                }
                What::Closed(id, Closed::TimedOut) => {
                    wants.push(Want::Revoke);
                    wants.push(Want::Tell(update::status(stage.session, id, "failed")));
                }
                What::Closed(id, Closed::Released) => {
                    wants.push(Want::Tell(update::status(stage.session, id, "failed")));
                }
                What::Queued
                | What::Started
                | What::Asked(_)
                | What::Message { .. }
                | What::Edited(_)
                | What::Called(_)
                | What::CallAnswered(..)
                | What::Cancelling(_)
                | What::Ended(_) => {}
            }
        }
    }

    fn question(&mut self, stage: Stage<'_>, wants: &mut Vec<Want>) {
        let Some(open) = &self.run.open else { return };
        if self.asked.as_ref() == Some(&open.id) {
            return;
        }
        self.asked = Some(open.id.clone());
        let (id, question) = (&open.id, &open.question);
        wants.push(Want::Tell(update::asking(stage.session, id, question)));
        let is_form = stage.client.elicits && question.options.is_empty();
        wants.push(match is_form {
            true => {
                let params = update::elicitation(stage.session, id, question);
                Want::Ask(Asked::Elicitation(id.clone()), "elicitation/create".to_owned(), params)
            }
            false => {
                let params = update::permission(stage.session, id, question);
                Want::Ask(Asked::Permission(id.clone()), "session/request_permission".to_owned(), params)
            }
        });
    }

    /// Has the next file written, and says whether the run can go on at once.
    fn edit(&mut self, stage: Stage<'_>, wants: &mut Vec<Want>) -> bool {
        if self.writing {
            return false;
        }
        let file = self.run.wanted.as_ref().and_then(|files| files.get(self.next_file)).cloned();
        let Some((path, text)) = file else {
            self.next_file = 0;
            self.run.edited(stage.now_ms);
            return true;
        };
        self.edits += 1;
        let (id, path) = (self.edit_id(), joined(stage.cwd, &path));
        wants.push(Want::Tell(update::edit(stage.session, &id, &path, &text)));
        if !stage.client.writes {
            wants.push(Want::Tell(update::status(stage.session, &id, "failed")));
            self.run.blocked("the client offers no fs/write_text_file", stage.now_ms);
            return true;
        }
        self.writing = true;
        let params = json!({"sessionId": stage.session, "path": path, "content": text});
        wants.push(Want::Ask(Asked::Write(id), "fs/write_text_file".to_owned(), params));
        false
    }

    /// The id of the call that writes a file: its session has no other like it.
    fn edit_id(&self) -> String {
        format!("edit-{}-{}", self.run.id.get(..8).unwrap_or(&self.run.id), self.edits)
    }

    /// The client answered. What is wrong with its answer is said; it counts as none then.
    pub(super) fn answered(
        &mut self,
        asked: &Asked,
        outcome: Result<Value<'_>, i64>,
        stage: Stage<'_>,
        wants: &mut Vec<Want>,
    ) -> Result<(), Fault> {
        match asked {
            Asked::Permission(question) => {
                let chosen = self.choice(outcome);
                let text = chosen.as_ref().map_or_else(|_| String::new(), Clone::clone);
                self.run.answer(question, &[AnswerRow { text }], stage.now_ms);
                chosen.map(drop)
            }
            Asked::Elicitation(question) => {
                let text = match outcome {
                    Ok(result) if result.get("action").is_some_and(|action| action.is_str("accept")) => {
                        let answer =
                            result.get("content").and_then(|content| content.get("answer")?.as_str());
                        answer
                            .map(std::borrow::Cow::into_owned)
                            .ok_or_else(|| Fault::params("an accepted form holds what is required: `answer`"))
                    }
                    // Declined, or not known to the client.
                    Ok(_) | Err(_) => Ok(String::new()),
                };
                let row = AnswerRow { text: text.clone().unwrap_or_default() };
                self.run.answer(question, &[row], stage.now_ms);
                text.map(drop)
            }
            Asked::Write(id) => {
                self.writing = false;
                let word = if outcome.is_ok() { "completed" } else { "failed" };
                wants.push(Want::Tell(update::status(stage.session, id, word)));
                match outcome {
                    Ok(_) => self.next_file += 1,
                    Err(code) => {
                        self.run.blocked(&format!("the client did not write it: error {code}"), stage.now_ms);
                    }
                }
                Ok(())
            }
            Asked::Call => {
                self.called = false;
                let text = outcome.map(super::line::text).unwrap_or_default();
                self.result = serde_json::from_str(&text).unwrap_or_default();
                self.run.called(outcome.is_ok(), stage.now_ms);
                Ok(())
            }
        }
    }

    /// What was chosen: the name of the option.
    fn choice(&self, outcome: Result<Value<'_>, i64>) -> Result<String, Fault> {
        // A client that cannot show a question gives no answer.
        let Ok(result) = outcome else { return Ok(String::new()) };
        let choice = result.get("outcome");
        let how = choice.and_then(|choice| choice.get("outcome")?.as_str()).unwrap_or_default();
        if how == "cancelled" {
            return Err(Fault::params("the outcome `cancelled` comes only after session/cancel"));
        }
        let option = choice.and_then(|choice| choice.get("optionId")?.as_str()).unwrap_or_default();
        let question = self.run.open.as_ref().map(|open| &open.question);
        let chosen = question.filter(|_| how == "selected").and_then(|question| chosen(question, &option));
        chosen.ok_or_else(|| Fault::params(format!("there is no option {option:?}")))
    }

    /// What the last text is, and what the prompt is answered.
    fn end(&self, stage: Stage<'_>, wants: &mut Vec<Want>) {
        let run = &self.run;
        let stop = |reason: &str| Ok(json!({"stopReason": reason}));
        let (text, outcome) = match (&run.failure, run.state) {
            _ if self.recalled => (String::new(), Err(Fault::recalled())),
            (_, State::Cancelled) => (String::new(), stop("cancelled")),
            (Some((failure, _)), _) => {
                let mut fault = Fault::internal(failure.message.clone());
                fault.data = failure::facts(run).map(Box::new);
                (String::new(), Err(fault))
            }
            (None, _) => (final_text(run), stop(run.stop.as_deref().unwrap_or("end_turn"))),
        };
        let said = update::chunks(stage.session, "agent_message_chunk", &text);
        wants.extend(said.into_iter().map(Want::Tell));
        let silent = self.quirks.contains(&Quirk::NeverAnswers) && run.state != State::Cancelled;
        wants.push(Want::End(text, (!silent).then_some(outcome)));
    }

    /// The parameters of a call of the script.
    fn params(&self, stage: Stage<'_>, call: &Call) -> serde_json::Value {
        let text = fill(&call.params, stage, &self.result);
        let mut params: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        if let Some(params) = params.as_object_mut() {
            params.entry("sessionId").or_insert_with(|| json!(stage.session));
        }
        params
    }
}

/// A path below the working directory, with the separators of its system.
fn joined(cwd: &str, path: &str) -> String {
    let (cwd, windows) = (cwd.trim_end_matches(['/', '\\']), !cwd.starts_with('/'));
    if windows { format!("{cwd}\\{}", path.replace('/', "\\")) } else { format!("{cwd}/{path}") }
}

/// A JSON text with `{session}`, `{cwd}` and `{result.NAME}` filled in, where they stand within its strings.
fn fill(text: &str, stage: Stage<'_>, result: &serde_json::Value) -> String {
    let inner = |text: &str| {
        let quoted = json!(text).to_string();
        quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
    };
    let mut out = text.replace("{session}", &inner(stage.session)).replace("{cwd}", &inner(stage.cwd));
    for (name, value) in result.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| inner(&value.to_string()), inner);
        out = out.replace(&format!("{{result.{name}}}"), &value);
    }
    out
}
