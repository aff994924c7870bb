//! `rehearsal drive`: gives work with owned files to an endpoint, and writes what comes back, all of it or nothing; finds out before
//! what that endpoint does.

mod endpoint;
mod probe;
mod task;

use crate::failure::Failure;
use clap::Args;

/// Arguments of `drive`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    endpoint: endpoint::Arguments,
    #[command(flatten)]
    task: task::Arguments,
    #[command(flatten)]
    probe: probe::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.probe.wanted() {
        Some(wanted) => probe::run(wanted, &arguments.probe, &arguments.task, &arguments.endpoint),
        None => task::run(&arguments.task, &arguments.endpoint),
    }
}
