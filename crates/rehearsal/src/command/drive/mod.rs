//! `rehearsal drive`: gives work with owned files to an endpoint, and writes what comes back, all of it or nothing.

mod endpoint;
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
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    task::run(&arguments.task, &arguments.endpoint)
}
