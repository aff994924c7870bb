//! Processes that left the group of their program, such as daemons: found by a mark in their environment, and ended.
//!
//! What takes the mark out of its environment, or may not be looked at (programs with privileges of their own), is not found.

use crate::ids::{self, NoRandom};
use std::ffi::OsString;

/// The variable that marks all processes of a program: ids, the outermost program's first.
const MARK: &str = "REHEARSAL_LAUNCH";

/// The processes of one program. Dropping it ends those that are left.
#[derive(Debug)]
pub(super) struct Strays {
    mark: String,
    leader: u32,
    ended: bool,
}

impl Strays {
    /// A mark that nothing bears yet.
    pub(super) fn new() -> Result<Self, NoRandom> {
        Ok(Self { mark: ids::case_token()?, leader: 0, ended: false })
    }

    /// The variable to start the program with. Whoever rehearses us finds our programs as well: its mark stays.
    pub(super) fn variable(&self) -> (&'static str, OsString) {
        let mut value = std::env::var_os(MARK).unwrap_or_default();
        if !value.is_empty() {
            value.push(",");
        }
        value.push(&self.mark);
        (MARK, value)
    }

    /// The program was started and leads this group, whose members are no strays.
    pub(super) fn of(mut self, leader: u32) -> Self {
        self.leader = leader;
        self
    }

    /// Ends all that bear the mark and says how many had left the group.
    pub(super) async fn end(self) -> u32 {
        // A look through all processes takes milliseconds: not on a thread that serves.
        tokio::task::spawn_blocking(move || self.end_here()).await.unwrap_or_default()
    }

    fn end_here(mut self) -> u32 {
        self.ended = true;
        system::sweep(&self.mark, self.leader)
    }
}

impl Drop for Strays {
    fn drop(&mut self) {
        if !self.ended && self.leader != 0 {
            system::sweep(&self.mark, self.leader);
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::MARK;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, getpgid, kill_process, pidfd_open, pidfd_send_signal};
    use std::collections::HashSet;
    use std::io::{self, Read as _};
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    /// How often all processes are looked through, at most: what forks faster than it dies must not hold us for ever.
    const ROUNDS: usize = 10;
    /// How long the killed may take to die before the next look.
    const DYING: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
    /// Most bytes of an environment that are read (Linux allows 6 MiB for arguments and environment).
    const ENVIRONMENT: u64 = 6 << 20;

    /// How often we look again for processes that are in the middle of an `exec`, and the time between. On a busy machine one
    /// may rest there for a while.
    const LOOKS: usize = 100;
    const PAUSE: Duration = Duration::from_millis(5);

    /// What the environment of a process says.
    #[derive(PartialEq, Eq)]
    enum Look {
        Marked,
        Stranger,
        /// Nothing yet: it is in the middle of an `exec`.
        Unsure,
    }

    pub(super) fn sweep(mark: &str, leader: u32) -> u32 {
        let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
        let mut strays = HashSet::new();
        let (mut rounds, mut looks) = (0, 0);
        while rounds < ROUNDS && looks < LOOKS {
            let mut dying = Vec::new();
            let (mut found, mut unsure) = (false, false);
            for pid in processes() {
                match look(pid, mark) {
                    Look::Stranger => {}
                    Look::Unsure => unsure = true,
                    Look::Marked => {
                        found = true;
                        // Members of the group were killed a moment ago and are on their way out.
                        if getpgid(Some(pid)).is_ok_and(|group| Some(group) != leader) {
                            strays.insert(pid);
                        }
                        dying.extend(kill(pid, mark));
                    }
                }
            }
            if found {
                rounds += 1;
                wait(&dying);
            } else if unsure {
                looks += 1;
                pause();
            } else {
                break;
            }
        }
        u32::try_from(strays.len()).unwrap_or(u32::MAX)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "nothing tells the end of an `exec`; this thread serves nobody"
    )]
    fn pause() {
        std::thread::sleep(PAUSE);
    }

    fn processes() -> impl Iterator<Item = Pid> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
    }

    fn look(pid: Pid, mark: &str) -> Look {
        let Ok(mut environment) = read(pid, "environ") else { return Look::Stranger };
        if environment.is_empty() {
            // Threads of the kernel and the dead have no program.
            if std::fs::read_link(format!("/proc/{pid}/exe")).is_err() {
                return Look::Stranger;
            }
            // An `exec` gives a process its arguments and its environment in one go: with the first and without the second,
            // it really has none.
            match read(pid, "cmdline") {
                Ok(arguments) if arguments.is_empty() => return Look::Unsure,
                Ok(_) => environment = read(pid, "environ").unwrap_or_default(),
                Err(_) => return Look::Stranger,
            }
        }
        let bears = |variable: &[u8]| {
            let value = variable.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            value.is_some_and(|ids| ids.split(|&byte| byte == b',').any(|id| id == mark.as_bytes()))
        };
        if environment.split(|&byte| byte == 0).any(bears) { Look::Marked } else { Look::Stranger }
    }

    fn read(pid: Pid, file: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = crate::files::open(format!("/proc/{pid}/{file}").as_ref())?;
        file.take(ENVIRONMENT).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Kills a process, and gives the handle by which its death is seen.
    fn kill(pid: Pid, mark: &str) -> Option<OwnedFd> {
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
            // It is gone, or the kernel is too old for handles.
            let _gone = kill_process(pid, Signal::KILL);
            return None;
        };
        // The number may have passed on to another since it was looked at; a handle stays with its process.
        if look(pid, mark) == Look::Stranger {
            return None;
        }
        let _gone = pidfd_send_signal(&handle, Signal::KILL);
        Some(handle)
    }

    fn wait(dying: &[OwnedFd]) {
        for handle in dying {
            let _late = poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&DYING));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Nothing here tells what another process was started with.
    pub(super) fn sweep(_: &str, _: u32) -> u32 {
        0
    }
}
