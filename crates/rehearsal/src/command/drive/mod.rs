//! `rehearsal drive`: gives work with owned files to an endpoint, and writes what comes back, all of it or nothing.

mod endpoint;
mod proof;
mod task;
mod work;

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
    proof: proof::Arguments,
    #[command(flatten)]
    work: work::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    task::run(&arguments.task, &arguments.endpoint, &arguments.work, &arguments.proof)
}
