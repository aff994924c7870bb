//! `rehearsal run PATH… [-- AGENT…]`.

use super::agents;
use super::choice::Flags;
use super::order::{order, writable};
use super::value;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_journal::run::{CaseResult, Outcome, RunFile, Verdict};
use rehearsal_report::resilience::{self, Kind};
use rehearsal_report::{Report, Style};
use rehearsal_script::scenario::Weight;
use rehearsal_workflow::agent::KnownAgent;
use rehearsal_workflow::choose::Shard;
use rehearsal_workflow::reach::PublicUrl;
use rehearsal_workflow::{Enclose, RunError};
use rehearsal_world::{environment, files, task};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

const AGENT_HELP: &str = "\
The agent's command may hold {prompt}, {base_url}, {root_url}, {workspace}, {home}, {model}, {case}.
It finds the same in REHEARSAL_PROMPT, OPENAI_BASE_URL and so on, in its environment.
Journals, outputs and workspaces stay below .rehearsal/runs.";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = AGENT_HELP)]
pub(crate) struct Arguments {
    /// Scenario and workflow files, or folders of them.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// The agent's command, after `--` [default: `agent` of the suite, else the built-in agent].
    #[arg(last = true, value_name = "AGENT")]
    pub(super) agent: Vec<String>,
    /// Run a known agent in place of the suite's own; `rehearsal agents` lists them.
    #[arg(long = "agent", value_name = "NAME", conflicts_with = "agent", value_parser = agents::named)]
    pub(super) known: Option<&'static KnownAgent>,
    /// Run only these cases; `*` and `?` stand for letters; may be given several times.
    #[arg(long = "case", value_name = "NAME")]
    pub(super) cases: Vec<String>,
    /// Run each case so often.
    #[arg(long, value_name = "NUMBER", default_value = "1", allow_hyphen_values = true, value_parser = value::rounds)]
    pub(super) repeat: u32,
    /// Run only part k of n of the suite; `rehearsal merge` joins the parts.
    #[arg(long, value_name = "k/n", value_parser = value::shard)]
    pub(super) shard: Option<Shard>,
    /// Run each case once under each of these faults: `all`, or names with commas between, each with its parameters as in
    /// `cut-clean:at=0.3:times=2`.
    #[arg(long, value_name = "all|NAME,…")]
    pub(super) faults: Option<String>,
    /// Compare with a file of `--report resilience=FILE`: the run passes unless a fault is taken worse than there.
    #[arg(long, value_name = "FILE", requires = "faults")]
    baseline: Option<PathBuf>,
    /// Let the cases begin in an order that this seed decides; without a number one is made up and printed.
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, value_parser = value::seed)]
    pub(super) shuffle: Option<Option<u64>>,
    /// Fail the run where a case of a workflow is skipped or not supported.
    #[arg(long)]
    pub(super) strict_skips: bool,
    /// End the run with the first case that does not pass.
    #[arg(long)]
    pub(super) fail_fast: bool,
    #[command(flatten)]
    pub(super) flags: Flags,
    /// Let a finding weigh more or less, or nothing; may be given several times.
    #[arg(long = "finding", value_name = "CODE=error|warning|note|off", value_parser = value::weight)]
    pub(super) weights: Vec<(String, Weight)>,
    /// Most cases at once [default: four for each core].
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = value::jobs)]
    pub(super) jobs: Option<u32>,
    /// Time limit of a case that sets none, e.g. 90s or 5m [default: that of `agent` in the suite, else 60s].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = value::time)]
    pub(super) time_limit: Option<Duration>,
    /// Model name that the agent is told [default: that of the known agent, else gpt-4o-mini].
    #[arg(long, value_name = "NAME", value_parser = value::model)]
    pub(super) model: Option<String>,
    /// Let the built-in agent ask for streams.
    #[arg(long, conflicts_with_all = ["agent", "known"])]
    pub(super) stream: bool,
    #[command(flatten)]
    pub(super) network: Network,
    /// Folder for run folders [default: .rehearsal in the suite's folder].
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// Also write a report to a file; may be given several times.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = value::report)]
    reports: Vec<(&'static Report, PathBuf)>,
    /// Print the run file instead of the table.
    #[arg(long)]
    json: bool,
}

/// Where agents find the provider, and what else they can reach.
#[derive(Debug, Args)]
pub(crate) struct Network {
    /// Address to listen on; others than loopback need --allow-remote [default: 127.0.0.1].
    #[arg(long, value_name = "IP", value_parser = value::host)]
    pub(super) host: Option<IpAddr>,
    /// Port to listen on [default: any free one].
    #[arg(long, value_name = "PORT", allow_hyphen_values = true, value_parser = value::port)]
    pub(super) port: Option<u16>,
    /// Let other machines and containers ask; without a case's own URL they are refused.
    #[arg(long)]
    pub(super) allow_remote: bool,
    /// URL that agents are told, e.g. http://host.docker.internal:{port}.
    #[arg(long, value_name = "URL", value_parser = value::public_url)]
    pub(super) public_url: Option<PublicUrl>,
    /// Give agents no proxy that refuses and takes down who wanted to leave this machine.
    #[arg(long)]
    pub(super) no_sink: bool,
    /// Give each agent a network of its own that leads nowhere but to the provider (Linux); `auto`: where the kernel allows it.
    #[arg(
        long,
        value_name = "require|auto",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "require",
        value_parser = value::enclose,
        conflicts_with_all = ["host", "public_url"],
    )]
    pub(super) netns: Option<Enclose>,
}

/// Largest file that is compared with.
const BASELINE: u64 = 1 << 20;

/// Files that are open beside those of the cases.
const FILES: u64 = 256;
/// Files that a running case has open: journal, pipes, proxy, connections on both ends of loopback.
const FILES_A_CASE: u64 = 32;

/// What is said when someone ends a run.
const INTERRUPTED: &str = "the run was asked to end before its cases had; their agents were ended, and its folder holds what was seen";

pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let (json, reports) = (arguments.json, arguments.reports.clone());
    if arguments.faults.is_none() && reports.iter().any(|(report, _)| report.name == "resilience") {
        let why = "--report resilience=FILE tells how faults were taken; it needs --faults";
        return Err(Failure::Command(why.to_owned()));
    }
    let baseline = arguments.baseline.as_deref().map(before).transpose()?;
    reports.iter().try_for_each(|(_, path)| writable(path))?;
    distinct(&reports)?;
    let order = order(arguments)?;
    let all = order.cases.len() * order.drills.len().max(1) * order.repeat as usize;
    environment::allow_open_files(FILES + FILES_A_CASE * order.jobs as u64);
    if let Some(seed) = order.shuffle {
        beside(json, &format!("shuffled; --shuffle={seed} begins the cases in this order again"));
    }
    let board = crate::board::Board::new(all);
    // Dropping a run ends its agents: they lead process groups of their own, which no Ctrl-C reaches.
    let work = rehearsal_workflow::run(order, move |progress| board.show(progress));
    let ended =
        task::run(task::unless_asked_to_end(work)).map_err(|error| Failure::World(error.to_string()))?;
    let (folder, file) =
        ended.ok_or_else(|| Failure::World(INTERRUPTED.to_owned()))?.map_err(Failure::from)?;
    show(&folder, &file, json);
    if !json && file.ended_early {
        let missing = all.saturating_sub(file.cases.len());
        terminal::say(&format!("{missing} more did not run to their end: --fail-fast ended the run"));
    }
    for (report, path) in reports {
        let text = (report.write)(&file, Style::FILE);
        files::write_where_named(&path, text.as_bytes())
            .map_err(|error| Failure::World(format!("cannot write {}: {error}", path.display())))?;
    }
    match baseline {
        Some((path, text)) => against(&path, &text, &file, json),
        None => verdict(&file),
    }
}

/// Says a sentence beside the run: where programs read the output, that is JSON alone.
fn beside(json: bool, told: &str) {
    if json { terminal::complain(told) } else { terminal::say(told) }
}

/// Reads what is compared with, before anything runs.
fn before(path: &Path) -> Result<(PathBuf, String), Failure> {
    let bytes = files::read_bytes(path, BASELINE).map_err(|error| Failure::Command(error.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Command(format!("{}: this is no text", path.display())))?;
    resilience::check(&text).map_err(|why| Failure::Command(format!("{}: {why}", path.display())))?;
    Ok((path.to_owned(), text))
}

/// Says what is otherwise than before; only what is worse fails the run.
fn against(path: &Path, text: &str, file: &RunFile, json: bool) -> Result<(), Failure> {
    let changes = resilience::changes(text, file)
        .map_err(|why| Failure::Command(format!("{}: {why}", path.display())))?;
    let name = |outcome: Option<Outcome>| outcome.map_or("not asked for", Outcome::word);
    for change in &changes {
        let word = match change.kind() {
            Kind::Better => "better than",
            Kind::New => "not yet met",
            Kind::Gone => "not met any more, as",
            Kind::Worse => "worse than",
        };
        let (was, is) = (name(change.was), name(change.is));
        beside(json, &format!("{word} in {}: {} was {was}, is {is}", path.display(), change.fault));
    }
    let worse = changes.iter().any(|change| change.kind() == Kind::Worse);
    if !worse {
        beside(json, &format!("no fault is taken worse than in {}", path.display()));
    }
    if file.count(Verdict::Broken) > 0 {
        return verdict(file);
    }
    if worse { Err(Failure::NotMet) } else { Ok(()) }
}

/// Refuses two reports in one file, of which the second would replace the first.
fn distinct(reports: &[(&'static Report, PathBuf)]) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    match reports.iter().find(|(_, path)| !known.insert(files::absolute(path))) {
        None => Ok(()),
        Some((_, twice)) => Err(Failure::Command(format!(
            "two reports cannot be written to {}; give each --report a file of its own",
            twice.display()
        ))),
    }
}

/// Shows a run that has just been made.
pub(super) fn show(folder: &Path, file: &RunFile, json: bool) {
    if json {
        terminal::print(&file.to_json());
        return;
    }
    let style = Style { colour: terminal::colour(), width: terminal::width(), all: false };
    let Some(table) = rehearsal_report::find("terminal") else { unreachable!("the table of reports has it") };
    terminal::print(&(table.write)(file, style));
    terminal::say(&format!("run folder: {}", near(folder).display()));
    let agent_failed = |case: &CaseResult| case.workflow.is_none() && case.verdict == Verdict::Failed;
    if file.cases.iter().any(agent_failed) {
        terminal::say("what each agent printed: stdout.txt and stderr.txt in its cases/NAME");
    }
    if file.strict_skips && left_out(file) > 0 {
        let rounds = if file.repeat > 1 { " (each round counted)" } else { "" };
        terminal::say(&format!("--strict-skips: {} not run{rounds}, which fails the run", left_out(file)));
    }
    if let Some((k, n)) = file.shard.filter(|_| file.cases.is_empty()) {
        terminal::say(&format!("shard {k}/{n} holds no case: the suite has fewer"));
    }
}

/// A path as a person would write it here.
fn near(path: &Path) -> &Path {
    environment::current_folder().ok().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path)
}

/// How many cases, each round for itself, were skipped or are not possible here.
fn left_out(file: &RunFile) -> usize {
    file.cases.iter().filter(|case| !case.verdict.is_executed()).count()
}

/// A run passes only where every case did.
pub(super) fn verdict(file: &RunFile) -> Result<(), Failure> {
    // A matrix may have more machines than the suite has cases.
    if file.cases.is_empty() && file.shard.is_none() {
        return Err(Failure::NothingRan("no case ran".to_owned()));
    }
    if file.count(Verdict::Failed) > 0 || file.count(Verdict::TimedOut) > 0 {
        return Err(Failure::NotMet);
    }
    let left_out = left_out(file);
    if left_out > 0 && file.strict_skips {
        return Err(Failure::NotMet);
    }
    // What is left out of one part of a suite says nothing of the whole: the run that `merge` makes is asked that.
    if left_out == file.cases.len() && left_out > 0 && file.shard.is_none() {
        let why = "no case was executed: all were skipped or are not supported here";
        return Err(Failure::NothingRan(why.to_owned()));
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

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Rule(_) => Self::Command(error.to_string()),
            RunError::Bind(_)
            | RunError::Folder { .. }
            | RunError::Fill(_)
            | RunError::Record(_)
            | RunError::Check(_)
            | RunError::Shim(_)
            | RunError::NoNetwork(_)
            | RunError::Enclosed(_)
            | RunError::Start(_)
            | RunError::Daemon(_)
            | RunError::Lost(_)
            | RunError::Random(_) => Self::World(error.to_string()),
        }
    }
}
