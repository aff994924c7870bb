//! One task of `drive`: its words, the files that it owns, and what came of it.

use super::hands::Hands;
use super::{endpoint, proof, work};
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_driver::endpoint_driver::cancelled;
use rehearsal_driver::operations::{Driver as _, Work};
use rehearsal_driver::probe;
use rehearsal_driver::roles::Role;
use rehearsal_driver::worker::report::Report;
use rehearsal_journal::drive::Fact;
use rehearsal_world::clock::unix_ms;
use rehearsal_world::{files, process, task as background};
use std::path::PathBuf;

/// What a single task is called in the journal.
const ITEM: &str = "task";

/// Largest file that holds a task, in bytes.
const LARGEST_PROMPT: u64 = 1 << 20;

/// Arguments that say what is to be done.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// What is to be done.
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["prompt_file", "wave", "status", "probe", "capabilities"])]
    prompt: Option<String>,
    /// A file that says it.
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// A file that the worker may change, below the work tree; with `:create` behind it one that it is to make. May be given several
    /// times; nothing else is ever written.
    #[arg(long = "owns", value_name = "PATH[:create]", required_unless_present_any = ["wave", "status", "probe", "capabilities"])]
    owns: Vec<String>,
    /// The part that the worker plays (worker, setup, verify); it says which model does it.
    #[arg(long, value_name = "ROLE", default_value = "worker", value_parser = role)]
    role: Role,
}

fn role(text: &str) -> Result<Role, String> {
    Role::of(text).ok_or_else(|| "the roles are worker, setup, verify".to_owned())
}

pub(super) fn run(
    arguments: &Arguments,
    asked: &endpoint::Arguments,
    shared: &work::Arguments,
    proved: &proof::Arguments,
) -> Result<(), Failure> {
    let endpoint = asked.read()?;
    let models = proved.models(&asked.model)?;
    let protection = shared.protection(&[]);
    let task = shared
        .task(asked, (prompt(arguments)?, models.of(arguments.role)), &arguments.owns, &protection)
        .map_err(|error| Failure::Command(format!("--owns: {error}")))?;
    let proof = proved.of_task(&models, probe::tier(&shared.data, &endpoint, &task.model, task.format.name));
    let task = match &proof {
        Some(proof) => task.under(proof.tier.policy()),
        None => task,
    };
    let hands = Hands { models, asked, shared, proved, protection: &protection };
    let (model, url) = (task.model.clone(), endpoint.mask().hide(&endpoint.url()));
    let driver = hands.driver(endpoint)?;
    let book = driver.book.clone();
    let working = async {
        let driver = hands.proving(driver, proof.is_some()).await?;
        let (pid, items) = (process::own_id(), vec![ITEM.to_owned()]);
        let began = Fact::Began { unix_ms: unix_ms(), pid, items, seed: 0 };
        let work = Work { item: ITEM.to_owned(), task, proof };
        driver.book.note(began).map_err(|error| Failure::World(error.to_string()))?;
        driver.dispatch(work).await.map_err(|error| Failure::World(error.to_string()))
    };
    let report = background::run_here(async { background::unless_asked_to_end(working).await })
        .map_err(|error| Failure::World(error.to_string()))?;
    let Some(report) = report else {
        let report =
            cancelled(&book, ITEM, &model, &url).map_err(|error| Failure::World(error.to_string()))?;
        if shared.json {
            terminal::say(&report.to_json());
        }
        return Err(Failure::World("asked to end: nothing was written".to_owned()));
    };
    let report = Report { price: proved.price(), ..report? };
    show(&report, shared.json);
    if report.outcome.is_ok() { Ok(()) } else { Err(Failure::NotMet) }
}

fn prompt(arguments: &Arguments) -> Result<String, Failure> {
    let text = match (&arguments.prompt, &arguments.prompt_file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => {
            files::read_text(path, LARGEST_PROMPT).map_err(|error| Failure::Command(error.to_string()))?
        }
        (None, None) => String::new(),
    };
    if text.trim().is_empty() {
        return Err(Failure::Command("the task is empty: say in --prompt what is to be done".to_owned()));
    }
    Ok(text)
}

/// Most characters that are shown of the last line of a command that was not green.
const LAST_LINE: usize = 200;

/// Tells what came of the task.
fn show(report: &Report, json: bool) {
    if json {
        return terminal::say(&report.to_json());
    }
    let count = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    terminal::tell(&format!(
        "{}: {}, {}",
        report.outcome.name(),
        count(report.attempts.len(), "request"),
        count(report.repairs, "repair")
    ));
    for file in &report.files {
        let sum =
            file.after.as_deref().map_or_else(|| "gone".to_owned(), |sum| format!("sha256 {}…", &sum[..12]));
        terminal::tell(&format!("  {} {sum}", file.path));
    }
    terminal::tell(&proved(report));
    if let Some(look) = report.verification.looks.last().filter(|look| !look.is_green()) {
        let last = look.output.lines().rev().find(|line| !line.trim().is_empty());
        let said = last.map_or_else(String::new, |line| {
            format!("; the last that it said: {:?}", line.chars().take(LAST_LINE).collect::<String>())
        });
        terminal::tell(&format!(
            "  the command of the last look ({}): {}{said}",
            look.sort.name(),
            look.end()
        ));
    }
    if let Some(summary) = &report.summary {
        // Its further lines are seen to be its own.
        terminal::tell(&format!("the model says: {}", summary.trim().replace('\n', "\n  ")));
    }
    if let Some(failed) = report.error() {
        let reason = failed.reason.map_or_else(String::new, |reason| format!(" ({reason})"));
        terminal::complain(&format!("rehearsal: {}{reason}: {}", failed.class.name(), failed.message));
        let lacked = report.verification.looks.last().filter(|look| !look.is_green());
        for path in lacked.iter().flat_map(|look| &look.lacked) {
            terminal::complain(&format!("  the copy that was tested lacks {path}"));
        }
        if failed.reason == Some("context_truncated") {
            terminal::complain(
                "  hint: where the endpoint only counts badly, --ignore-token-count takes its answer",
            );
        }
    }
}

/// What was proved, in a sentence.
fn proved(report: &Report) -> String {
    let verification = &report.verification;
    let looks = verification.looks.iter().filter(|look| look.is_green()).count();
    let tier = verification.tier.map_or_else(String::new, |(tier, good, all)| match all {
        0 => format!(", tier {}: its accuracy was never measured", tier.number()),
        _ => format!(", tier {} by {good} right of {all}", tier.number()),
    });
    match verification.missing {
        None => {
            let review = verification
                .reviewer
                .as_ref()
                .map_or_else(String::new, |model| format!(", reviewed by {model}"));
            format!("verified: {looks} green{review}{tier}")
        }
        Some(missing) => format!("not verified: {}{tier}", missing.name()),
    }
}
