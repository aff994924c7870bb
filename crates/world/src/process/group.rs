//! The process group of a program: all of it can be asked to end, or killed, at once.

use std::process::ExitStatus;
use tokio::process::Command;

#[cfg(unix)]
mod system {
    use super::{Command, ExitStatus, Word};
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::os::unix::process::ExitStatusExt as _;

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    pub(super) fn send(leader: u32, word: Word) {
        let Some(pid) = pid(leader) else { return };
        let signal = match word {
            Word::Interrupt => Signal::INT,
            Word::End => Signal::TERM,
            Word::Kill => Signal::KILL,
        };
        // A group without members is what is wanted: its error is no error.
        let _: rustix::io::Result<()> = kill_process_group(pid, signal);
    }

    pub(super) fn is_over(leader: u32) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // What is no child of ours any longer was reaped.
        pid(leader).is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    fn pid(leader: u32) -> Option<Pid> {
        i32::try_from(leader).ok().and_then(Pid::from_raw)
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Command, ExitStatus, Word};

    /// There are no process groups: the program alone is ended, by its handle.
    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn signal(_: ExitStatus) -> Option<i32> {
        None
    }

    pub(super) fn send(_: u32, _: Word) {}

    pub(super) fn is_over(_: u32) -> bool {
        false
    }
}

/// What a group can be told.
#[derive(Clone, Copy, Debug)]
enum Word {
    Interrupt,
    End,
    Kill,
}

/// Makes the program the leader of a new group.
pub(super) fn lead(command: &mut Command) {
    system::lead(command);
}

/// The signal that ended a process.
pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    system::signal(status)
}

/// The group that a program leads. Dropping it kills the group, unless that was done before.
#[derive(Debug)]
pub(super) struct Group {
    leader: u32,
    killed: bool,
}

impl Group {
    pub(super) fn of(leader: u32) -> Self {
        Self { leader, killed: false }
    }

    pub(super) fn ask_to_end(&self) {
        system::send(self.leader, Word::End);
    }

    pub(super) fn interrupt(&self) {
        system::send(self.leader, Word::Interrupt);
    }

    /// Whether its leader has ended, reaped or not. Never where nothing tells.
    pub(super) fn is_over(&self) -> bool {
        system::is_over(self.leader)
    }

    /// Kills the group. Once only: afterwards its number may belong to others.
    pub(super) fn kill(&mut self) {
        if !std::mem::replace(&mut self.killed, true) {
            system::send(self.leader, Word::Kill);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
