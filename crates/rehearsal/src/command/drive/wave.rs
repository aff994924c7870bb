//! Waves of `drive`: several items of a file, each with files of its own; and how one stands that somebody works on.

use super::hands::Hands;
use super::{endpoint, proof, work};
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_driver::book::facts;
use rehearsal_driver::endpoint::ask::Dialled;
use rehearsal_driver::endpoint_driver::{EndpointDriver, patience};
use rehearsal_driver::policy::Tier;
use rehearsal_driver::probe;
use rehearsal_driver::roles::{Models, Role};
use rehearsal_driver::wave::Stand;
use rehearsal_driver::wave::past::History;
use rehearsal_driver::wave::report::WaveReport;
use rehearsal_driver::wave::run::{self, Job, Plan, Progress, RunError};
use rehearsal_driver::wave::status::statuses;
use rehearsal_driver::worker::ownership::Protection;
use rehearsal_driver::worker::report::Report;
use rehearsal_journal::drive::Fact;
use rehearsal_journal::event::Event;
use rehearsal_script::File;
use rehearsal_script::wave::{self, Item};
use rehearsal_world::clock::unix_ms;
use rehearsal_world::record::{Journal, Name, read_journal};
use rehearsal_world::vault::Folder;
use rehearsal_world::{files, task};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Largest wave file, in bytes.
const LARGEST: u64 = 4 << 20;

/// Arguments of waves.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Work on the items of this file. What was verified for the same work and still is as it was left is not done again.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["prompt", "prompt_file", "owns", "probe", "capabilities"])]
    pub(super) wave: Option<PathBuf>,
    /// Most items at once.
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    at_once: u16,
    /// What is looked at again is drawn by this number.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Say how the items stand that somebody works on, or worked on, with this `--data`, this `--deadline` and this
    /// `--test-timeout`.
    #[arg(long, conflicts_with_all = ["wave", "prompt", "prompt_file", "owns", "probe", "capabilities"])]
    pub(super) status: bool,
}

/// Works on a wave.
pub(super) fn run(
    path: &Path,
    arguments: &Arguments,
    asked: &endpoint::Arguments,
    shared: &work::Arguments,
    proved: &proof::Arguments,
) -> Result<(), Failure> {
    let (endpoint, models) = (asked.read()?, proved.models(&asked.model)?);
    let bytes = files::read_bytes(path, LARGEST).map_err(|error| Failure::Command(error.to_string()))?;
    let name = path.display().to_string();
    let file = wave::read(&File { name: &name, bytes: &bytes }).map_err(Failure::Files)?;
    let protection = shared.protection(&file.protect);
    let jobs: Result<Vec<Job>, Failure> =
        file.items.iter().map(|item| job(item, asked, shared, &models, &protection)).collect();
    let jobs = jobs?;
    // The model of which least is known says how closely is looked at all.
    let measured = jobs
        .iter()
        .map(|Job { task, .. }| probe::tier(&shared.data, &endpoint, &task.model, task.format.name))
        .max_by_key(|(tier, ..)| tier.number());
    let measured = measured.unwrap_or((Tier::UNMEASURED, 0, 0));
    let hands = Hands { models, asked, shared, proved, protection: &protection };
    let driver = hands.driver(endpoint)?;
    let plan = Plan {
        jobs,
        at_once: arguments.at_once.into(),
        seed: arguments.seed,
        tier: measured,
        budget: Arc::clone(&driver.budget),
    };
    let report = work(plan, driver, &hands)?;
    let report = WaveReport { price: proved.price(), ..report };
    show(&report, shared.json);
    if report.is_ok() { Ok(()) } else { Err(Failure::NotMet) }
}

fn work(plan: Plan, driver: EndpointDriver<Dialled>, hands: &Hands<'_>) -> Result<WaveReport, Failure> {
    let json = hands.shared.json;
    let (ground, book) = (Arc::clone(&driver.ground), driver.book.clone());
    let proves = plan.jobs.iter().any(|job| job.test.is_some());
    let working = async {
        let driver = hands.proving(driver, proves).await?;
        let watch = |progress: Progress<'_>| tell(progress, json);
        let worked = run::run(plan, Arc::new(driver), &ground.tree, &book, watch).await;
        worked.map_err(|error| match error {
            RunError::Wave(error) => Failure::Command(format!("--wave: {error}")),
            RunError::Book(error) => Failure::World(error.to_string()),
        })
    };
    let ended = task::run(async { task::unless_asked_to_end(working).await });
    match ended.map_err(|error| Failure::World(error.to_string()))? {
        None => Err(Failure::World("asked to end: the same command goes on with it".to_owned())),
        Some(worked) => worked,
    }
}

fn job(
    item: &Item,
    asked: &endpoint::Arguments,
    shared: &work::Arguments,
    models: &Models,
    protection: &Protection,
) -> Result<Job, Failure> {
    let role = Role::of(&item.role).unwrap_or(Role::Worker);
    let model = item.model.as_deref().unwrap_or_else(|| models.of(role));
    let owns: Vec<String> = item
        .owns
        .iter()
        .map(|(path, is_new)| if *is_new { format!("{path}:create") } else { path.clone() })
        .collect();
    let task = shared.task(asked, (item.prompt.clone(), model), &owns, protection).map_err(|error| {
        let place = &item.place;
        Failure::Command(format!("{}:{}:{}: {error}", place.file, place.line, place.column))
    })?;
    let (slug, after) = (item.slug.clone(), item.after.clone());
    Ok(Job { slug, after, task, test: item.test.clone(), check: item.check.clone() })
}

/// One line for each thing that happens.
fn tell(progress: Progress<'_>, json: bool) {
    let line = match progress {
        Progress::Kept(slug) => format!("{slug}: verified before, and as it was left"),
        Progress::Started(slug) => format!("{slug}: begun"),
        Progress::Over(slug, report) => format!("{slug}: {}", ended(report)),
        Progress::LookedAgain(slug, green) => {
            format!("{slug}: looked at again, {}", if green { "green" } else { "not green any more" })
        }
    };
    if json { terminal::complain(&line) } else { terminal::tell(&line) }
}

fn ended(report: &Report) -> String {
    let missing = report.verification.missing;
    let verified =
        missing.map_or_else(|| "verified".to_owned(), |missing| format!("not verified ({})", missing.name()));
    let why = report.error().map_or_else(String::new, |failed| {
        format!(": {}: {}", failed.class.name(), first_line(&failed.message))
    });
    format!("{}, {verified}{why}", report.outcome.name())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn show(report: &WaveReport, json: bool) {
    if json {
        return terminal::say(&report.to_json());
    }
    let verified = report.items.iter().filter(|(_, stand, _)| *stand == Stand::Verified).count();
    terminal::say(&format!("{verified} of {} items verified", report.items.len()));
    for (slug, stand, item) in report.items.iter().filter(|(_, stand, _)| *stand != Stand::Verified) {
        let why = item.reason().map_or("", |missing| missing.name());
        terminal::tell(format!("  {slug}: {} {why}", stand.name()).trim_end());
    }
    if let Some(reason) = &report.stopped {
        terminal::complain(&format!("rehearsal: nothing more was begun: {reason}"));
    }
}

/// Tells how the items of a data folder stand.
pub(super) fn status(
    asked: &endpoint::Arguments,
    shared: &work::Arguments,
    proved: &proof::Arguments,
) -> Result<(), Failure> {
    let journal = read_journal(&shared.data, &Name::Journal)
        .map_err(|error| Failure::Command(format!("--data: {}: {error}", shared.data.display())))?;
    let seen_ms = last_seen(&journal);
    let history = History::of(&facts(journal.events));
    let alive = Folder::is_owned(&shared.data);
    let quiet = Duration::from_millis(unix_ms().saturating_sub(seen_ms));
    let patience = patience(asked.deadline, proved.test_timeout);
    for status in statuses(&history, alive, quiet, patience, unix_ms()) {
        let age = status
            .age
            .map_or_else(String::new, |age| format!(", begun {} s ago, {}", age.as_secs(), status.detail));
        let line = format!("{}: {}{age}", status.item, status.state.name());
        if shared.json { terminal::say(&status.to_json()) } else { terminal::tell(&line) }
    }
    Ok(())
}

/// When something was written last, milliseconds since 1970: the clock of its process began with the wall's.
fn last_seen(journal: &Journal) -> u64 {
    let began = journal.events.iter().zip(&journal.times).rev().find_map(|(event, at)| match event {
        Event::Drive(Fact::Began { unix_ms, .. }) => Some((*unix_ms, *at)),
        _ => None,
    });
    let last = journal.times.last().copied().unwrap_or(0);
    began.map_or(0, |(unix_ms, at)| unix_ms.saturating_add(last.saturating_sub(at) / 1000))
}
