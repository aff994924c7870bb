//! The command line: parse, hand over to one command, turn its end into an exit code. And the pages that describe it.
#![forbid(unsafe_code)]

mod board;
mod command;
mod env;
mod failure;
pub mod reference;
mod terminal;

use clap::Parser;
use command::Called;
use failure::Failure;
use rehearsal_world::environment;
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

/// Rehearse an AI agent offline: scripted stand-ins for all it talks to, and a verdict from the wire.
#[derive(Debug, Parser)]
#[command(name = "rehearsal", version, arg_required_else_help = true, after_help = failure::exit_codes())]
struct Arguments {
    #[command(subcommand)]
    command: Called,
}

/// The program from its command line to its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let words = environment::arguments();
    if let Some(code) = command::shim::act(&words) {
        return code;
    }
    guarded(|| match Arguments::try_parse_from(&words) {
        Ok(_) if lacks_agent(&words) => failure::report(&Failure::Command(LACKS_AGENT.to_owned())),
        Ok(arguments) => match arguments.command.run() {
            // Whoever keeps a report in a file must not take an empty one for a good end.
            Ok(Ok(())) => match terminal::lost() {
                None => ExitCode::from(failure::MET.code),
                Some(why) => {
                    failure::report(&Failure::World(format!("standard output cannot be written: {why}")))
                }
            },
            Ok(Err(failure)) => failure::report(&failure),
            Err(error) => failure::usage(&error),
        },
        Err(error) => failure::usage(&error),
    })
}

const LACKS_AGENT: &str = "no agent's command stands behind `--`; leave `--` out to run the built-in agent";

/// A run whose agent got lost, as in `-- $AGENT` with the variable empty. It must not run another agent and pass.
fn lacks_agent(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|command| command == "run")
        && words.iter().position(|word| word == "--") == Some(words.len() - 1)
}

/// A panic is a bug of ours, and has an exit code of its own.
fn guarded(work: impl FnOnce() -> ExitCode + panic::UnwindSafe) -> ExitCode {
    panic::catch_unwind(work).unwrap_or_else(|_| {
        terminal::complain("rehearsal: this is a bug of ours; please report the lines above");
        ExitCode::from(failure::BUG.code)
    })
}

#[cfg(test)]
mod tests {
    use super::guarded;
    use std::process::ExitCode;

    #[test]
    fn a_panic_ends_with_the_exit_code_of_a_bug() {
        assert_eq!(guarded(|| ExitCode::from(4)), ExitCode::from(4));
        let ended = guarded(|| panic!("a panic on purpose, to see the exit code"));
        assert_eq!(ended, ExitCode::from(255));
    }
}
