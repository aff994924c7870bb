//! Runs a foreign program: its own process group, captured and capped output, a time limit that ends all of it.
//!
//! Nothing here waits for ever: not for the program, not for its children, not for pipes that an orphan holds.

mod capture;
mod feed;
mod find;
mod group;
mod ladder;
mod shell;
mod strays;
mod used;

pub use capture::Captured;
pub use find::find;
pub use ladder::{CAN_INTERRUPT, Stage};
pub use shell::{Caps, shell};
pub use used::Used;

use capture::Capture;
use feed::Feed;
use group::Group;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use strays::Strays;
use thiserror::Error;
use tokio::process::{Child, Command};
use used::Meter;

use crate::clock::Clock;
use crate::task::after;

/// What to run and within which bounds.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Program and arguments. A program without a slash is looked for in the `PATH` of `env`, one with a slash from where
    /// we were started.
    pub argv: Vec<String>,
    /// The whole environment; nothing is inherited. `REHEARSAL_LAUNCH` is added: by it we find the processes of this program
    /// that left its group.
    pub env: Vec<(OsString, OsString)>,
    /// Its working folder.
    pub folder: PathBuf,
    /// Its standard input, closed after these bytes; empty from the start where there are none. It need not read them.
    pub stdin: Option<Vec<u8>>,
    /// Time after which it is asked to end.
    pub time_limit: Duration,
    /// Time between being asked to end and being killed.
    pub grace: Duration,
    /// Bytes kept of each of its two outputs; what comes after is counted and dropped.
    pub keep: usize,
}

/// Time that pipes may stay open once the whole group is dead: only a process that left the group can hold them.
const DRAIN: Duration = Duration::from_millis(500);

/// Why a program did not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// No program was named.
    #[error("no program is named")]
    Nothing,
    /// It is not there.
    #[error("there is no program {0}")]
    Missing(String),
    /// It is there but may not be run.
    #[error("{0} is not executable")]
    NotExecutable(String),
    /// It is there, but what it needs to run is not.
    #[error("{0} is there, but the interpreter that its first line names is not")]
    Interpreter(String),
    /// Its working folder is not there.
    #[error("there is no folder {0} to run in")]
    Folder(PathBuf),
    /// What the system says.
    #[error("cannot start {program}: {source}")]
    System {
        /// The program.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Exit status; none where a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was ended at its time limit.
    pub timed_out: bool,
    /// Whether it was ended because nobody needed it any longer.
    pub stopped: bool,
    /// Processes of it that had left its group, outlived it and were killed. Always 0 on systems other than Linux, where
    /// such processes are not found.
    pub strays: u32,
    /// How far it had to be gone after with signals; none where it was not interrupted, or had ended before.
    pub interrupted: Option<Stage>,
    /// How long it ran.
    pub ran: Duration,
    /// What it cost the machine.
    pub used: Used,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
}

/// A program that runs. Dropping it kills its group and what left it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Group,
    strays: Strays,
    meter: Meter,
    feed: Feed,
    pid: u32,
    clock: Clock,
    time_limit: Duration,
    grace: Duration,
    stdout: Capture,
    stderr: Capture,
}

/// The id of this process.
#[must_use]
pub fn own_id() -> u32 {
    std::process::id()
}

/// Starts a program. Call it inside the runtime.
///
/// # Errors
/// When it does not start, and why.
pub fn start(launch: &Launch) -> Result<Running, StartError> {
    let (named, arguments) = launch.argv.split_first().ok_or(StartError::Nothing)?;
    let program = located(named).map_err(|error| refused(named, &launch.folder, error))?;
    let strays = Strays::new().map_err(|error| refused(named, &launch.folder, io::Error::other(error)))?;
    let mut command = Command::new(&program);
    command.args(arguments).env_clear().envs(launch.env.iter().map(|(name, value)| (name, value)));
    let (mark, value) = strays.variable();
    command.env(mark, value).current_dir(&launch.folder).kill_on_drop(true);
    let stdin = if launch.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    group::lead(&mut command);
    ladder::let_programs_hear();
    let mut child = command.spawn().map_err(|error| refused(named, &launch.folder, error))?;
    let pid = child.id().unwrap_or_default();
    let stdout = Capture::start(child.stdout.take(), launch.keep);
    let stderr = Capture::start(child.stderr.take(), launch.keep);
    let feed = Feed::start(child.stdin.take(), launch.stdin.clone());
    let (time_limit, grace) = (launch.time_limit, launch.grace);
    Ok(Running {
        child,
        group: Group::of(pid),
        strays: strays.of(pid),
        meter: Meter::of(pid),
        feed,
        pid,
        clock: Clock::start(),
        time_limit,
        grace,
        stdout,
        stderr,
    })
}

/// Runs a program to its end.
///
/// # Errors
/// When it does not start, and why.
pub async fn run(launch: &Launch) -> Result<Ran, StartError> {
    Ok(start(launch)?.finish().await)
}

impl Running {
    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until it ends by itself or its time is up, then ends whatever is left of it, in its group or out of it.
    pub async fn finish(self) -> Ran {
        self.finish_or(std::future::pending()).await
    }

    /// The same, but also ends it, as at its time limit, when `stop` resolves.
    pub async fn finish_or(mut self, stop: impl Future<Output = ()>) -> Ran {
        let limit = after(self.time_limit);
        let (status, timed_out, stopped) = tokio::select! {
            biased;
            status = self.reap() => (status, false, false),
            () = stop => {
                let (status, asked) = self.end().await;
                (status, false, asked)
            }
            () = limit => {
                let (status, asked) = self.end().await;
                (status, asked, false)
            }
        };
        Ran { timed_out, stopped, ..self.close(status).await }
    }

    /// Resolves when it has ended by itself. Whoever waits may stop waiting.
    pub async fn ended(&mut self) {
        self.reap().await;
    }

    /// Waits for its end, and takes down what it used before its number is given back. Whoever waits may stop waiting.
    async fn reap(&mut self) -> Option<ExitStatus> {
        self.meter.over().await;
        self.child.wait().await.ok()
    }

    /// What is left of it goes; what it said and used is told.
    async fn close(mut self, status: Option<ExitStatus>) -> Ran {
        let ran = self.clock.elapsed();
        // Children that outlive their parent are ended too: nothing of one case may reach into the next.
        self.group.kill();
        let strays = self.strays.end().await;
        drop(self.feed);
        let (stdout, stderr) = tokio::join!(self.stdout.finish(DRAIN), self.stderr.finish(DRAIN));
        let (signal, status) = (status.and_then(group::signal), status.and_then(|status| status.code()));
        Ran {
            status,
            signal,
            timed_out: false,
            stopped: false,
            strays,
            interrupted: None,
            ran,
            used: self.meter.used(),
            stdout,
            stderr,
        }
    }

    /// Asks the group to end, waits for the grace, kills it; false where its leader had ended before, and nobody here was told yet.
    async fn end(&mut self) -> (Option<ExitStatus>, bool) {
        if self.group.is_over() {
            return (self.reap().await, false);
        }
        self.group.ask_to_end();
        if let Ok(status) = tokio::time::timeout(self.grace, self.reap()).await {
            return (status, true);
        }
        (self.kill().await, true)
    }

    async fn kill(&mut self) -> Option<ExitStatus> {
        self.group.kill();
        // The group call may have failed where there are no groups; a killed process cannot refuse to be reaped.
        drop(self.child.start_kill());
        self.reap().await
    }
}

/// A program with a slash is meant from where we stand, not from the folder that it will run in.
pub(crate) fn located(named: &str) -> io::Result<PathBuf> {
    let path = Path::new(named);
    let local = path.components().count() > 1 && path.is_relative();
    if local { Ok(std::env::current_dir()?.join(path)) } else { Ok(path.to_owned()) }
}

/// Why a program did not start in this folder, from what the system says.
pub(crate) fn refused(named: &str, folder: &Path, error: io::Error) -> StartError {
    if !folder.is_dir() {
        return StartError::Folder(folder.to_owned());
    }
    let there = located(named).is_ok_and(|path| path.components().count() > 1 && path.exists());
    match error.kind() {
        io::ErrorKind::NotFound if there => StartError::Interpreter(named.to_owned()),
        io::ErrorKind::NotFound => StartError::Missing(named.to_owned()),
        io::ErrorKind::PermissionDenied => StartError::NotExecutable(named.to_owned()),
        _ => StartError::System { program: named.to_owned(), source: error },
    }
}
