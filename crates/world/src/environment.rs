//! The environment of the process: variables and the program's own place.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// The words of the command line, the program's own name first.
#[must_use]
pub fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// A variable, where it is set and is text.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A variable as it is, also where it is no text.
#[must_use]
pub fn os_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The system that the program runs on and its machine, as in `linux x86_64`.
#[must_use]
pub fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The running program's file.
///
/// # Errors
/// When the operating system does not tell.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The folder in which the program was started.
///
/// # Errors
/// When it is gone.
pub fn current_folder() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// All variables that are text.
#[must_use]
pub fn all() -> Vec<(String, String)> {
    let text = |value: OsString| value.into_string().ok();
    std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
}

/// Hides the memory of this process, in which its variables stand, too, from other processes of the same user: what it starts
/// finds a key neither in `/proc` nor with a debugger. Whoever may look at all processes (root) still can.
///
/// Linux alone has such a switch; elsewhere this does nothing. Programs that are started afterwards are as open as ever.
pub fn hide_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // A kernel that does not want it leaves us as we were.
        let _as_before = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Columns of the terminal that standard output is, if it is one that tells.
#[must_use]
pub fn terminal_columns() -> Option<usize> {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    #[cfg(not(unix))]
    let columns = None;
    columns.filter(|columns| *columns > 0)
}

/// Lets this process, and those that it starts, have so many files open at once, as far as the system allows it. What is
/// allowed already stays.
pub fn allow_open_files(wanted: u64) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = maximum.map_or(wanted, |maximum| maximum.min(wanted));
        if current.is_some_and(|current| current < wanted) {
            // Where it fails, the cases that find no room say so.
            let _kept = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
        }
    }
    #[cfg(not(unix))]
    let _ = wanted;
}
