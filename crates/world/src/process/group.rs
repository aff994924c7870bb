//! The process group of a program: all of it can be asked to end, or killed, at once.

use std::process::ExitStatus;
use tokio::process::Command;

#[cfg(unix)]
mod system {
    use super::{Command, ExitStatus};
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::ExitStatusExt as _;

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    pub(super) fn send(leader: u32, kill: bool) {
        let Some(pid) = i32::try_from(leader).ok().and_then(Pid::from_raw) else { return };
        // A group without members is what is wanted: its error is no error.
        let _: rustix::io::Result<()> =
            kill_process_group(pid, if kill { Signal::KILL } else { Signal::TERM });
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Command, ExitStatus};

    /// There are no process groups: the program alone is ended, by its handle.
    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn signal(_: ExitStatus) -> Option<i32> {
        None
    }

    pub(super) fn send(_: u32, _: bool) {}
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
        system::send(self.leader, false);
    }

    /// Kills the group. Once only: afterwards its number may belong to others.
    pub(super) fn kill(&mut self) {
        if !std::mem::replace(&mut self.killed, true) {
            system::send(self.leader, true);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
