//! What a program used of the machine, read in the moment between its death and its being reaped.

use std::time::Duration;

/// What a program and those of its children that were waited for used. None where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Time on a processor, for the program and for the kernel on its behalf.
    pub cpu: Option<Duration>,
    /// Most memory that one of these processes held at a time, in KiB. Linux counts in what the process held before it became
    /// the program, which is what we hold: so none, too, where it was no more than that.
    pub peak_rss_kb: Option<u64>,
}

#[cfg(target_os = "linux")]
pub(super) use own::own;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(super) use system::Meter;

/// What Linux says of this process.
#[cfg(target_os = "linux")]
mod own {
    /// The first word of a line in its status, e.g. of `VmHWM:`.
    pub(in crate::process) fn own(line: &str) -> Option<String> {
        let status = crate::files::read_text("/proc/self/status".as_ref(), 64 << 10).ok()?;
        let told = status.lines().find_map(|each| each.strip_prefix(line))?;
        told.split_whitespace().next().map(str::to_owned)
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod system {
    use super::{Used, own};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::time::Duration;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// Sees the death of a child of ours.
    #[derive(Debug)]
    pub(in crate::process) struct Meter {
        pid: u32,
        /// What the child may have held before it became the program, in KiB.
        floor: Option<u64>,
        /// Readable once the child is dead; none where the kernel has no such handles.
        handle: Option<AsyncFd<OwnedFd>>,
        used: Option<Used>,
    }

    impl Meter {
        /// Of a child that was just started. Inside the runtime.
        pub(in crate::process) fn of(pid: u32) -> Self {
            let child = i32::try_from(pid).ok().and_then(Pid::from_raw);
            let handle =
                child.and_then(|child| pidfd_open(child, PidfdFlags::NONBLOCK).ok()).and_then(watched);
            let floor = own("VmHWM:").and_then(|kb| kb.parse().ok());
            Self { pid, floor, handle, used: None }
        }

        /// Waits for the child's death, where it can be seen, and reads what it used. Nobody may reap it before.
        pub(in crate::process) async fn over(&mut self) {
            let (Some(handle), None) = (&self.handle, self.used) else { return };
            if let Ok(mut dead) = handle.readable().await {
                // It stays dead.
                dead.retain_ready();
            }
            self.used = Some(usage(self.pid).map_or_else(Used::default, |usage| self.read(&usage)));
        }

        /// What was read.
        pub(in crate::process) fn used(&self) -> Used {
            self.used.unwrap_or_default()
        }

        fn read(&self, usage: &libc::rusage) -> Used {
            let time = |time: libc::timeval| {
                let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
                Duration::from_secs(seconds)
                    + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or_default())
            };
            let peak = u64::try_from(usage.ru_maxrss).ok();
            Used {
                cpu: Some(time(usage.ru_utime) + time(usage.ru_stime)),
                peak_rss_kb: peak.filter(|peak| self.floor.is_some_and(|floor| *peak > floor)),
            }
        }
    }

    #[expect(unsafe_code, reason = "the runtime's safe registration is deprecated")]
    fn watched(handle: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
        // SAFETY: the handle is open and belongs to what is made here, which closes it, never changes it and tells its one
        // number for as long as it lives.
        unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE) }.ok()
    }

    /// What a dead child and those that it waited for used; none where it is not dead, or no child of ours any longer. It is not
    /// reaped: its number stays its own.
    #[expect(unsafe_code, reason = "no safe wrapper asks for the use of resources without reaping")]
    fn usage(pid: u32) -> Option<libc::rusage> {
        let mut told = MaybeUninit::<libc::siginfo_t>::zeroed();
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        let look = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: Linux's own `waitid` takes these five: two numbers, a place for one `siginfo_t`, options, a place for one
        // `rusage` (waitid(2), "C library/kernel differences"); on 64 bits libc's structures are the kernel's. Both places are
        // ours, of the right size, and outlive the call, which keeps neither.
        let done = unsafe {
            libc::syscall(
                libc::SYS_waitid,
                libc::c_long::from(libc::P_PID),
                libc::c_long::from(pid),
                told.as_mut_ptr(),
                libc::c_long::from(look),
                usage.as_mut_ptr(),
            )
        };
        // SAFETY: both are plain numbers (and pointers that are not followed), for which zeros are a value; the kernel wrote
        // whole numbers over them or nothing.
        let (told, usage) = unsafe { (told.assume_init(), usage.assume_init()) };
        (done == 0 && told.si_signo == libc::SIGCHLD).then_some(usage)
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
#[derive(Debug)]
pub(super) struct Meter;

/// Nothing here tells what a program used without reaping it.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
impl Meter {
    pub(super) fn of(_: u32) -> Self {
        Self
    }

    pub(super) async fn over(&mut self) {}

    pub(super) fn used(&self) -> Used {
        Used::default()
    }
}
