//! What a command line of `run` asks for, with the files of the suite read.

use super::line;
use super::reach::allowed;
use super::run::Arguments;
use super::{agents, choice};
use crate::failure::Failure;
use rehearsal_journal::run::label;
use rehearsal_script::drill::{self, Drill};
use rehearsal_script::finding::Finding;
use rehearsal_script::scenario::AgentCommand;
use rehearsal_wire::names::{hint, nearest};
use rehearsal_workflow::Order;
use rehearsal_workflow::agent::{self, Agent, Found, KnownAgent, Origin};
use rehearsal_workflow::choose::{self, Case};
use rehearsal_workflow::grade;
use rehearsal_workflow::reach::Reach;
use rehearsal_workflow::suite::{self, LoadError, Suite};
use rehearsal_world::files::WalkError;
use rehearsal_world::{environment, files, ids, task};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;

/// Deadline of one request of the built-in agent: it talks to loopback, where a second is an age.
const BUILT_IN_PATIENCE: &str = "2";

/// Time limit of a case where nobody sets one.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Model name that agents are told where nobody names one.
const MODEL: &str = "gpt-4o-mini";

/// Names that are listed where somebody misses one.
const LISTED: usize = 12;

/// Reads the suite and puts everything together.
pub(super) fn order(arguments: Arguments) -> Result<Order, Failure> {
    let reach = reach(&arguments)?;
    let suite = suite::load(&arguments.paths, arguments.flags.profile)
        .map_err(|error| unloaded(error, &arguments))?;
    let cases = chosen(&suite, &arguments)?;
    let data = arguments.data.clone().unwrap_or_else(|| suite::folder(&arguments.paths).join(".rehearsal"));
    choice::folder(&data)?;
    line::check(&arguments.agent)?;
    let agent = agent(&suite, &arguments)?;
    let suite = fitted(suite, &cases, &arguments)?;
    arguments.weights.iter().try_for_each(|(code, _)| known_code(code))?;
    let drills = drills(&arguments)?;
    let cases = if drills.is_empty() { cases } else { drilled(&suite, cases)? };
    let shuffle = arguments.shuffle.map(|seed| seed.map_or_else(ids::seed, Ok)).transpose();
    let shuffle = shuffle.map_err(|error| Failure::World(error.to_string()))?;
    Ok(Order {
        cases,
        drills,
        choice: arguments.flags.choice(),
        weights: arguments.weights,
        shuffle,
        strict_skips: arguments.strict_skips,
        repeat: arguments.repeat,
        shard: arguments.shard,
        fail_fast: arguments.fail_fast,
        jobs: arguments.jobs.map_or_else(|| 4 * task::parallelism(), |jobs| jobs as usize),
        time_limit: arguments.time_limit.or(agent.written.time_limit).unwrap_or(TIME_LIMIT),
        model: arguments.model.unwrap_or_else(|| arguments.known.map_or(MODEL, |row| row.model).to_owned()),
        reach,
        enclose: arguments.network.netns.unwrap_or_default(),
        sink: !arguments.network.no_sink,
        data,
        program: concat!("rehearsal ", env!("CARGO_PKG_VERSION")).to_owned(),
        inherited: environment::all(),
        agent,
        suite,
    })
}

/// The faults under which each case runs.
fn drills(arguments: &Arguments) -> Result<Vec<Drill>, Failure> {
    arguments.faults.as_deref().map_or_else(|| Ok(Vec::new()), drill::read).map_err(Failure::Command)
}

/// The cases that can be drilled: those in which an agent must give up have a fault of their own, and workflows inject theirs.
fn drilled(suite: &Suite, cases: Vec<Case>) -> Result<Vec<Case>, Failure> {
    let asked = !cases.is_empty();
    let is_drilled = |case: &Case| case.phrasing().is_some_and(|at| !suite.scenarios.phrasings[at].hostile);
    let cases: Vec<Case> = cases.into_iter().filter(is_drilled).collect();
    if asked && cases.is_empty() {
        let why = "every case is hostile or of a workflow, so there is none to run under faults";
        return Err(Failure::NothingRan(why.to_owned()));
    }
    Ok(cases)
}

/// The agent: the command behind `--`, else the one named, else that of the suite, else our own.
fn agent(suite: &Suite, arguments: &Arguments) -> Result<Agent, Failure> {
    let world = |error: std::io::Error| Failure::World(error.to_string());
    let here = environment::current_folder().map_err(world)?;
    let only = |command| AgentCommand { command, ..AgentCommand::default() };
    if !arguments.agent.is_empty() {
        return Ok(Agent { written: only(arguments.agent.clone()), origin: Origin::Written(here) });
    }
    if let Some(row) = arguments.known {
        return known(row, &here);
    }
    if let Some(written) = &suite.scenarios.agent {
        if arguments.stream {
            return Err(Failure::Command(format!(
                "--stream is for the built-in agent, but {} names an agent of its own",
                written.place.file
            )));
        }
        let folder = Path::new(&written.place.file).parent().unwrap_or(Path::new(""));
        return Ok(Agent { written: written.clone(), origin: Origin::Written(here.join(folder)) });
    }
    let own = environment::own_program().map_err(world)?.display().to_string();
    let mut command: Vec<String> =
        [own.as_str(), "agent", "--request-timeout", BUILT_IN_PATIENCE].map(str::to_owned).to_vec();
    if arguments.stream {
        command.push("--stream".to_owned());
    }
    Ok(Agent { written: only(command), origin: Origin::BuiltIn })
}

/// A row of the table, where it is installed and we speak with it.
fn known(row: &'static KnownAgent, here: &Path) -> Result<Agent, Failure> {
    if let Some(dialect) = agents::unserved(row) {
        return Err(Failure::Command(format!("{} speaks {dialect}, which is not served yet", row.name)));
    }
    let found = task::run_here(agent::find(row, here, &environment::all()));
    let found = found.map_err(|error| Failure::World(error.to_string()))?;
    let Found { program, env } = found.map_err(|missing| Failure::World(missing.to_string()))?;
    let mut written = row.written();
    written.env.extend(env);
    Ok(Agent { written, origin: Origin::Known { name: row.name, program } })
}

/// The suite with `tool: shell` as the tool of the agent that is run.
fn fitted(suite: Suite, cases: &[Case], arguments: &Arguments) -> Result<Suite, Failure> {
    let shell = match arguments.known {
        Some(row) => row.shell.as_ref(),
        None => Some(&agent::BUILT_IN),
    };
    let names = suite.played_by_steps();
    let all = suite.scenarios.phrasings.iter().enumerate();
    let played = all.filter(|(_, phrasing)| names.contains(phrasing.id.as_str())).map(|(at, _)| at);
    let phrasings: Vec<usize> = cases.iter().filter_map(|case| case.phrasing()).chain(played).collect();
    let scenarios = agent::fitted(suite.scenarios, &phrasings, shell)
        .map_err(|no_shell| Failure::Command(format!("{no_shell}; choose other cases with --case")))?;
    Ok(Suite { scenarios, ..suite })
}

/// Where to listen. Other machines are let in only where that is said twice.
fn reach(arguments: &Arguments) -> Result<Reach, Failure> {
    let host = arguments.network.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let port = arguments.network.port.unwrap_or(0);
    allowed(host, port, arguments.network.allow_remote)?;
    Ok(Reach {
        host,
        port,
        allow_remote: arguments.network.allow_remote,
        public_url: arguments.network.public_url.clone(),
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
        LoadError::Files(findings) if arguments.agent.is_empty() => {
            Failure::Files(findings.into_iter().map(hinted).collect())
        }
        other => other.into(),
    }
}

/// A file that was named but is called like no scenario is likely to be an agent.
fn hinted(finding: Finding) -> Finding {
    let end = Path::new(&finding.file).extension().unwrap_or_default();
    if ["json", "yaml", "yml"].iter().any(|known| end.eq_ignore_ascii_case(known)) {
        return finding;
    }
    let behind = "an agent's command goes behind `--`";
    let hint = finding.hint.map_or_else(|| behind.to_owned(), |hint| format!("{hint}; {behind}"));
    Finding { hint: Some(hint), ..finding }
}

/// The cases to run: all, or those named, and of these the part of this machine.
fn chosen(suite: &Suite, arguments: &Arguments) -> Result<Vec<Case>, Failure> {
    if suite.scenarios.phrasings.is_empty() && suite.workflows.is_empty() {
        return Err(Failure::NothingRan(
            "the suite holds no phrasing and no workflow, so there is no case to run".to_owned(),
        ));
    }
    let cases = choose::cases(suite, &arguments.cases).map_err(|unknown| {
        let all = choose::cases(suite, &[]).unwrap_or_default();
        let known: Vec<_> = all.iter().map(|case| case.name(suite)).collect();
        unknown_case(unknown, &known)
    })?;
    if let Some((case, round)) = choose::clash(suite, &cases, arguments.repeat) {
        let name = label(&case, None, round);
        return Err(Failure::Command(format!(
            "{name} is a case and also round {round} of {case}; give the case another name to repeat it"
        )));
    }
    Ok(arguments.shard.map_or_else(|| cases.clone(), |shard| choose::part(&cases, shard)))
}

fn unknown_case(unknown: &str, known: &[&str]) -> Failure {
    let listed = || match known.get(..LISTED) {
        Some(first) if known.len() > LISTED => {
            format!("there are: {} and {} more", first.join(", "), known.len() - LISTED)
        }
        Some(_) | None => format!("there are: {}", known.join(", ")),
    };
    let hint = hint(nearest(unknown, known.iter().copied()), listed);
    let what = if unknown.contains(['*', '?']) { "no case meets" } else { "no case is named" };
    Failure::Command(format!("{what} {unknown}; {hint}"))
}

fn known_code(code: &str) -> Result<(), Failure> {
    let known = grade::codes();
    if known.contains(&code) {
        return Ok(());
    }
    let hint = hint(nearest(code, known), || "`rehearsal explain` lists all codes".to_owned());
    Err(Failure::Command(format!("no finding has the code {code}; {hint}")))
}

/// Refuses a file that cannot be written later, before anything runs.
pub(super) fn writable(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if files::is_folder(path) {
        return Err(Failure::Command(format!("{} is a folder; a report is a file", path.display())));
    }
    if !files::is_folder(folder) {
        return Err(Failure::Command(format!("there is no folder {} for the report", folder.display())));
    }
    Ok(())
}
