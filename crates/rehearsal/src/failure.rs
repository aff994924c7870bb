//! Every way a command can end badly, and its exit code: one match, no wildcard.

use rehearsal_script::finding::Finding;
use std::process::ExitCode;

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something declared was not met; the command has said what.
    #[error("not met")]
    NotMet,
    /// The command line asks for what cannot be.
    #[error("{0}")]
    Command(String),
    /// Files that a person wrote have mistakes.
    #[error("{} in the files above", count(.0.len()))]
    Files(Vec<Finding>),
    /// A port, a disk or a program failed.
    #[error("{0}")]
    World(String),
    /// There was nothing to do.
    #[error("{0}")]
    NothingRan(String),
    /// The built-in agent ended with this status of its own.
    #[error("the agent ended with status {0}")]
    Agent(u8),
}

fn count(mistakes: usize) -> String {
    if mistakes == 1 { "1 mistake".to_owned() } else { format!("{mistakes} mistakes") }
}

impl Failure {
    /// The exit code; design of all of them: 1 not met, 2 bad command or file, 3 the world, 4 nothing ran.
    fn code(&self) -> u8 {
        match self {
            Self::NotMet => 1,
            Self::Command(_) | Self::Files(_) => 2,
            Self::World(_) => 3,
            Self::NothingRan(_) => 4,
            Self::Agent(status) => *status,
        }
    }
}

/// Says on standard error what went wrong and gives the exit code.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    match failure {
        // Said already, by the table or by the agent.
        Failure::NotMet | Failure::Agent(_) => {}
        Failure::Files(findings) => {
            for finding in findings {
                crate::terminal::complain(&finding.to_string());
            }
            crate::terminal::complain(&format!("rehearsal: {failure}"));
        }
        Failure::Command(_) | Failure::World(_) | Failure::NothingRan(_) => {
            crate::terminal::complain(&format!("rehearsal: {failure}"));
        }
    }
    ExitCode::from(failure.code())
}

/// Help and version go to standard output and end well; everything else is a bad command.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        crate::terminal::complain(text.trim_end());
        ExitCode::from(2)
    } else {
        crate::terminal::say(text.trim_end());
        ExitCode::SUCCESS
    }
}
