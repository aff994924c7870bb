//! `rehearsal run PATH… [-- AGENT…]`.

use super::choice::{self, Flags};
use super::line;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_journal::run::{RunFile, Verdict};
use rehearsal_report::Style;
use rehearsal_script::span;
use rehearsal_wire::names::{hint, nearest};
use rehearsal_workflow::suite::{self, LoadError, Suite};
use rehearsal_workflow::{Order, RunError};
use rehearsal_world::files::WalkError;
use rehearsal_world::{environment, task};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Deadline of one request of the built-in agent: it talks to loopback, where a second is an age.
const BUILT_IN_PATIENCE: &str = "2";

const AGENT_HELP: &str = "\
The agent's command may hold {prompt}, {base_url}, {workspace}, {model}, {case}.
It finds the same in REHEARSAL_PROMPT, OPENAI_BASE_URL and so on, in its environment.
Journals, outputs and workspaces stay below .rehearsal/runs.";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = AGENT_HELP)]
pub(crate) struct Arguments {
    /// Scenario files, or folders of them.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The agent's command, after `--` [default: the built-in agent].
    #[arg(last = true, value_name = "AGENT")]
    agent: Vec<String>,
    /// Run only these cases; may be given several times.
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    #[command(flatten)]
    flags: Flags,
    /// Most cases at once [default: four for each core].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1000))]
    jobs: Option<u16>,
    /// Time limit of a case that sets none, e.g. 90s or 5m.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    time_limit: Duration,
    /// Model name that the agent is told.
    #[arg(long, value_name = "NAME", default_value = "gpt-4o-mini")]
    model: String,
    /// Let the built-in agent ask for streams.
    #[arg(long, conflicts_with = "agent")]
    stream: bool,
    /// Folder for run folders [default: .rehearsal in the suite's folder].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print the run file instead of the table.
    #[arg(long)]
    json: bool,
}

/// What is said when someone ends a run.
const INTERRUPTED: &str = "the run was asked to end before its cases had; their agents were ended, and its folder holds what was seen";

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let json = arguments.json;
    let order = order(arguments)?;
    let board = crate::board::Board::new(order.cases.len());
    // Dropping a run ends its agents: they lead process groups of their own, which no Ctrl-C reaches.
    let work = rehearsal_workflow::run(order, move |progress| board.show(progress));
    let ended =
        task::run(task::unless_asked_to_end(work)).map_err(|error| Failure::World(error.to_string()))?;
    let (folder, file) =
        ended.ok_or_else(|| Failure::World(INTERRUPTED.to_owned()))?.map_err(Failure::from)?;
    if json {
        terminal::print(&file.to_json());
    } else {
        let style = Style { colour: terminal::colour(), width: terminal::width(), all: false };
        let Some(table) = rehearsal_report::find("terminal") else {
            unreachable!("the table of reports has it")
        };
        terminal::print(&(table.write)(&file, style));
        terminal::say(&format!("run folder: {}", near(&folder).display()));
        if file.count(Verdict::Failed) > 0 {
            terminal::say("what each agent printed: stdout.txt and stderr.txt in its cases/NAME");
        }
    }
    verdict(&file)
}

/// A path as a person would write it here.
fn near(path: &Path) -> &Path {
    environment::current_folder().ok().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path)
}

/// A run passes only where every case did.
pub(super) fn verdict(file: &RunFile) -> Result<(), Failure> {
    if file.cases.is_empty() {
        return Err(Failure::NothingRan("no case ran".to_owned()));
    }
    if file.count(Verdict::Failed) > 0 {
        return Err(Failure::NotMet);
    }
    match file
        .cases
        .iter()
        .find(|case| case.verdict == Verdict::Broken)
        .and_then(|case| case.findings.first())
    {
        Some(finding) => Err(Failure::World(finding.message.clone())),
        None => Ok(()),
    }
}

fn order(arguments: Arguments) -> Result<Order, Failure> {
    let suite = suite::load(&arguments.paths, arguments.flags.profile)
        .map_err(|error| unloaded(error, &arguments))?;
    let cases = chosen(&suite, &arguments.cases)?;
    let data = arguments.data.unwrap_or_else(|| suite::folder(&arguments.paths).join(".rehearsal"));
    choice::folder(&data)?;
    line::check(&arguments.agent)?;
    let world = |error: std::io::Error| Failure::World(error.to_string());
    let own = environment::own_program().map_err(world)?.display().to_string();
    let mut built_in: Vec<String> =
        [own.as_str(), "agent", "--request-timeout", BUILT_IN_PATIENCE].map(str::to_owned).to_vec();
    if arguments.stream {
        built_in.push("--stream".to_owned());
    }
    Ok(Order {
        cases,
        choice: arguments.flags.choice(),
        agent: arguments.agent,
        built_in,
        jobs: arguments.jobs.map_or_else(|| 4 * task::parallelism(), usize::from),
        time_limit: arguments.time_limit,
        model: arguments.model,
        data,
        program: concat!("rehearsal ", env!("CARGO_PKG_VERSION")).to_owned(),
        started_in: environment::current_folder().map_err(world)?,
        inherited: environment::all(),
        suite,
    })
}

/// A command without its `--` is taken for a list of suites.
fn unloaded(error: LoadError, arguments: &Arguments) -> Failure {
    match error {
        LoadError::Walk(WalkError::Missing(path))
            if arguments.agent.is_empty() && arguments.paths.first() != Some(&path) =>
        {
            Failure::Command(format!(
                "there is no file or folder {}; an agent's command goes behind `--`",
                path.display()
            ))
        }
        other => other.into(),
    }
}

/// The cases to run: all, or those named; a name that no case has is a mistake.
fn chosen(suite: &Suite, names: &[String]) -> Result<Vec<usize>, Failure> {
    let id = |index: usize| suite.scenarios.phrasings[index].id.as_str();
    let known: Vec<_> = suite.scenarios.cases().map(id).collect();
    if known.is_empty() {
        return Err(Failure::NothingRan(
            "the suite holds no phrasing, so there is no case to run".to_owned(),
        ));
    }
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let near = nearest(unknown, known.iter().copied());
        let hint = hint(near, || format!("there are: {}", known.join(", ")));
        return Err(Failure::Command(format!("no case is named {unknown}; {hint}")));
    }
    let wanted = |index: &usize| names.is_empty() || names.iter().any(|name| name == id(*index));
    Ok(suite.scenarios.cases().filter(wanted).collect())
}

/// A duration as in scenario files, longer than nothing.
fn time(text: &str) -> Result<Duration, String> {
    match span::parse(text) {
        Some(time) if !time.is_zero() => Ok(time),
        Some(_) | None => Err(format!("{}, up to 24h", span::FORM)),
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Rule(_) => Self::Command(error.to_string()),
            RunError::Bind(_)
            | RunError::Folder { .. }
            | RunError::Fill(_)
            | RunError::Record(_)
            | RunError::Check(_)
            | RunError::Start(_)
            | RunError::Random(_) => Self::World(error.to_string()),
        }
    }
}
