//! A step on the way of an agent into a network of its own: `run` starts it, and it becomes the agent.

use crate::failure::Failure;
use clap::Args;
use rehearsal_world::enclosed;
use std::ffi::OsString;

/// Arguments of the step.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only try whether this system allows it.
    #[arg(long = "try", conflicts_with_all = ["socket", "port", "agent"])]
    only_try: bool,
    /// Name of the socket at which the run waits.
    #[arg(long, value_name = "NAME", required_unless_present = "only_try")]
    socket: Option<String>,
    /// A port to listen on inside; may be given several times.
    #[arg(long, value_name = "PORT")]
    port: Vec<u16>,
    /// The agent's command.
    #[arg(last = true, value_name = "AGENT")]
    agent: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.socket {
        None => enclosed::try_here().map_err(Failure::World),
        Some(socket) => Err(Failure::World(enclosed::enter(socket, &arguments.port, &arguments.agent))),
    }
}
