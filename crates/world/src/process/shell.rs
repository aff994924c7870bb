//! A command line of a person's, for the system's shell, and what it may cost.

/// Caps of a process and of each that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Largest file that it may write, in MiB.
    pub file_mib: u64,
    /// Longest time on a processor, in seconds.
    pub cpu_seconds: u64,
    /// Most memory that it may map, in MiB. Runtimes that reserve much more than they use (Node.js, Java, Go's race detector) need none.
    pub memory_mib: Option<u64>,
    /// Most processes of the user. Counted by the system for all that the user runs; none for root.
    pub processes: Option<u64>,
}

/// The words that run a command line in a shell under these caps. On systems without a POSIX shell there are no caps.
#[must_use]
pub fn shell(command: &str, caps: &Caps) -> Vec<String> {
    #[cfg(unix)]
    {
        // A cap that cannot be set, because one that is lower is set already, is no reason not to run.
        let mut limits = format!(
            "ulimit -c 0; ulimit -f {}; ulimit -t {}; ",
            caps.file_mib.saturating_mul(2048),
            caps.cpu_seconds
        );
        if let Some(memory) = caps.memory_mib {
            limits.push_str(&format!("ulimit -v {}; ", memory.saturating_mul(1024)));
        }
        if let Some(processes) = caps.processes {
            limits.push_str(&format!("ulimit -u {processes} || ulimit -p {processes}; "));
        }
        // In braces, so that what the shell says of caps does not stand in the command's output.
        let script = format!("{{ {limits}}} 2>/dev/null; exec /bin/sh -c \"$1\"");
        vec!["/bin/sh".to_owned(), "-c".to_owned(), script, "sh".to_owned(), command.to_owned()]
    }
    #[cfg(not(unix))]
    {
        let _ = caps;
        vec!["cmd".to_owned(), "/C".to_owned(), command.to_owned()]
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Launch, run};
    use std::time::Duration;

    const CAPS: Caps = Caps { file_mib: 1, cpu_seconds: 1, memory_mib: Some(200), processes: None };

    async fn ran(command: &str) -> crate::process::Ran {
        let launch = Launch {
            argv: shell(command, &CAPS),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            folder: "/".into(),
            stdin: None,
            time_limit: Duration::from_secs(60),
            grace: Duration::from_millis(200),
            keep: 1 << 16,
        };
        run(&launch).await.expect("a shell is there")
    }

    #[tokio::test]
    async fn a_command_line_is_run_whole_and_its_status_is_the_end() {
        let ran = ran("printf '%s' \"a'b\"; exit 3").await;
        assert_eq!((ran.status, ran.stdout.text().as_str(), ran.stderr.bytes), (Some(3), "a'b", 0));
    }

    #[tokio::test]
    async fn files_and_processor_time_are_capped() {
        let file = std::env::temp_dir().join(format!("rehearsal-caps-{}", std::process::id()));
        let big = ran(&format!("head -c 3000000 /dev/zero > {}", file.display())).await;
        assert_ne!(big.status, Some(0), "{big:?}");
        assert_eq!(std::fs::metadata(&file).expect("it was begun").len(), 1 << 20);
        std::fs::remove_file(&file).expect("it is ours");
        let busy = ran("while :; do :; done").await;
        assert!(busy.status != Some(0) && !busy.timed_out, "{busy:?}");
    }
}
