//! Lets a task go on as far as somebody waits for it, and answers then.

use super::answer::{Binding, Leaving, Play};
use super::fault::{Fault, Sort};
use super::show::{Frame, View};
use crate::core::{Step, Then};
use crate::setting::Setting;
use crate::state::State;
use crate::v2::{Call, Form, Reply};
use rehearsal_script::runs::Answers;
use serde_json::{Value, json};

/// What is to be answered about a task.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) binding: Binding,
    /// Which answer about its run it is: scripts break some.
    pub(crate) about: Answers,
    /// Most messages of the history that are shown.
    pub(crate) history: Option<usize>,
    pub(crate) kind: Kind,
}

/// How it is answered.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// With this result.
    Ready(Value),
    /// With the task as it stands; whether it has only just begun.
    AtOnce(bool),
    /// With the task once it is at rest.
    Wait,
    /// With a stream.
    Stream(Begun),
}

/// The beginning of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    /// The first events, as text.
    pub(crate) first: String,
    /// The last row that they tell of.
    pub(crate) after: u64,
    /// Whether nothing follows them.
    pub(crate) whole: bool,
    /// Whether it goes on while the task waits for its user.
    pub(crate) stays: bool,
}

/// A task with its run.
pub(crate) fn view<'v>(state: &'v State, setting: &'v Setting, id: &str) -> Option<View<'v>> {
    let task = state.tasks.get(id)?;
    Some(View { setting, task, run: state.run(id) })
}

/// The beginning of a stream at a row.
pub(crate) fn begun(view: View<'_>, frame: Frame, binding: &Binding, stays: bool) -> Begun {
    let last = view.run.map_or(0, crate::run::Run::last_row);
    let mut first = binding.event(&json!({"task": view.task(frame)}));
    let status = view.status(frame.upto);
    if frame.begun && !status.shown.is_at_rest() {
        // It was submitted, and works from now on.
        first.push_str(&binding.event(&view.status_update(&status)));
    }
    let whole = if stays { status.shown.is_terminal() } else { status.shown.is_at_rest() };
    Begun { first, after: frame.upto.min(last), whole, stays }
}

/// Lets the run of a task go on where somebody waits for it, has its files written, and answers.
pub(crate) fn settle(call: &mut Call<'_, '_>, id: &str, asked: Asked) -> Step {
    let now_ms = call.now_ms;
    let waits = match asked.kind {
        Kind::Ready(_) | Kind::AtOnce(_) => false,
        Kind::Wait | Kind::Stream(_) => true,
    };
    if let Some(run) = call.state.runs.get_mut(id) {
        if waits {
            run.play(now_ms);
        }
        let wants = run.wanted.is_some();
        call.touched(id);
        if wants {
            return call.go_on(id, Then::Task(Box::new(asked)));
        }
    }
    answer(call, id, asked)
}

fn answer(call: &mut Call<'_, '_>, id: &str, asked: Asked) -> Step {
    let Asked { binding, about, history, kind } = asked;
    let Some(view) = view(call.state, call.setting, id) else {
        return super::refuse(call, &binding, &Fault::no_task(id));
    };
    let task = |begun| json!({"task": view.task(Frame { begun, ..Frame::now(history) })});
    let reply = match kind {
        Kind::Ready(result) => binding.ok(&result),
        Kind::AtOnce(begun) => binding.ok(&task(begun)),
        Kind::Wait if view.status(u64::MAX).shown.is_at_rest() => binding.ok(&task(false)),
        Kind::Wait => {
            let play = Play {
                task: id.to_owned(),
                binding,
                first: String::new(),
                after: 0,
                whole: false,
                stays: false,
                history,
            };
            Reply { status: 200, form: Form::A2a(Leaving::Wait(play)) }
        }
        Kind::Stream(Begun { first, after, whole, stays }) => {
            let play = Play { task: id.to_owned(), binding, first, after, whole, stays, history };
            Reply { status: 200, form: Form::A2a(Leaving::Events(play)) }
        }
    };
    call.say_about(Some((id, about)), reply)
}

/// A task that can be asked about: it is known, and nothing is under way for it. None where it must be waited for.
pub(crate) fn known(call: &mut Call<'_, '_>, id: &str) -> Result<Option<()>, Fault> {
    call.decided.run = Some(id.to_owned());
    if call.state.tasks.get(id).is_none() {
        return Err(Fault::no_task(id));
    }
    if call.state.busy.contains(id) {
        return Ok(None);
    }
    let now_ms = call.now_ms;
    if let Some(run) = call.state.runs.get_mut(id) {
        run.catch_up(now_ms);
        call.touched(id);
    }
    // What came due may have made it one of those that are over, of which the oldest go.
    if call.state.tasks.get(id).is_none() { Err(Fault::no_task(id)) } else { Ok(Some(())) }
}

/// A task that is over takes nothing more.
pub(crate) fn is_over(id: &str, state: &str) -> Fault {
    let why = format!("the task is over ({state}), and takes nothing more; begin another one");
    Fault::new(Sort::UnsupportedOperation, why).with("taskId", id).with("state", state)
}
