//! The built-in reference agent as a process of its own: `run` starts it as it starts any agent.

use crate::env;
use crate::failure::Failure;
use clap::Args;
use rehearsal_driver::{Exit, Options, Secret};
use rehearsal_world::task;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of the agent; everything else comes from the environment that every agent gets.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Ask for streams.
    #[arg(long)]
    stream: bool,
    /// Seconds for one request and its answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    request_timeout: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let told = env::agent_surroundings();
    let need = |value: Option<String>, name: &str| {
        value.ok_or_else(|| Failure::Command(format!("the built-in agent needs {name} in its environment")))
    };
    let base_url = need(told.base_url, "OPENAI_BASE_URL")?;
    let prompt = need(told.prompt, "REHEARSAL_PROMPT")?;
    let workspace = PathBuf::from(need(told.workspace, "REHEARSAL_WORKSPACE")?);
    let key = Secret::new(told.api_key.unwrap_or_default());
    let mut options = Options::new(
        base_url,
        key,
        told.model.unwrap_or_else(|| "gpt-4o-mini".to_owned()),
        prompt,
        workspace,
    );
    options.stream = arguments.stream;
    options.search_path = told.search_path;
    options.request_timeout = Duration::from_secs(arguments.request_timeout);
    let ran = task::run_here(rehearsal_driver::run(&options, &mut std::io::stdout(), &mut std::io::stderr()));
    match ran.map_err(|error| Failure::World(error.to_string()))? {
        Exit::Done => Ok(()),
        exit @ (Exit::Refused | Exit::BadUsage | Exit::GaveUp | Exit::Declined) => {
            Err(Failure::Agent(exit.code()))
        }
    }
}
