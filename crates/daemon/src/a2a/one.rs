//! What is asked of one task: how it stands, that it ends, what happens in it.

use super::answer::Binding;
use super::fault::{Fault, Sort};
use super::field::Field;
use super::request;
use super::settle::{Asked, Kind, begun, is_over, known, settle, view};
use super::show::Frame;
use super::task::Stand;
use crate::core::Step;
use crate::v2::Call;
use rehearsal_journal::daemon::Fact;
use rehearsal_script::runs::Answers;

/// Shows a task. It is as it was before the read, and the read counts as one of its run: so a client that polls sees it work.
pub(crate) fn get(
    call: &mut Call<'_, '_>,
    binding: &Binding,
    params: &Field<'_>,
    named: Option<&str>,
) -> Result<Step, Fault> {
    let (id, history) = request::getting(params, named)?;
    let Some(()) = known(call, &id)? else { return Ok(Step::Wait) };
    let Some(task) = view(call.state, call.setting, &id).map(|view| view.task(Frame::now(history))) else {
        return Err(Fault::no_task(&id));
    };
    let now_ms = call.now_ms;
    if let Some(run) = call.state.runs.get_mut(&id) {
        run.poll(now_ms);
    }
    let asked = Asked { binding: binding.clone(), about: Answers::Poll, history, kind: Kind::Ready(task) };
    Ok(settle(call, &id, asked))
}

/// Ends a task.
pub(crate) fn cancel(
    call: &mut Call<'_, '_>,
    binding: &Binding,
    params: &Field<'_>,
    named: Option<&str>,
) -> Result<Step, Fault> {
    let (id, why) = request::canceling(params, named)?;
    let Some(()) = known(call, &id)? else { return Ok(Step::Wait) };
    let shown = view(call.state, call.setting, &id).map(|view| view.status(u64::MAX).shown);
    if let Some(shown) = shown.filter(|shown| shown.is_terminal()) {
        let why = format!("the task is over ({}): there is nothing to cancel", shown.word());
        return Err(Fault::new(Sort::TaskNotCancelable, why).with("taskId", id).with("state", shown.word()));
    }
    let now_ms = call.now_ms;
    match call.state.runs.get_mut(&id) {
        Some(run) => run.cancel(why, false, now_ms),
        None => {
            if let Some(task) = call.state.tasks.get_mut(&id) {
                task.stand = Stand::Canceled { why, at_ms: now_ms };
            }
            call.facts.push(changed(&id, "canceled"));
        }
    }
    call.touched(&id);
    let view = view(call.state, call.setting, &id).ok_or_else(|| Fault::no_task(&id))?;
    let kind = Kind::Ready(view.task(Frame::now(None)));
    let asked = Asked { binding: binding.clone(), about: Answers::Control, history: None, kind };
    Ok(settle(call, &id, asked))
}

/// Tells what happens in a task from now on.
pub(crate) fn subscribe(
    call: &mut Call<'_, '_>,
    binding: &Binding,
    params: &Field<'_>,
    named: Option<&str>,
) -> Result<Step, Fault> {
    let id = request::one_task(params, named)?;
    let Some(()) = known(call, &id)? else { return Ok(Step::Wait) };
    let view = view(call.state, call.setting, &id).ok_or_else(|| Fault::no_task(&id))?;
    let shown = view.status(u64::MAX).shown;
    if shown.is_terminal() {
        return Err(is_over(&id, shown.word()));
    }
    let kind = Kind::Stream(begun(view, Frame::now(None), binding, true));
    let asked = Asked { binding: binding.clone(), about: Answers::Events, history: None, kind };
    Ok(settle(call, &id, asked))
}

/// A task without a run came to another state.
pub(crate) fn changed(id: &str, state: &str) -> Fact {
    Fact::ItemChanged { item: "a2a_task".to_owned(), id: id.to_owned(), state: state.to_owned() }
}
