//! The run of a task: its files are made, then it begins.

use super::answer::Binding;
use super::fault::{Fault, Sort};
use super::send::{Sent, asked};
use super::settle::settle;
use super::task::{Key, Plan, Stand};
use crate::core::Step;
use crate::effect::{Blocked, Effect};
use crate::run::{Beginning, Run};
use crate::v2::{Call, files_of, take_up};
use rehearsal_journal::daemon::Fact;
use rehearsal_script::runs::Answers;
use std::sync::Arc;

/// A run whose files are being made.
#[derive(Debug)]
pub(crate) struct Starting {
    run: Run,
    /// Whether the task began with it, too.
    fresh: bool,
    keys: Vec<Key>,
    how: super::send::How,
}

/// Begins the run of a task.
pub(crate) fn start(call: &mut Call<'_, '_>, id: &str, plan: &Plan, sent: Sent, fresh: bool) -> Step {
    let Sent { keys, how, .. } = sent;
    let wishes = &plan.wishes;
    for (name, path) in [("workspaceRoot", &wishes.workspace), ("scopeRoot", &wishes.live)] {
        if path.as_ref().is_some_and(|path| !path.starts_with('/')) {
            let why = format!("{name} in the metadata must be an absolute path");
            let fault = Fault::new(Sort::InvalidParams, why).with("field", name);
            return undo(call, id, fresh, &keys, &how.binding, &fault);
        }
    }
    let beginning = Beginning {
        key: plan.key.clone(),
        workspace: wishes.workspace.clone(),
        live: wishes.live.clone(),
        patience_ms: call.setting.patience_ms(),
        ..Beginning::new(id.to_owned(), Arc::clone(&plan.script), plan.prompt.clone(), call.setting)
    };
    let run = Run::begin(beginning, call.now_ms);
    let effect = files_of(call, &run);
    let starting = Starting { run, fresh, keys, how };
    call.state.busy.insert(id.to_owned());
    match effect {
        Some(effect) => call.begin_task(effect, starting),
        None => {
            let effect = Effect::Begin { run: id.to_owned(), edits: None, attempt: None };
            started(call, starting, effect, Ok(false))
        }
    }
}

/// The files of a run were made, or not.
pub(crate) fn started(
    call: &mut Call<'_, '_>,
    starting: Starting,
    effect: Effect,
    outcome: Result<bool, Blocked>,
) -> Step {
    let Starting { run, fresh, keys, how } = starting;
    let id = run.id.clone();
    call.state.busy.remove(&id);
    let edited = match outcome {
        Ok(edited) => edited,
        Err(blocked) => {
            call.facts.push(Fact::WriteRefused { run: id.clone(), why: blocked.to_string() });
            let fault = match &blocked {
                Blocked::Disk(_) => Fault::new(Sort::Internal, blocked.to_string()),
                Blocked::NoWorkspace | Blocked::NotPrivate | Blocked::Refused { .. } => {
                    Fault::new(Sort::InvalidParams, blocked.to_string()).with("field", "workspaceRoot")
                }
            };
            return undo(call, &id, fresh, &keys, &how.binding, &fault);
        }
    };
    if let Some(task) = call.state.tasks.get_mut(&id) {
        task.stand = Stand::Run;
    }
    take_up(call, run, effect, edited);
    let asked = asked(call, &id, &how, Answers::Start, how.frame());
    settle(call, &id, asked)
}

/// Nothing came of it: the message is as if it had never been sent, and so is a task that began with it.
fn undo(
    call: &mut Call<'_, '_>,
    id: &str,
    fresh: bool,
    keys: &[Key],
    binding: &Binding,
    fault: &Fault,
) -> Step {
    if fresh {
        call.state.tasks.let_go(id);
    } else {
        call.state.tasks.unsaid(id, keys);
    }
    super::refuse(call, binding, fault)
}
