//! The driver of an endpoint: the operations over any transport, in one tree, with one journal and one budget.

use crate::book::Book;
use crate::endpoint::ask::{Asker, Manner, Transport};
use crate::endpoint::attempts::Metered;
use crate::endpoint::budget::Budget;
use crate::endpoint::class::{Class, Failed};
use crate::endpoint::config::Endpoint;
use crate::operations::{Driver, Work};
use crate::probe::{Kept, capabilities, run};
use crate::roles::{Models, Role};
use crate::wave::status::Status;
use crate::worker::format::Format;
use crate::worker::format::ladder::Step;
use crate::worker::ownership::{Mode, Set};
use crate::worker::proof::Proof;
use crate::worker::proof::bench::Base;
use crate::worker::proof::verification::{Look, Sort};
use crate::worker::report::Report;
use crate::worker::task::{Outcome, Task};
use crate::worker::work::work;
use rehearsal_journal::digest;
use rehearsal_journal::drive::{Ended, Fact};
use rehearsal_world::clock::unix_ms;
use rehearsal_world::owned::Tree;
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long nothing may be written down before a worker counts as stalled, where a request may take so long and a command of a
/// proof so long. Nothing is written down while a request is under way, which a stream may draw out, nor between the commands of a
/// proof, of which there are three: the test, the test again, the check.
#[must_use]
pub fn patience(request: Duration, command: Duration) -> Duration {
    request.max(command.saturating_mul(3)).saturating_add(STALLED)
}

/// What is waited beside that: copies are made, files are written.
const STALLED: Duration = Duration::from_secs(30);

/// What is said where a proof is wanted of a driver that has nothing to prove with.
const NO_BASE: &str = "there is nothing that clean copies could be made of";

/// Where workers work.
#[derive(Debug)]
pub struct Ground {
    /// The tree.
    pub tree: Tree,
    /// The folder by which a commit that was killed is ended.
    pub record: Folder,
}

/// A driver whose workers are models behind one endpoint.
#[derive(Debug)]
pub struct EndpointDriver<T> {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// How it is asked.
    pub manner: Manner,
    /// What carries requests to it.
    pub transport: T,
    /// Its models.
    pub models: Models,
    /// How answers are written, for which accuracy is told.
    pub format: &'static Format,
    /// What all work may cost together.
    pub budget: Arc<Budget>,
    /// Where workers work.
    pub ground: Arc<Ground>,
    /// Where everything is written down.
    pub book: Book,
    /// What clean copies are made of; without it nothing is proved and no command runs.
    pub base: Option<Base>,
    /// What is known of the endpoint.
    pub known: Kept,
    /// What it was found to force, by model: whoever works next does not ask for it again.
    pub learned: Mutex<BTreeMap<String, BTreeSet<Step>>>,
}

impl<T> EndpointDriver<T> {
    fn learned(&self) -> MutexGuard<'_, BTreeMap<String, BTreeSet<Step>>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Transport + Clone + Send + Sync> Driver for EndpointDriver<T> {
    async fn probe(&self) -> Kept {
        let model = self.resolve_model(Role::Worker);
        run::find(&self.endpoint, model, self.manner, self.transport.clone()).await
    }

    async fn dispatch(&self, Work { item, mut task, proof }: Work) -> Result<Report, VaultError> {
        let model = task.model.clone();
        task.known = self.learned().get(&model).cloned().unwrap_or_default();
        self.book.note(Fact::Started {
            item: item.clone(),
            work: digest_of(&task, proof.as_ref()),
            model: task.model.clone(),
            unix_ms: unix_ms(),
        })?;
        let mut asker = Asker::over(self.endpoint.clone(), self.manner, self.transport.clone())
            .within(Arc::clone(&self.budget))
            .telling(self.book.of(&item));
        let report = match (&proof, &self.base) {
            // What cannot be proved is not done, as it would be written unproved.
            (Some(_), None) => {
                let failed = Failed::new(Class::Config, NO_BASE.to_owned());
                let outcome = Outcome::Failed(Box::new(failed));
                Report { model: task.model, outcome, ..Report::nothing(asker.url()) }
            }
            (proof, base) => {
                let proof = proof.as_ref().zip(base.as_ref());
                work(task, proof, &self.ground.tree, &self.ground.record, &mut asker).await
            }
        };
        self.learned().entry(model).or_default().extend(&report.learned);
        self.book.note(Fact::Ended(Box::new(ended(&item, &report))))?;
        Ok(report)
    }

    fn worker_status(&self, item: &str) -> Status {
        let command = self.base.as_ref().map_or(Duration::ZERO, Base::time_limit);
        self.book.status(item, patience(self.manner.policy.total, command))
    }

    async fn run_commands(&self, commands: &[(Sort, &str)]) -> Vec<Look> {
        match (&self.base, commands.first()) {
            (Some(base), _) => base.looks(None, commands, &self.endpoint.mask()).await,
            (None, Some((sort, _))) => {
                vec![Look { trouble: Some(NO_BASE.to_owned()), ..Look::nothing(*sort) }]
            }
            (None, None) => Vec::new(),
        }
    }

    fn resolve_model(&self, role: Role) -> &str {
        self.models.of(role)
    }

    fn tokens_spent(&self) -> Option<u64> {
        let (spent, _) = self.budget.spent();
        match spent.metered {
            Metered::All => Some(spent.prompt.saturating_add(spent.completion)),
            Metered::Some | Metered::None => None,
        }
    }

    fn describe(&self) -> String {
        capabilities::describe(&self.known, self.format.name)
    }
}

/// Writes down that work was given up from outside, and gives its report. Whoever gives it up has dropped it: files are written in one
/// go at its end, so that nothing was.
///
/// # Errors
/// When it cannot be written down.
pub fn cancelled(book: &Book, item: &str, model: &str, url: &str) -> Result<Report, VaultError> {
    let failed = Failed::new(Class::Cancelled, "asked to end: nothing was written");
    let outcome = Outcome::Failed(Box::new(failed));
    let report = Report { model: model.to_owned(), outcome, ..Report::nothing(url) };
    book.note(Fact::Ended(Box::new(ended(item, &report))))?;
    Ok(report)
}

/// What the journal keeps of an end.
fn ended(item: &str, report: &Report) -> Ended {
    Ended {
        item: item.to_owned(),
        outcome: report.outcome.name().to_owned(),
        verified: report.verification.missing.is_none(),
        reason: report.verification.missing.map(|missing| missing.name().to_owned()),
        class: report.error().map(|failed| failed.class.name().to_owned()),
        suspect: report.is_suspect(),
        files: report.files.iter().map(|file| (file.path.clone(), file.after.clone())).collect(),
        unix_ms: unix_ms(),
    }
}

/// Digest of what is asked for and how it is proved: a result that was kept answers this and nothing else. Who did it, and how it
/// was asked, makes no difference to a result that was proved.
#[must_use]
pub fn digest_of(task: &Task, proof: Option<&Proof>) -> String {
    let test = proof.map_or("-", |proof| &proof.test);
    let check = proof.and_then(|proof| proof.check.as_deref()).unwrap_or("-");
    let parts = [&task.prompt, &owned(&task.owns), test, check];
    // Each part with its length, so that no two lists of parts are one text.
    let text: String = parts.iter().map(|part| format!("{}:{part}\n", part.len())).collect();
    digest::text(&digest::of(text.as_bytes()))
}

fn owned(set: &Set) -> String {
    let mode = |mode| match mode {
        Mode::Edit => "edit",
        Mode::Create => "create",
    };
    set.entries().iter().map(|entry| format!("{} {}\n", mode(entry.mode), entry.name.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_stalled_before_a_request_or_the_commands_of_a_proof_can_be_over() {
        let of =
            |request, command| patience(Duration::from_secs(request), Duration::from_secs(command)).as_secs();
        assert_eq!([of(600, 0), of(600, 200), of(600, 300)], [630, 630, 930]);
        assert_eq!(patience(Duration::MAX, Duration::MAX), Duration::MAX);
    }
}
