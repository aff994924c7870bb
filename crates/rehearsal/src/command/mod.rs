//! The commands: one file each. Adding one is its file, a variant and an arm.

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
use clap::Subcommand;

/// What can be asked of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a suite: your agent once per case against the scripted provider, a verdict per case.
    Run(run::Arguments),
    /// Join the run folders of a suite's shards into one.
    Merge(merge::Arguments),
    /// Serve the scripted provider by itself.
    Serve(serve::Arguments),
    /// Record what clients and a real provider say to each other.
    Record(Box<record::Arguments>),
    /// Serve what was recorded again; nothing else is ever answered, and no network is used.
    Replay(replay::Arguments),
    /// Make scenario files of recorded traffic.
    Script(script::Arguments),
    /// Stand in for an agent-run daemon: runs are started, asked, answered, steered and cancelled without any model.
    Daemon(Box<daemon::Arguments>),
    /// Give one task with owned files to an endpoint, and write what comes back.
    Drive(Box<drive::Arguments>),
    /// Make a small suite that passes and explains itself.
    Init(init::Arguments),
    /// Check scenario and workflow files; print the rule table or the JSON Schema.
    Lint(lint::Arguments),
    /// List the faults of the wire, or explain one.
    Faults(faults::Arguments),
    /// List the agents that `run --agent` knows, or show one.
    Agents(agents::Arguments),
    /// Check that journals are whole and unchanged, or that runs saw the same.
    Verify(verify::Arguments),
    /// Show a finished run again.
    Report(report::Arguments),
    /// Explain the code of a finding, or list all codes.
    Explain(explain::Arguments),
    /// Be the built-in reference agent for one task.
    #[command(hide = true)]
    Agent(agent::Arguments),
    /// Become an agent in a network of its own.
    #[command(hide = true)]
    Enclose(enclose::Arguments),
}

pub(crate) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(arguments) => run::run(arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Script(arguments) => script::run(&arguments),
        Command::Daemon(arguments) => daemon::run(&arguments),
        Command::Drive(arguments) => drive::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Faults(arguments) => faults::run(&arguments),
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Agent(arguments) => agent::run(&arguments),
        Command::Enclose(arguments) => enclose::run(&arguments),
    }
}
