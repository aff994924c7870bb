//! Works on the items of a wave, so many at once, goes on where an earlier process was ended, and looks again at the end.

use super::past::History;
use super::report::{ItemReport, WaveReport};
use super::{Item, Stand, Wave, WaveError};
use crate::book::Book;
use crate::endpoint::budget::Budget;
use crate::endpoint_driver::digest_of;
use crate::operations::{Driver, Work};
use crate::policy::{Candidate, Tier, sample};
use crate::roles::Role;
use crate::worker::ownership::as_one;
use crate::worker::proof::Proof;
use crate::worker::proof::verification::{Look, Missing, Sort};
use crate::worker::report::Report;
use crate::worker::task::Task;
use rehearsal_journal::drive::Fact;
use rehearsal_world::clock::unix_ms;
use rehearsal_world::owned::Tree;
use rehearsal_world::process;
use rehearsal_world::task::{self, JoinSet};
use rehearsal_world::vault::VaultError;
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// One item with all that its worker needs.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name.
    pub slug: String,
    /// Names of the items before it.
    pub after: Vec<String>,
    /// What is to be done.
    pub task: Task,
    /// The command that tests it; without one it is never verified.
    pub test: Option<String>,
    /// A command that its worker does not know.
    pub check: Option<String>,
}

/// What a wave is.
#[derive(Debug)]
pub struct Plan {
    /// The items.
    pub jobs: Vec<Job>,
    /// Most items at once.
    pub at_once: usize,
    /// Seed of what is looked at again.
    pub seed: u64,
    /// How closely is looked, and what that follows from.
    pub tier: (Tier, u64, u64),
    /// What all may cost together. The driver keeps to it, too.
    pub budget: Arc<Budget>,
}

/// Why a wave does not begin, or cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// Its items cannot be one.
    #[error(transparent)]
    Wave(#[from] WaveError),
    /// The journal cannot be written.
    #[error(transparent)]
    Book(#[from] VaultError),
}

/// What just happened, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// An item was proved by an earlier process and is kept.
    Kept(&'p str),
    /// Somebody works on an item.
    Started(&'p str),
    /// An item is over.
    Over(&'p str, &'p Report),
    /// An item was looked at again.
    LookedAgain(&'p str, bool),
}

/// Works on a wave in a tree, where an earlier process was ended by what the journal says of it.
///
/// # Errors
/// [`RunError`]; what was written until then is whole, and the next call goes on.
pub async fn run<D: Driver + 'static>(
    plan: Plan,
    driver: Arc<D>,
    tree: &Tree,
    book: &Book,
    watch: impl Fn(Progress<'_>),
) -> Result<WaveReport, RunError> {
    let items = plan.jobs.iter().map(item).collect();
    let wave = Wave::begin(items, as_one)?;
    let slugs = plan.jobs.iter().map(|job| job.slug.clone()).collect();
    let history = book.history();
    let pid = process::own_id();
    book.note(Fact::Began { unix_ms: unix_ms(), pid, items: slugs, seed: plan.seed })?;
    let mut running = Running { plan, driver, book, wave, watch, done: BTreeMap::new(), stopped: None };
    running.count_earlier(&history);
    running.keep(&history, tree)?;
    running.work().await?;
    running.look_again().await?;
    Ok(running.report())
}

fn item(job: &Job) -> Item {
    let owns = job.task.owns.entries().iter().map(|entry| entry.name.as_str().to_owned()).collect();
    Item { slug: job.slug.clone(), owns, after: job.after.clone() }
}

struct Running<'r, D, W> {
    plan: Plan,
    driver: Arc<D>,
    book: &'r Book,
    wave: Wave,
    watch: W,
    done: BTreeMap<String, ItemReport>,
    stopped: Option<String>,
}

impl<D: Driver + 'static, W: Fn(Progress<'_>)> Running<'_, D, W> {
    /// What earlier processes spent on the same work counts; what else they did in this journal does not.
    fn count_earlier(&self, history: &History) {
        for job in &self.plan.jobs {
            self.plan.budget.spend(history.spent_on(&digest_of(&job.task, self.proof(job).as_ref())));
        }
    }

    /// Items that were proved, and whose files are as they were left, are done; also where nobody lived to say that they were written.
    fn keep(&mut self, history: &History, tree: &Tree) -> Result<(), RunError> {
        for job in &self.plan.jobs {
            let work = digest_of(&job.task, self.proof(job).as_ref());
            let unsaid = history.perhaps_written(&job.slug, &work);
            let Some(ended) = unsaid.or_else(|| history.proved(&job.slug, &work)) else { continue };
            if ended.files.iter().all(|(path, sum)| tree.sha256(path) == *sum) {
                if unsaid.is_some() {
                    self.book.note(Fact::Ended(Box::new(ended.clone())))?;
                }
                self.wave.keep(&job.slug);
                self.done.insert(job.slug.clone(), ItemReport::kept(ended));
                (self.watch)(Progress::Kept(&job.slug));
            }
        }
        Ok(())
    }

    async fn work(&mut self) -> Result<(), RunError> {
        let mut workers = JoinSet::new();
        loop {
            if self.stopped.is_none() && !self.wave.is_over() && self.plan.budget.reached().is_some() {
                self.stop("cost_ceiling_exceeded")?;
            }
            for slug in self.wave.start(self.plan.at_once.max(1)) {
                let Some(job) = self.plan.jobs.iter().find(|job| job.slug == slug) else { continue };
                (self.watch)(Progress::Started(&slug));
                let (driver, work) = (Arc::clone(&self.driver), self.work_of(job));
                workers.spawn(async move { (slug, driver.dispatch(work).await) });
            }
            let Some(ended) = workers.join_next().await else { return Ok(()) };
            let (slug, report) = task::joined(ended);
            self.over(slug, report?);
        }
    }

    fn stop(&mut self, reason: &str) -> Result<(), RunError> {
        self.wave.stop();
        self.stopped = Some(reason.to_owned());
        Ok(self.book.note(Fact::Stopped { reason: reason.to_owned() })?)
    }

    fn proof(&self, job: &Job) -> Option<Proof> {
        let (tier, good, all) = self.plan.tier;
        Some(Proof {
            test: job.test.clone()?,
            check: job.check.clone(),
            tier,
            measured: (good, all),
            second_look: false,
            reviewer: self.driver.resolve_model(Role::Verify).to_owned(),
        })
    }

    fn work_of(&self, job: &Job) -> Work {
        let (task, proof) = (job.task.clone(), self.proof(job));
        let task = match &proof {
            Some(proof) => task.under(proof.tier.policy()),
            None => task,
        };
        Work { item: job.slug.clone(), task, proof }
    }

    fn over(&mut self, slug: String, report: Report) {
        self.wave.over(&slug, report.verification.missing.is_none());
        (self.watch)(Progress::Over(&slug, &report));
        self.done.insert(slug, ItemReport::worked(report));
    }

    /// Some of the verified items once more, with what their workers do not know, in the tree as all of them left it.
    async fn look_again(&mut self) -> Result<(), RunError> {
        let verified: Vec<Job> = self
            .plan
            .jobs
            .iter()
            .filter(|job| self.wave.stand(&job.slug) == Some(Stand::Verified) && job.test.is_some())
            .cloned()
            .collect();
        let is_suspect = |slug: &str| self.done.get(slug).is_some_and(|item| item.suspect);
        let candidates: Vec<Candidate<'_>> = verified
            .iter()
            .map(|job| Candidate { slug: &job.slug, suspect: is_suspect(&job.slug) })
            .collect();
        let percent = self.plan.tier.0.policy().spot_check_percent;
        let drawn: Vec<String> =
            sample(self.plan.seed, &candidates, percent).into_iter().map(str::to_owned).collect();
        for job in verified.iter().filter(|job| drawn.contains(&job.slug)) {
            let Some(test) = &job.test else { continue };
            let mut commands = vec![(Sort::Again, test.as_str())];
            commands.extend(job.check.as_deref().map(|check| (Sort::Check, check)));
            let looks = self.driver.run_commands(&commands).await;
            let green = looks.iter().all(Look::is_green);
            self.book.note(Fact::LookedAgain { item: job.slug.clone(), green })?;
            if let Some(item) = self.done.get_mut(&job.slug) {
                item.looked_again(looks, (!green).then_some(Missing::FakeGreen));
            }
            if !green {
                self.wave.over(&job.slug, false);
            }
            (self.watch)(Progress::LookedAgain(&job.slug, green));
        }
        Ok(())
    }

    fn report(mut self) -> WaveReport {
        let items = self.plan.jobs.iter().map(|job| {
            let stand = self.wave.stand(&job.slug).unwrap_or(Stand::Blocked);
            let item = self.done.remove(&job.slug).unwrap_or_else(ItemReport::untouched);
            (job.slug.clone(), stand, item)
        });
        let items = items.collect();
        let (spent, _) = self.plan.budget.spent();
        WaveReport {
            items,
            stopped: self.stopped,
            spent,
            price: None,
            tier: self.plan.tier,
            seed: self.plan.seed,
        }
    }
}
