//! Runs one shell command in a room: bounded time and output, no secrets in its environment.
//!
//! The room is its working folder, not a wall around it: what a command may touch is up to the system.

use super::{Room, RoomError};
use crate::process::{self, Launch, Ran};
use std::time::Duration;

/// Where programs are looked for when the caller names no search path.
const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[cfg(unix)]
const SHELL: &str = "/bin/sh";
#[cfg(not(unix))]
const SHELL: &str = "sh";

/// Time between being asked to end and being killed.
const GRACE: Duration = Duration::from_millis(200);

impl Room {
    /// Runs `sh -c COMMAND` in the room. Whatever it leaves running in its process group ends with it, and all of it
    /// ends when nobody awaits it any more.
    ///
    /// # Errors
    /// [`RoomError`] where the shell cannot be started.
    pub async fn run_command(&self, command: &str) -> Result<Ran, RoomError> {
        if command.contains('\0') {
            return Err(RoomError::BadCommand);
        }
        let search_path = self.search_path.as_deref().unwrap_or(SEARCH_PATH);
        let env =
            [("PATH", search_path.as_ref()), ("HOME", self.path.as_os_str()), ("LANG", "C.UTF-8".as_ref())];
        let launch = Launch {
            argv: [SHELL, "-c", command].map(str::to_owned).to_vec(),
            env: env.map(|(name, value)| (name.into(), value.to_owned())).to_vec(),
            folder: self.path.clone(),
            stdin: None,
            time_limit: self.limits.command,
            grace: GRACE,
            keep: self.limits.output,
        };
        Ok(process::run(&launch).await?)
    }
}
