//! Does one task: takes the files, asks, and writes what may be written, all or nothing. Joins `dispatch` to the world.

use super::dispatch::{Dispatch, Do, Outcome, Task};
use super::format::{Change, Owned};
use super::ownership::Mode;
use super::report::Report;
use crate::endpoint::ask::{Asker, Transport};
use crate::endpoint::class::{Class, Failed};
use rehearsal_world::owned::{self, Entry, Held, PathReport, Tree};
use rehearsal_world::vault::Folder;

/// Works on a task in a tree. `record` is a folder in which a commit can be found again that a kill interrupts; whoever calls has
/// ended such a one before ([`Tree::recover`]).
pub async fn work<T: Transport>(task: Task, tree: &Tree, record: &Folder, asker: &mut Asker<T>) -> Report {
    let model = task.model.clone();
    let taken = take(&task, tree);
    let (held, owned) = match taken {
        Ok(taken) => taken,
        Err(failed) => {
            let outcome = Outcome::Failed(failed);
            return Report { model, outcome, ..Report::nothing(asker.url()) };
        }
    };
    let mut dispatch = Dispatch::new(task, owned);
    let (outcome, files) = run(&mut dispatch, held, record, asker).await;
    Report {
        outcome,
        files,
        model,
        summary: dispatch.summary().map(str::to_owned),
        leniencies: dispatch.leniencies().to_vec(),
        steps: dispatch.steps().to_vec(),
        findings: dispatch.findings().to_vec(),
        repairs: dispatch.repaired(),
        attempts: asker.attempts().to_vec(),
        spent: Some(asker.spent()),
        ..Report::nothing(asker.url())
    }
}

/// Takes the files and reads them as text.
fn take(task: &Task, tree: &Tree) -> Result<(Held, Vec<Owned>), Box<Failed>> {
    let mode = |mode| match mode {
        Mode::Edit => owned::Mode::Edit,
        Mode::Create => owned::Mode::Create,
    };
    let entries: Vec<Entry> = task
        .owns
        .entries()
        .iter()
        .map(|entry| Entry { path: entry.name.as_str().to_owned(), mode: mode(entry.mode) })
        .collect();
    let held = tree.take(&entries).map_err(|error| {
        let class = if error.is_unsafe() { Class::UnsafePath } else { Class::Config };
        Box::new(Failed::new(class, error.to_string()))
    })?;
    let text = |file: &owned::HeldFile| match (file.mode, std::str::from_utf8(&file.bytes)) {
        (owned::Mode::Create, _) => Ok(Owned::create(file.path.as_str())),
        (owned::Mode::Edit, Ok(text)) => Ok(Owned::edit(file.path.as_str(), text)),
        (owned::Mode::Edit, Err(_)) => {
            let why = format!("{} is no UTF-8 text, so a model cannot be shown it", file.path);
            Err(Box::new(Failed::new(Class::Config, why)))
        }
    };
    let shown = held.files().iter().map(text).collect::<Result<Vec<_>, _>>()?;
    Ok((held, shown))
}

/// Asks until there is something to write, or nothing more to ask.
async fn run<T: Transport>(
    dispatch: &mut Dispatch,
    held: Held,
    record: &Folder,
    asker: &mut Asker<T>,
) -> (Outcome, Vec<PathReport>) {
    loop {
        let result = asker.ask(&dispatch.turn(), &dispatch.dialing()).await;
        match dispatch.answered(result) {
            Do::Ask => {}
            Do::End(outcome) => return (outcome, Vec::new()),
            Do::Commit(changes) => return commit(held, record, &changes),
        }
    }
}

fn commit(held: Held, record: &Folder, changes: &[Change]) -> (Outcome, Vec<PathReport>) {
    let changes: Vec<(&str, &[u8])> =
        changes.iter().map(|change| (change.path.as_str(), change.contents.as_bytes())).collect();
    match held.commit(record, &changes) {
        Ok(done) => (Outcome::Applied, done.paths),
        Err(error) => {
            let class = if error.is_stale() { Class::StaleBase } else { Class::Write };
            (Outcome::Failed(Box::new(Failed::new(class, error.to_string()))), error.paths)
        }
    }
}
