//! Foreign programs: their end is certain, their output bounded, their children gone.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests look at the system themselves")]

mod scratch;

use rehearsal_world::process::{Launch, Ran, StartError, run, start};
use scratch::Scratch;
use std::path::Path;
use std::time::Duration;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

fn shell(folder: &Path, script: &str) -> Launch {
    Launch {
        argv: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("GREETING".into(), "hello".into())],
        folder: folder.to_owned(),
        stdin: None,
        time_limit: LONG,
        grace: LONG,
        keep: 1000,
    }
}

async fn ran(launch: &Launch) -> Ran {
    let ran = tokio::time::timeout(LONG, run(launch)).await;
    ran.unwrap_or_else(|_| panic!("it hangs")).unwrap_or_else(|error| panic!("{error}"))
}

/// Waits until something holds.
async fn until(holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(LONG, waiting).await.is_ok(), "it never happens");
}

/// Waits until a process is gone or a zombie.
async fn gone(pid: &str) {
    let dead = async {
        loop {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let state = stat.rsplit_once(") ").map_or("X", |(_, rest)| &rest[..1]);
            if matches!(state, "X" | "Z") {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(LONG, dead).await.is_ok(), "process {pid} lives on");
}

#[tokio::test]
async fn status_output_environment_and_folder_are_as_given() {
    let scratch = Scratch::new("plain");
    let script = "echo $GREETING; pwd >&2; echo ${HOME-none}; cat; exit 3";
    let ran = ran(&shell(scratch.path(), script)).await;
    assert_eq!((ran.status, ran.signal, ran.timed_out), (Some(3), None, false));
    assert_eq!(ran.stdout.text(), "hello\nnone\n");
    assert_eq!(Path::new(ran.stderr.text().trim_end()), scratch.path().canonicalize().unwrap());
    let output = ran.stdout.output();
    assert_eq!((output.bytes, output.capped), (11, false));
}

#[tokio::test]
async fn a_signal_is_told() {
    let scratch = Scratch::new("signal");
    let ran = ran(&shell(scratch.path(), "kill -9 $$")).await;
    assert_eq!((ran.status, ran.signal), (None, Some(9)));
}

#[tokio::test]
async fn a_flood_is_counted_and_capped() {
    let scratch = Scratch::new("flood");
    let ran = ran(&shell(scratch.path(), "head -c 3000000 /dev/zero; head -c 1000 /dev/zero >&2")).await;
    assert_eq!((ran.stdout.kept.len(), ran.stdout.bytes), (1000, 3_000_000));
    assert!(ran.stdout.is_capped() && !ran.stderr.is_capped());
    assert_eq!(ran.stderr.bytes, 1000);
}

#[tokio::test]
async fn at_the_time_limit_it_may_end_in_order() {
    let scratch = Scratch::new("polite");
    let script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done";
    let launch = Launch { time_limit: Duration::from_millis(300), ..shell(scratch.path(), script) };
    let ran = ran(&launch).await;
    assert_eq!((ran.status, ran.timed_out), (Some(5), true));
    assert_eq!(ran.stdout.text(), "ready\nbye\n");
    assert!(ran.ran >= Duration::from_millis(300));
}

#[tokio::test]
async fn one_that_ignores_being_asked_is_killed_with_its_children() {
    let scratch = Scratch::new("deaf");
    let script = "trap '' TERM; sleep 1000 & echo $!; while :; do sleep 1; done";
    let short = Duration::from_millis(200);
    let launch = Launch { time_limit: short, grace: short, ..shell(scratch.path(), script) };
    let ran = ran(&launch).await;
    assert_eq!((ran.status, ran.signal, ran.timed_out), (None, Some(9), true));
    gone(ran.stdout.text().trim()).await;
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_does_not_outlive_its_parent() {
    let scratch = Scratch::new("orphan");
    let ran = ran(&shell(scratch.path(), "(trap '' TERM; sleep 1000) & echo $!; exit 0")).await;
    assert_eq!((ran.status, ran.timed_out), (Some(0), false));
    gone(ran.stdout.text().trim()).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_that_left_the_group_is_ended_and_counted() {
    for (name, escape, left) in [
        ("session", "setsid sh -c 'echo $$ >out; exec sleep 1000' & while ! test -s out; do :; done", 1),
        ("holds-the-pipe", "setsid sh -c 'echo $$ >out; sleep 1000' & while ! test -s out; do :; done", 2),
        (
            "twice",
            "(setsid sh -c '(setsid sh -c \"echo \\$\\$ >out; exec sleep 1000\") & exit' &); while ! test -s out; do :; done",
            1,
        ),
        (
            "deaf",
            "setsid sh -c 'trap \"\" TERM HUP; echo $$ >out; while :; do read x </dev/zero; done' & while ! test -s out; do :; done",
            1,
        ),
        ("none", "sleep 1000 & echo $! >out", 0),
    ] {
        let scratch = Scratch::new(&format!("escaped-{name}"));
        let ran = ran(&shell(scratch.path(), escape)).await;
        assert_eq!((ran.status, ran.strays), (Some(0), left), "{name}: {}", ran.stderr.text());
        gone(std::fs::read_to_string(scratch.path().join("out")).unwrap().trim()).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_that_leaves_the_group_at_the_last_moment_is_found_too() {
    let scratch = Scratch::new("late");
    for _ in 0..20 {
        let ran = ran(&shell(scratch.path(), "setsid sleep 1000 & echo $!")).await;
        gone(ran.stdout.text().trim()).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn strays_of_another_program_are_left_alone() {
    let scratch = Scratch::new("others");
    let bystander =
        start(&shell(scratch.path(), "setsid sh -c 'echo $$ >out; exec sleep 1000'; wait")).unwrap();
    let file = scratch.path().join("out");
    until(|| std::fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n'))).await;
    let stray = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    ran(&shell(scratch.path(), "exit 0")).await;
    let pid = rustix::process::Pid::from_raw(stray.parse().unwrap()).unwrap();
    assert!(rustix::process::test_kill_process(pid).is_ok());
    // Nobody waits for its end: dropping it ends its strays as well.
    drop(bystander);
    gone(&stray).await;
}

#[tokio::test]
async fn it_is_fed_and_its_input_ends() {
    let scratch = Scratch::new("fed");
    let input = "a\n".repeat(100_000);
    let fed =
        |script: &str| Launch { stdin: Some(input.clone().into_bytes()), ..shell(scratch.path(), script) };
    assert_eq!(ran(&fed("wc -c")).await.stdout.text().trim(), "200000");
    // One that reads nothing, or not all, and a child that holds the pipe hold up nobody.
    for script in ["exit 3", "read line; exit 3", "sleep 1000 & exit 3"] {
        assert_eq!(ran(&fed(script)).await.status, Some(3), "{script}");
    }
    let empty = Launch { stdin: Some(Vec::new()), ..shell(scratch.path(), "wc -c") };
    assert_eq!(ran(&empty).await.stdout.text().trim(), "0");
}

#[tokio::test]
async fn one_that_nobody_needs_any_longer_is_ended_in_order() {
    let scratch = Scratch::new("stopped");
    let script = "trap 'exit 5' TERM; echo >ready; while :; do sleep 0.01; done";
    let file = scratch.path().join("ready");
    let running = start(&shell(scratch.path(), script)).unwrap();
    let ended = running.finish_or(until(|| file.exists()));
    let ended = tokio::time::timeout(LONG, ended).await.unwrap();
    assert_eq!((ended.status, ended.stopped, ended.timed_out), (Some(5), true, false));
    let running = start(&shell(scratch.path(), "exit 4")).unwrap();
    let ended = running.finish_or(std::future::pending()).await;
    assert_eq!((ended.status, ended.stopped), (Some(4), false));
}

#[tokio::test]
async fn dropping_a_running_program_kills_its_group() {
    let scratch = Scratch::new("dropped");
    let script = "sleep 1000 & echo $! >pid.part; mv pid.part pid; wait";
    let running = start(&shell(scratch.path(), script)).unwrap();
    let leader = running.pid().to_string();
    let file = scratch.path().join("pid");
    until(|| file.exists()).await;
    drop(running);
    gone(std::fs::read_to_string(file).unwrap().trim()).await;
    gone(&leader).await;
}

#[tokio::test]
async fn each_reason_not_to_start_is_a_sentence() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("refused");
    let path = |name: &str| scratch.path().join(name).display().to_string();
    std::fs::write(path("data"), "x").unwrap();
    std::fs::write(path("script"), "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(path("script"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = |argv: &[&str]| {
        let argv = argv.iter().map(|&argument| argument.to_owned()).collect();
        start(&Launch { argv, ..shell(scratch.path(), "") }).unwrap_err().to_string()
    };
    assert_eq!(told(&[]), "no program is named");
    assert_eq!(told(&["no-such-agent", "x"]), "there is no program no-such-agent");
    assert_eq!(told(&["./no/agent"]), "there is no program ./no/agent");
    assert_eq!(told(&[&path("data")]), format!("{} is not executable", path("data")));
    let interpreter =
        format!("{} is there, but the interpreter that its first line names is not", path("script"));
    assert_eq!(told(&[&path("script")]), interpreter);
    let nowhere = shell(&scratch.path().join("nowhere"), "true");
    assert!(matches!(start(&nowhere), Err(StartError::Folder(_))));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_that_had_ended_before_it_was_asked_to_was_not_ended_by_us() {
    let scratch = Scratch::new("before");
    for _ in 0..20 {
        let running = start(&shell(scratch.path(), "exit 6")).unwrap();
        let pid = running.pid().to_string();
        // This thread, which alone would be told of its end, looks nowhere else meanwhile.
        let is_dead = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
        };
        while !is_dead() {
            std::thread::yield_now();
        }
        let ended = running.finish_or(async {}).await;
        assert_eq!((ended.status, ended.stopped, ended.timed_out), (Some(6), false, false));
    }
}
