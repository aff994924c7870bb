//! Works on the items of a wave, so many at once, goes on where an earlier process was ended, and looks again at the end.

use super::past::History;
use super::report::{ItemReport, WaveReport};
use super::{Item, Stand, Wave, WaveError};
use crate::book::Book;
use crate::endpoint::ask::{Asker, Manner, Transport};
use crate::endpoint::budget::Budget;
use crate::endpoint::config::Endpoint;
use crate::policy::{Candidate, Tier, sample};
use crate::worker::dispatch::Task;
use crate::worker::ownership::{Mode, Protection, Set, may_be_one};
use crate::worker::proof::bench::Base;
use crate::worker::proof::verification::{Missing, Sort};
use crate::worker::proof::{Bench, Proof};
use crate::worker::report::Report;
use crate::worker::work::work;
use rehearsal_journal::digest;
use rehearsal_journal::drive::{Ended, Fact};
use rehearsal_world::clock::unix_ms;
use rehearsal_world::owned::Tree;
use rehearsal_world::process;
use rehearsal_world::task::{self, JoinSet};
use rehearsal_world::vault::{Folder, VaultError};
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
    /// The model that reviews.
    pub reviewer: String,
    /// Which files count as tests and their configuration.
    pub protection: Protection,
    /// Where commands run.
    pub bench: Bench,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// How it is asked.
    pub manner: Manner,
    /// What all may cost together.
    pub budget: Arc<Budget>,
}

/// Where a wave works.
#[derive(Debug)]
pub struct Ground {
    /// The tree.
    pub tree: Tree,
    /// The folder by which a commit that was killed is ended.
    pub record: Folder,
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
    /// The tests cannot be kept as they are.
    #[error("{0}")]
    Base(String),
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

/// Works on a wave. `facts` is what its journal said when it was opened.
///
/// # Errors
/// [`RunError`]; what was written until then is whole, and the next call goes on.
pub async fn run<T: Transport + Clone + Send + Sync + 'static>(
    plan: Plan,
    ground: Arc<Ground>,
    (book, facts): (Book, Vec<Fact>),
    transport: T,
    watch: impl Fn(Progress<'_>) + 'static,
) -> Result<WaveReport, RunError> {
    let items = plan.jobs.iter().map(item).collect();
    let wave = Wave::begin(items, may_be_one)?;
    let base = match plan.jobs.iter().any(|job| job.test.is_some()) {
        true => {
            let base = Base::read(&ground.tree, &plan.protection, &plan.bench).await;
            Some(base.map_err(RunError::Base)?)
        }
        false => None,
    };
    let slugs = plan.jobs.iter().map(|job| job.slug.clone()).collect();
    let pid = process::own_id();
    book.note(Fact::Began { unix_ms: unix_ms(), pid, items: slugs, seed: plan.seed })?;
    let history = History::of(&facts);
    plan.budget.spend(history.tokens.0, history.tokens.1);
    let mut running =
        Running { plan, ground, book, base, transport, wave, watch, done: BTreeMap::new(), stopped: None };
    running.keep(&history);
    running.work().await?;
    running.look_again().await?;
    Ok(running.report())
}

fn item(job: &Job) -> Item {
    let owns = job.task.owns.entries().iter().map(|entry| entry.name.as_str().to_owned()).collect();
    Item { slug: job.slug.clone(), owns, after: job.after.clone() }
}

struct Running<T, W> {
    plan: Plan,
    ground: Arc<Ground>,
    book: Book,
    base: Option<Base>,
    transport: T,
    wave: Wave,
    watch: W,
    done: BTreeMap<String, ItemReport>,
    stopped: Option<String>,
}

impl<T: Transport + Clone + Send + Sync + 'static, W: Fn(Progress<'_>) + 'static> Running<T, W> {
    /// Items that were proved, and whose files are as they were left, are done.
    fn keep(&mut self, history: &History) {
        for job in &self.plan.jobs {
            let Some(ended) = history.proved(&job.slug, &work_of(job)) else { continue };
            let is_same = ended.files.iter().all(|(path, sum)| self.ground.tree.sha256(path) == *sum);
            if is_same {
                self.wave.keep(&job.slug);
                self.done.insert(job.slug.clone(), ItemReport::kept(ended));
                (self.watch)(Progress::Kept(&job.slug));
            }
        }
    }

    async fn work(&mut self) -> Result<(), RunError> {
        let mut workers = JoinSet::new();
        loop {
            if self.stopped.is_none() && !self.wave.is_over() && self.plan.budget.reached().is_some() {
                self.stop("cost_ceiling_exceeded")?;
            }
            for slug in self.wave.start(self.plan.at_once.max(1)) {
                let Some(job) = self.plan.jobs.iter().find(|job| job.slug == slug).cloned() else { continue };
                (self.watch)(Progress::Started(&slug));
                self.book.note(Fact::Started {
                    item: slug.clone(),
                    work: work_of(&job),
                    model: job.task.model.clone(),
                    unix_ms: unix_ms(),
                })?;
                workers.spawn(self.worker(job));
            }
            let Some(ended) = workers.join_next().await else { return Ok(()) };
            let (slug, report) = task::joined(ended);
            self.over(slug, report)?;
        }
    }

    fn stop(&mut self, reason: &str) -> Result<(), RunError> {
        self.wave.stop();
        self.stopped = Some(reason.to_owned());
        Ok(self.book.note(Fact::Stopped { reason: reason.to_owned() })?)
    }

    fn worker(&self, job: Job) -> impl Future<Output = (String, Report)> + Send + use<T, W> {
        let (tier, good, all) = self.plan.tier;
        let proof = job.test.map(|test| Proof {
            test,
            check: job.check,
            tier,
            measured: (good, all),
            second_look: false,
            reviewer: self.plan.reviewer.clone(),
        });
        let mut task = job.task;
        if proof.is_some() {
            task.rounds = task.rounds.min(tier.policy().repair_cap);
            task.validate_json = tier.policy().validate_all_json;
        }
        let (slug, base, ground) = (job.slug, self.base.clone(), Arc::clone(&self.ground));
        let mut asker = Asker::over(self.plan.endpoint.clone(), self.plan.manner, self.transport.clone())
            .within(Arc::clone(&self.plan.budget))
            .telling(self.book.of(&slug));
        async move {
            let proof = proof.as_ref().zip(base.as_ref());
            let report = work(task, proof, &ground.tree, &ground.record, &mut asker).await;
            (slug, report)
        }
    }

    fn over(&mut self, slug: String, report: Report) -> Result<(), RunError> {
        let ended = Fact::Ended(Box::new(ended(&slug, &report)));
        self.book.note(ended)?;
        self.wave.over(&slug, report.verification.missing.is_none());
        (self.watch)(Progress::Over(&slug, &report));
        self.done.insert(slug, ItemReport::worked(report));
        Ok(())
    }

    /// Some of the verified items once more, with what their workers do not know, in the tree as all of them left it.
    async fn look_again(&mut self) -> Result<(), RunError> {
        let Some(base) = self.base.clone() else { return Ok(()) };
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
        let mask = self.plan.endpoint.mask();
        for job in verified.iter().filter(|job| drawn.contains(&job.slug)) {
            let Some(test) = &job.test else { continue };
            let mut commands = vec![(Sort::Again, test.as_str())];
            commands.extend(job.check.as_deref().map(|check| (Sort::Check, check)));
            let looks = base.looks(&job.task.owns, &[], &commands, &mask).await;
            let green = looks.iter().all(crate::worker::proof::verification::Look::is_green);
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

/// What the journal keeps of an end.
pub fn ended(slug: &str, report: &Report) -> Ended {
    Ended {
        item: slug.to_owned(),
        outcome: report.outcome.name().to_owned(),
        verified: report.verification.missing.is_none(),
        reason: report.verification.missing.map(|missing| missing.name().to_owned()),
        class: report.error().map(|failed| failed.class.name().to_owned()),
        suspect: report.is_suspect(),
        files: report.files.iter().map(|file| (file.path.clone(), file.after.clone())).collect(),
        unix_ms: unix_ms(),
    }
}

fn work_of(job: &Job) -> String {
    digest_of(&job.task, job.test.as_deref(), job.check.as_deref())
}

/// Digest of what is asked for and how it is proved: a result that was kept answers this and nothing else. Who did it, and how it
/// was asked, makes no difference to a result that was proved.
#[must_use]
pub fn digest_of(task: &Task, test: Option<&str>, check: Option<&str>) -> String {
    let parts = [&task.prompt, &owned(&task.owns), test.unwrap_or("-"), check.unwrap_or("-")];
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
