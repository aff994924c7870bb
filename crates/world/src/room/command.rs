//! Runs one shell command in a room: own process group, no secrets in its environment, bounded time and output.
//!
//! The room is its working folder, not a wall around it: what a command may touch is up to the system.

use super::{Room, RoomError};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until, timeout};

/// Where programs are looked for when the caller names no search path.
const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[cfg(unix)]
const SHELL: &str = "/bin/sh";
#[cfg(not(unix))]
const SHELL: &str = "sh";

/// How long output is still read after the end of the shell, and how long its end is awaited after a kill. Only a
/// process that left the group can use it up.
const GRACE: Duration = Duration::from_millis(500);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exited(i32),
    /// By a signal.
    Killed,
    /// It was ended at the time limit.
    TimedOut,
}

/// What a command left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its standard output and standard error as they arrived, broken UTF-8 replaced.
    pub output: String,
    /// Bytes of output that were not kept.
    pub dropped: u64,
    /// How it ended.
    pub ended: Ended,
}

impl Room {
    /// Runs `sh -c COMMAND` in the room. Whatever it leaves running in its process group ends with it.
    ///
    /// # Errors
    /// [`RoomError`] where the shell cannot be started.
    pub async fn run_command(&self, command: &str) -> Result<Ran, RoomError> {
        if command.contains('\0') {
            return Err(RoomError::BadCommand);
        }
        let system = |source| RoomError::System { path: SHELL.to_owned(), source };
        let mut child = self.shell(command).spawn().map_err(system)?;
        let group = Group::of(&child);
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        let mut kept = Kept { bytes: Vec::new(), dropped: 0, limit: self.limits.output };
        let (mut from_out, mut from_err) = ([0; 4096], [0; 4096]);
        let mut status = None;
        let mut until = Instant::now() + self.limits.command;
        while status.is_none() || out.is_some() || err.is_some() {
            tokio::select! {
                read = piece(&mut out, &mut from_out), if out.is_some() => {
                    if read == 0 { out = None } else { kept.add(&from_out[..read]) }
                }
                read = piece(&mut err, &mut from_err), if err.is_some() => {
                    if read == 0 { err = None } else { kept.add(&from_err[..read]) }
                }
                waited = child.wait(), if status.is_none() => {
                    status = Some(waited.map_err(system)?);
                    group.kill();
                    until = until.min(Instant::now() + GRACE);
                }
                () = sleep_until(until) => break,
            }
        }
        group.kill();
        if status.is_none() {
            let _ = child.start_kill();
            let _ = timeout(GRACE, child.wait()).await;
        }
        let ended = status
            .map_or(Ended::TimedOut, |status: ExitStatus| status.code().map_or(Ended::Killed, Ended::Exited));
        Ok(Ran { output: String::from_utf8_lossy(&kept.bytes).into_owned(), dropped: kept.dropped, ended })
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new(SHELL);
        shell.arg("-c").arg(command).current_dir(&self.path);
        shell.env_clear().env("PATH", self.search_path.as_deref().unwrap_or(SEARCH_PATH));
        shell.env("HOME", &self.path).env("LANG", "C.UTF-8");
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        shell.process_group(0);
        shell
    }
}

/// The next bytes of a pipe; 0 at its end, which a pipe that cannot be read has reached.
async fn piece(pipe: &mut Option<impl AsyncRead + Unpin>, into: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(into).await.unwrap_or(0),
        None => 0,
    }
}

struct Kept {
    bytes: Vec<u8>,
    dropped: u64,
    limit: usize,
}

impl Kept {
    fn add(&mut self, piece: &[u8]) {
        let room = (self.limit - self.bytes.len()).min(piece.len());
        self.bytes.extend_from_slice(&piece[..room]);
        self.dropped += (piece.len() - room) as u64;
    }
}

/// The process group of a command; it is killed whenever its owner ends, also by being dropped half-way.
struct Group(#[cfg(unix)] Option<rustix::process::Pid>);

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())))
    }

    /// Ends what is left of the group. While a member lives the number cannot belong to anybody else, and when none
    /// does this comes at once after the end of the last one, before the numbers can have come round.
    #[cfg(unix)]
    fn kill(&self) {
        if let Some(leader) = self.0 {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn of(_child: &Child) -> Self {
        Self()
    }

    #[cfg(not(unix))]
    fn kill(&self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
