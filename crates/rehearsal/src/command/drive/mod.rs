//! `rehearsal drive`: gives work with owned files to an endpoint, and writes what comes back, all of it or nothing; finds out before
//! what that endpoint does.

mod endpoint;
mod hands;
mod probe;
mod proof;
mod task;
mod wave;
mod work;

use crate::failure::Failure;
use clap::Args;

/// Who wrote a journal.
const PROGRAM: &str = concat!("rehearsal ", env!("CARGO_PKG_VERSION"));

/// Arguments of `drive`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    endpoint: endpoint::Arguments,
    #[command(flatten)]
    task: task::Arguments,
    #[command(flatten)]
    wave: wave::Arguments,
    #[command(flatten)]
    proof: proof::Arguments,
    #[command(flatten)]
    work: work::Arguments,
    #[command(flatten)]
    probe: probe::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { endpoint, task, wave, proof, work, probe } = arguments;
    // What a model wrote runs as this user, and is not to find the key in our memory.
    rehearsal_world::environment::hide_memory();
    if let Some(wanted) = probe.wanted() {
        return probe::run(wanted, probe, work, endpoint);
    }
    if wave.status {
        return wave::status(endpoint, work, proof);
    }
    if let Some(file) = &wave.wave {
        return wave::run(file, wave, endpoint, work, proof);
    }
    task::run(task, endpoint, work, proof)
}
