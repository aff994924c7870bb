//! The commands: one file each. Adding one is its file and two lines.

mod agent;
pub(crate) mod agents;
mod choice;
mod daemon;
mod drive;
mod enclose;
mod explain;
pub(crate) mod faults;
mod init;
mod line;
mod lint;
mod merge;
mod order;
mod reach;
mod record;
mod replay;
mod report;
mod run;
mod script;
mod serve;
pub(crate) mod shim;
mod show;
mod value;
mod verify;

use crate::failure::Failure;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};

/// A command of the program.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    about: &'static str,
    /// Whether `--help` leaves it out: only this program itself calls it.
    hidden: bool,
    /// Adds its arguments to what the parser knows.
    arguments: fn(clap::Command) -> clap::Command,
    /// Reads the arguments that were given, and does it.
    run: fn(&ArgMatches) -> Result<Ended, clap::Error>,
}

/// How a command ended.
type Ended = Result<(), Failure>;

const COMMANDS: &[Row] = &[
    row::<run::Arguments>(
        "run",
        "Run a suite: your agent once per case against the scripted provider, a verdict per case",
        |given| Ok(run::run(read(given)?)),
    ),
    row::<merge::Arguments>("merge", "Join the run folders of a suite's shards into one", |given| {
        Ok(merge::run(&read(given)?))
    }),
    row::<serve::Arguments>("serve", "Serve the scripted provider by itself", |given| {
        Ok(serve::run(&read(given)?))
    }),
    row::<record::Arguments>(
        "record",
        "Record what clients and a real provider say to each other",
        |given| Ok(record::run(&read(given)?)),
    ),
    row::<replay::Arguments>(
        "replay",
        "Serve what was recorded again; nothing else is ever answered, and no network is used",
        |given| Ok(replay::run(&read(given)?)),
    ),
    row::<script::Arguments>("script", "Make scenario files of recorded traffic", |given| {
        Ok(script::run(&read(given)?))
    }),
    row::<daemon::Arguments>(
        "daemon",
        "Stand in for an agent-run daemon: runs are started, asked, answered, steered and cancelled without any model",
        |given| Ok(daemon::run(&read(given)?)),
    ),
    row::<drive::Arguments>(
        "drive",
        "Give one task with owned files to an endpoint, and write what comes back",
        |given| Ok(drive::run(&read(given)?)),
    ),
    row::<init::Arguments>("init", "Make a small suite that passes and explains itself", |given| {
        Ok(init::run(&read(given)?))
    }),
    row::<lint::Arguments>(
        "lint",
        "Check scenario and workflow files; print the rule table or the JSON Schema",
        |given| Ok(lint::run(&read(given)?)),
    ),
    row::<faults::Arguments>("faults", "List the faults of the wire, or explain one", |given| {
        Ok(faults::run(&read(given)?))
    }),
    row::<agents::Arguments>("agents", "List the agents that `run --agent` knows, or show one", |given| {
        Ok(agents::run(&read(given)?))
    }),
    row::<verify::Arguments>(
        "verify",
        "Check that journals are whole and unchanged, or that runs saw the same",
        |given| Ok(verify::run(&read(given)?)),
    ),
    row::<report::Arguments>("report", "Show a finished run again", |given| Ok(report::run(&read(given)?))),
    row::<explain::Arguments>("explain", "Explain the code of a finding, or list all codes", |given| {
        Ok(explain::run(&read(given)?))
    }),
    hidden(row::<agent::Arguments>("agent", "Be the built-in reference agent for one task", |given| {
        Ok(agent::run(&read(given)?))
    })),
    hidden(row::<enclose::Arguments>("enclose", "Become an agent in a network of its own", |given| {
        Ok(enclose::run(&read(given)?))
    })),
];

const fn row<A: Args>(
    name: &'static str,
    about: &'static str,
    run: fn(&ArgMatches) -> Result<Ended, clap::Error>,
) -> Row {
    Row { name, about, hidden: false, arguments: arguments::<A>, run }
}

const fn hidden(row: Row) -> Row {
    Row { hidden: true, ..row }
}

fn arguments<A: Args>(command: clap::Command) -> clap::Command {
    let about = command.get_about().cloned().unwrap_or_default();
    // What is said of the arguments in the code is not what users are told of the command.
    A::augment_args(command).about(about).long_about(None)
}

fn read<A: FromArgMatches>(given: &ArgMatches) -> Result<A, clap::Error> {
    A::from_arg_matches(given)
}

/// The command that was called. The parser learns the arguments of that one alone: those of all make every start longer.
#[derive(Debug)]
pub(crate) struct Called {
    name: String,
    given: ArgMatches,
}

impl Called {
    /// Does it.
    ///
    /// # Errors
    /// What the parser has against the arguments.
    pub(crate) fn run(&self) -> Result<Ended, clap::Error> {
        match COMMANDS.iter().find(|row| row.name == self.name) {
            Some(row) => (row.run)(&self.given),
            None => Err(clap::Error::new(ErrorKind::InvalidSubcommand)),
        }
    }
}

impl Subcommand for Called {
    fn augment_subcommands(parser: clap::Command) -> clap::Command {
        COMMANDS.iter().fold(parser.subcommand_required(true), |parser, row| {
            let command = clap::Command::new(row.name).about(row.about).hide(row.hidden);
            parser.subcommand(command.defer(row.arguments))
        })
    }

    fn augment_subcommands_for_update(parser: clap::Command) -> clap::Command {
        Self::augment_subcommands(parser)
    }

    fn has_subcommand(name: &str) -> bool {
        COMMANDS.iter().any(|row| row.name == name)
    }
}

impl FromArgMatches for Called {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, given) =
            given.subcommand().ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        Ok(Self { name: name.to_owned(), given: given.clone() })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
}
