//! One task of `drive`: its words, the files that it owns, and what came of it.

use super::endpoint;
use crate::command::choice;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_driver::endpoint::ask::Asker;
use rehearsal_driver::worker::dispatch::Task;
use rehearsal_driver::worker::format::guard::Limits;
use rehearsal_driver::worker::format::{self, FORMATS, Format};
use rehearsal_driver::worker::ownership::{Mode, Protection, Reading, Set};
use rehearsal_driver::worker::report::Report;
use rehearsal_driver::worker::work::work;
use rehearsal_world::dial::Client;
use rehearsal_world::owned::{self, Ended, Tree};
use rehearsal_world::vault::Folder;
use rehearsal_world::{files, task};
use std::path::PathBuf;

/// Largest file that holds a task, in bytes.
const LARGEST_PROMPT: u64 = 1 << 20;

/// Arguments that say what is to be done.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// What is to be done.
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["prompt_file", "probe", "capabilities"])]
    prompt: Option<String>,
    /// A file that says it.
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// A file that the worker may change, below the work tree; with `:create` behind it one that it is to make. May be given several
    /// times; nothing else is ever written.
    #[arg(long = "owns", value_name = "PATH[:create]", required_unless_present_any = ["probe", "capabilities"])]
    owns: Vec<String>,
    /// A file that is never owned, beside tests, their configuration and start-up files. May be given several times.
    #[arg(long, value_name = "PATH")]
    protect: Vec<String>,
    /// The work tree.
    #[arg(long, value_name = "DIR", default_value = ".")]
    workdir: PathBuf,
    /// How the answer is written.
    #[arg(long, value_name = "FORMAT", default_value = "json_patch", value_parser = answer_format)]
    pub(super) format: &'static Format,
    /// How often an answer that cannot be used goes back to the model.
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    repairs: usize,
    /// Most tokens of an answer.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// Let a file shrink below half.
    #[arg(long)]
    allow_shrink: bool,
    /// Folder for what must outlive a kill.
    #[arg(long, value_name = "DIR", default_value = ".rehearsal/drive")]
    pub(super) data: PathBuf,
    /// Print the report as one line of JSON.
    #[arg(long)]
    pub(super) json: bool,
}

fn answer_format(text: &str) -> Result<&'static Format, String> {
    let names = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    format::find(text).ok_or_else(|| format!("the formats are {}", names()))
}

pub(super) fn run(arguments: &Arguments, asked: &endpoint::Arguments) -> Result<(), Failure> {
    choice::folder(&arguments.data)?;
    let endpoint = asked.read()?;
    let task = task_of(arguments, asked)?;
    let client = Client::new(asked.trust()?);
    let tree = Tree::open(&arguments.workdir, owned::Limits::default()).map_err(|error| {
        Failure::Command(format!("--workdir: cannot open {}: {error}", arguments.workdir.display()))
    })?;
    let record = Folder::own(&arguments.data).map_err(|error| Failure::World(error.to_string()))?;
    let recovered = tree.recover(&record).map_err(|error| Failure::World(error.to_string()))?;
    let ended = match recovered.ended {
        Ended::Nothing => None,
        Ended::Undone => Some("undone"),
        Ended::Finished => Some("finished"),
    };
    if let Some(ended) = ended {
        terminal::complain(&format!(
            "rehearsal: what an earlier worker was writing when it was killed is {ended}"
        ));
    }
    for note in &endpoint.notes {
        terminal::complain(&format!("rehearsal: {note}"));
    }
    let mut asker = Asker::new(endpoint, asked.manner(), client);
    let report =
        task::run_here(async { task::unless_asked_to_end(work(task, &tree, &record, &mut asker)).await })
            .map_err(|error| Failure::World(error.to_string()))?;
    let Some(report) = report else {
        return Err(Failure::World("asked to end: nothing was written".to_owned()));
    };
    show(&report, arguments.json);
    if report.outcome.is_ok() { Ok(()) } else { Err(Failure::NotMet) }
}

fn task_of(arguments: &Arguments, asked: &endpoint::Arguments) -> Result<Task, Failure> {
    let prompt = match (&arguments.prompt, &arguments.prompt_file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => {
            files::read_text(path, LARGEST_PROMPT).map_err(|error| Failure::Command(error.to_string()))?
        }
        (None, None) => String::new(),
    };
    if prompt.trim().is_empty() {
        return Err(Failure::Command("the task is empty: say in --prompt what is to be done".to_owned()));
    }
    let protected: Vec<&str> = arguments.protect.iter().map(String::as_str).collect();
    let entries: Vec<(&str, Mode)> = arguments
        .owns
        .iter()
        .map(|path| {
            path.strip_suffix(":create").map_or((path.as_str(), Mode::Edit), |path| (path, Mode::Create))
        })
        .collect();
    let owns = Set::new(&entries, &Protection::with(&protected))
        .map_err(|error| Failure::Command(format!("--owns: {error}")))?;
    Ok(Task {
        prompt,
        model: asked.model.clone(),
        owns,
        format: arguments.format,
        reading: if asked.strict { Reading::Strict } else { Reading::Lenient },
        limits: Limits { allow_shrink: arguments.allow_shrink, ..Limits::default() },
        repairs: if asked.attempts == 1 { 0 } else { arguments.repairs },
        limit: arguments.max_tokens,
        stream: asked.stream,
    })
}

/// Tells what came of the task.
fn show(report: &Report, json: bool) {
    if json {
        return terminal::say(&report.to_json());
    }
    let count = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    terminal::say(&format!(
        "{}: {}, {}",
        report.outcome.name(),
        count(report.attempts.len(), "request"),
        count(report.repairs, "repair")
    ));
    for file in &report.files {
        let sum =
            file.after.as_deref().map_or_else(|| "gone".to_owned(), |sum| format!("sha256 {}…", &sum[..12]));
        terminal::say(&format!("  {} {sum}", file.path));
    }
    if let Some(summary) = &report.summary {
        terminal::say(&format!("the model says: {}", summary.trim()));
    }
    if let Some(failed) = report.error() {
        let reason = failed.reason.map_or_else(String::new, |reason| format!(" ({reason})"));
        terminal::complain(&format!("rehearsal: {}{reason}: {}", failed.class.name(), failed.message));
    }
}
