//! Every way a command can end badly, and its exit code: one match, no wildcard.

use rehearsal_script::finding::Finding;
use std::process::ExitCode;

/// An exit code and what it means.
pub(crate) struct Exit {
    /// The code.
    pub(crate) code: u8,
    /// What it means, in a few words.
    pub(crate) short: &'static str,
    /// When it is given.
    pub(crate) meaning: &'static str,
}

/// Everything that was asked for holds.
pub(crate) const MET: Exit = Exit {
    code: 0,
    short: "all met",
    meaning: "every case met what it declared; the files have no mistakes; the journals are unchanged",
};
const NOT_MET: Exit = Exit {
    code: 1,
    short: "not met",
    meaning: "a case failed or took too long; a journal was changed; two runs differ; with `--strict-skips` a case was skipped or is not supported",
};
const BAD_COMMAND: Exit = Exit {
    code: 2,
    short: "bad command or file",
    meaning: "a flag, a path or a scenario file has a mistake, which is named",
};
const WORLD: Exit = Exit {
    code: 3,
    short: "the world failed",
    meaning: "a port, a disk or a program: also where a case could not be judged, such as an agent or the program of a step that cannot be started; a run that was asked to end (Ctrl-C), which ends its agents",
};
const NOTHING_RAN: Exit = Exit {
    code: 4,
    short: "nothing ran",
    meaning: "the suite holds no case, or all its cases were skipped or are not possible here",
};
/// A panic.
pub(crate) const BUG: Exit = Exit {
    code: 255,
    short: "a bug of ours",
    meaning: "an invariant broke; the message above it says which",
};

/// All exit codes.
pub(crate) const EXITS: &[Exit] = &[MET, NOT_MET, BAD_COMMAND, WORLD, NOTHING_RAN, BUG];

/// The codes in one line, for the help.
pub(crate) fn exit_codes() -> String {
    let all: Vec<_> = EXITS.iter().map(|exit| format!("{} {}", exit.code, exit.short)).collect();
    format!("Exit codes: {}", all.join(", "))
}

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
    /// The same; the command has listed so many.
    #[error("{} in the files above", count(*.0))]
    Listed(usize),
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
    /// The exit code.
    fn code(&self) -> u8 {
        match self {
            Self::NotMet => NOT_MET.code,
            Self::Command(_) | Self::Files(_) | Self::Listed(_) => BAD_COMMAND.code,
            Self::World(_) => WORLD.code,
            Self::NothingRan(_) => NOTHING_RAN.code,
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
        Failure::Command(_) | Failure::Listed(_) | Failure::World(_) | Failure::NothingRan(_) => {
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
        ExitCode::from(BAD_COMMAND.code)
    } else {
        crate::terminal::say(text.trim_end());
        ExitCode::from(MET.code)
    }
}
