//! The command line: parse, hand over to one command, turn its end into an exit code.
#![forbid(unsafe_code)]

mod board;
mod command;
mod env;
mod failure;
mod terminal;

use clap::Parser;
use command::Command;
use std::process::ExitCode;

/// Rehearse an AI agent offline: scripted stand-ins for all it talks to, and a verdict from the wire.
#[derive(Debug, Parser)]
#[command(name = "rehearsal", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 all met, 1 not met, 2 bad command or file, 3 the world failed, 4 nothing ran, 255 a bug of ours";

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    match command::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure::report(&failure),
    }
}
