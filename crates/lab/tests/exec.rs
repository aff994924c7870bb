//! Programs as steps run them: what is seen of them, what they find, and that nothing of them stays.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]
#![expect(clippy::disallowed_methods, reason = "tests look at the system themselves")]

use rehearsal_lab::{Code, Done, Exec, Fact, Interrupt, Proof, Refusal, Stop, exec};
use rehearsal_testkit::scratch;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

fn order(name: &str, argv: &[&str]) -> Exec {
    let root = scratch(env!("CARGO_TARGET_TMPDIR"), name);
    let folder = root.join("workspace");
    fs::create_dir(&folder).unwrap();
    Exec {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        folder,
        home: root.join("home"),
        inherited: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        env: Vec::new(),
        stdin: None,
        may_fail: false,
        time_limit: LONG,
        grace: LONG,
        interrupt: None,
    }
}

fn sh(name: &str, script: &str) -> Exec {
    order(name, &["sh", "-c", script])
}

async fn done(order: &Exec) -> Done {
    tokio::time::timeout(LONG * 2, exec(order)).await.unwrap_or_else(|_| panic!("it hangs"))
}

async fn fact(order: &Exec) -> Fact {
    done(order).await.result.unwrap_or_else(|stop| panic!("{stop:?}"))
}

async fn refusal(order: &Exec) -> Refusal {
    match done(order).await.result {
        Err(Stop::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Waits until a process is gone or a zombie.
async fn gone(pid: &str) {
    assert!(!pid.is_empty());
    let dead = async {
        loop {
            let told = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
            let state = String::from_utf8(told.stdout).unwrap();
            if state.trim().is_empty() || state.starts_with('Z') {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(LONG, dead).await.is_ok(), "process {pid} lives on");
}

fn word(fact: &Fact, field: &str) -> String {
    fact.observed()[field].as_str().unwrap().trim().to_owned()
}

#[tokio::test]
async fn what_is_seen_of_a_program_is_a_fact() {
    let order = Exec {
        stdin: Some(b"given".to_vec()),
        ..sh(
            "seen",
            "cat; echo; pwd >&2; echo ä >&2; printf x >made; test -d \"$TMPDIR\" && test -d \"$HOME\"",
        )
    };
    let seen = fact(&order).await;
    let stderr = format!("{}\nä\n", order.folder.canonicalize().unwrap().display());
    let digest =
        |text: &str| rehearsal_journal::digest::text(&rehearsal_journal::digest::of(text.as_bytes()));
    let expected = json!({
        "status": 0, "stdout": "given\n", "stdout_bytes": 6, "stdout_sha256": digest("given\n"),
        "stderr": stderr, "stderr_bytes": stderr.len(), "stderr_sha256": digest(&stderr),
    });
    assert_eq!(Value::from(seen.observed().clone()), expected);
    assert!(seen.proofs().is_empty());
    // Where the workspace lies differs from run to run, and so do the length and the digest of what names it.
    assert_eq!(seen.volatile(), ["stderr_bytes", "stderr_sha256"]);
    assert_eq!(fs::read(order.folder.join("made")).unwrap(), b"x");
}

#[tokio::test]
async fn a_failure_is_a_refusal_unless_it_may_be() {
    let failing = sh("failing", "echo out; echo first >&2; printf 'the \\033[1mlast\\n\\n' >&2; exit 3");
    let refused = refusal(&failing).await;
    assert_eq!(refused.code, Code::Exit);
    assert_eq!(refused.message, "sh ended with status 3: the \\u{1b}[1mlast");
    let seen = fact(&Exec { may_fail: true, ..failing }).await;
    assert_eq!(seen.observed()["status"], 3);
    let killed = sh("killed", "kill -9 $$");
    assert_eq!(refusal(&killed).await.message, "sh was ended by signal 9");
    let seen = fact(&Exec { may_fail: true, ..killed }).await;
    assert_eq!((seen.observed().get("status"), &seen.observed()["signal"]), (None, &json!(9)));
}

#[tokio::test]
async fn two_equal_runs_have_equal_facts() {
    let order = sh("equal", "echo one; echo two >&2; sleep 1000 & exit 4");
    let order = Exec { may_fail: true, ..order };
    assert_eq!(fact(&order).await, fact(&order).await);
}

#[tokio::test]
async fn the_environment_is_the_minimal_one_and_nothing_else() {
    let order = Exec {
        env: vec![("OWN".to_owned(), "1".to_owned()), ("TZ".to_owned(), "Asia/Tokyo".to_owned())],
        ..order("environment", &["env"])
    };
    let said = word(&fact(&order).await, "stdout");
    let mut lines: Vec<_> = said.lines().filter(|line| !line.starts_with("REHEARSAL_LAUNCH=")).collect();
    lines.sort_unstable();
    let (home, temporary) =
        (format!("HOME={}", order.home.display()), format!("TMPDIR={}", order.home.join("tmp").display()));
    let expected = [
        home.as_str(),
        "LANG=C.UTF-8",
        "LC_ALL=C.UTF-8",
        "NO_COLOR=1",
        "OWN=1",
        "PATH=/usr/bin:/bin",
        "PYTHONHASHSEED=0",
        "SOURCE_DATE_EPOCH=1577836800",
        &temporary,
        "TZ=Asia/Tokyo",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn a_flood_is_counted_and_its_beginning_kept() {
    let seen = fact(&sh("flood", "yes | head -c 200000000; yes no | head -c 100 >&2")).await;
    assert_eq!(
        (&seen.observed()["stdout_bytes"], &seen.observed()["stderr_bytes"]),
        (&json!(200_000_000), &json!(100))
    );
    assert_eq!(seen.observed()["stdout"].as_str().unwrap(), "y\n".repeat(32 << 10));
    let kept = "y\n".repeat(512 << 10);
    let digest = rehearsal_journal::digest::text(&rehearsal_journal::digest::of(kept.as_bytes()));
    assert_eq!(seen.observed()["stdout_sha256"], digest.as_str());
}

#[tokio::test]
async fn bytes_that_are_no_text_are_told_so() {
    let seen = fact(&sh("bytes", "printf 'a\\377b'; printf fine >&2")).await;
    assert_eq!(
        (&seen.observed()["stdout"], &seen.observed()["stdout_lossy"]),
        (&json!("a\u{fffd}b"), &json!(true))
    );
    assert_eq!(seen.observed().get("stderr_lossy"), None);
}

#[tokio::test]
async fn nothing_that_it_left_behind_stays() {
    let seen = fact(&sh("pipe", "(trap '' TERM; sleep 1000) & echo $!")).await;
    gone(&word(&seen, "stdout")).await;
    #[cfg(target_os = "linux")]
    {
        let script = "setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 & while ! test -s pid; do :; done; cat pid";
        let seen = fact(&sh("stray", script)).await;
        gone(&word(&seen, "stdout")).await;
    }
}

/// Children of a script that never ends: one in its group, and on Linux one that left it. Their numbers come in these files.
const FAMILY: &str = "trap '' TERM INT; sleep 1000 & echo $! >child.part; mv child.part child; \
    if test -x /usr/bin/setsid; then setsid sh -c 'echo $$ >stray.part; mv stray.part stray; exec sleep 1000' & \
    else cp child stray; fi; while :; do read x </dev/null; done";

async fn family_is_gone(folder: &Path) {
    gone(fs::read_to_string(folder.join("child")).unwrap().trim()).await;
    if cfg!(target_os = "linux") {
        gone(fs::read_to_string(folder.join("stray")).unwrap().trim()).await;
    }
}

#[tokio::test]
async fn at_its_time_limit_all_of_it_is_ended() {
    let limit = Duration::from_secs(3);
    let order = Exec { time_limit: limit, grace: Duration::from_millis(100), ..sh("limit", FAMILY) };
    let done = done(&order).await;
    assert_eq!(done.result, Err(Stop::TimedOut));
    assert!(done.used.wall >= limit);
    family_is_gone(&order.folder).await;
}

#[tokio::test]
async fn dropped_before_its_end_it_is_killed_with_all_of_it() {
    let order = sh("dropped", FAMILY);
    let both = async {
        while !order.folder.join("child").exists() || !order.folder.join("stray").exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        done = exec(&order) => panic!("{done:?}"),
        () = both => {}
    }
    family_is_gone(&order.folder).await;
}

#[tokio::test]
async fn an_interrupt_that_is_heeded_is_proved() {
    let interrupt = Some(Interrupt { after: Duration::ZERO });
    let seen = fact(&Exec { interrupt, ..order("heeded", &["sleep", "1000"]) }).await;
    assert_eq!(seen.observed()["interrupted"], json!({"acknowledged": true, "stage": "SIGINT"}));
    assert_eq!(
        (&seen.observed()["signal"], seen.proofs()),
        (&json!(2), [Proof::InterruptAcknowledged].as_slice())
    );
}

#[tokio::test]
async fn an_interrupt_that_is_not_heeded_proves_nothing() {
    // Time enough for a shell to set its trap, and to fall to each word.
    let turn = Duration::from_secs(2);
    let script = "trap '' INT; while :; do read x </dev/null; done";
    let interrupt = Some(Interrupt { after: turn });
    let seen = fact(&Exec { interrupt, grace: turn, ..sh("deaf", script) }).await;
    assert_eq!(seen.observed()["interrupted"], json!({"acknowledged": false, "stage": "SIGTERM"}));
    assert!(seen.proofs().is_empty());
}

#[tokio::test]
async fn one_that_ended_before_its_interrupt_is_like_any_other() {
    let interrupt = Some(Interrupt { after: LONG });
    let seen = fact(&Exec { interrupt, ..sh("early", "exit 0") }).await;
    assert_eq!((seen.observed().get("interrupted"), seen.proofs().len()), (None, 0));
    let refused = refusal(&Exec { interrupt, ..sh("early-failure", "exit 5") }).await;
    assert_eq!(refused.message, "sh ended with status 5");
}

#[tokio::test]
async fn an_interrupt_holds_to_the_time_limit() {
    let order = Exec {
        interrupt: Some(Interrupt { after: Duration::from_secs(1) }),
        time_limit: Duration::from_secs(2),
        ..sh("interrupt-limit", "trap '' INT; while :; do read x </dev/null; done")
    };
    assert_eq!(done(&order).await.result, Err(Stop::TimedOut));
}

#[tokio::test]
async fn python_is_interrupted_as_by_a_person() {
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("left out: there is no /usr/bin/python3");
        return;
    }
    let script = "import signal\n\
        try:\n    signal.pause()\n\
        except KeyboardInterrupt:\n    raise SystemExit(7)\n";
    // However long Python takes to start: one that is not ready yet ends by the interrupt, too.
    let interrupt = Some(Interrupt { after: Duration::from_secs(3) });
    let seen = fact(&Exec { interrupt, ..order("python", &["python3", "-c", script]) }).await;
    assert_eq!(seen.observed()["interrupted"], json!({"acknowledged": true, "stage": "SIGINT"}));
    assert_eq!(seen.proofs(), [Proof::InterruptAcknowledged]);
}

#[tokio::test]
async fn what_does_not_start_is_the_failure_of_the_world() {
    let failed = async |order: &Exec| match done(order).await {
        Done { result: Err(Stop::Failed(why)), used } => {
            assert_eq!(used, rehearsal_lab::Used::default());
            why
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(failed(&order("missing", &["no-such-program"])).await, "there is no program no-such-program");
    assert_eq!(failed(&order("missing-here", &["./tool"])).await, "there is no program ./tool");
    let data = order("data", &["./data"]);
    fs::write(data.folder.join("data"), "x").unwrap();
    assert_eq!(failed(&data).await, "./data is not executable");
}

#[tokio::test]
async fn words_that_no_program_can_be_given_are_refused() {
    let own = |name: &str, value: &str| Exec {
        env: vec![(name.into(), value.into())],
        ..order("words", &["true"])
    };
    for order in [
        order("words", &[]),
        order("words", &[""]),
        order("words", &["true", "a\0b"]),
        own("", "x"),
        own("A=B", "x"),
        own("A", "x\0"),
    ] {
        assert_eq!(refusal(&order).await.code, Code::Input, "{order:?}");
    }
}

#[tokio::test]
async fn a_program_of_the_workspace_is_found_from_there() {
    use std::os::unix::fs::PermissionsExt as _;
    let order = order("own", &["./bin/tool", "x"]);
    let tool = order.folder.join("bin/tool");
    fs::create_dir(order.folder.join("bin")).unwrap();
    fs::write(&tool, "#!/bin/sh\necho \"$1\"\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(word(&fact(&order).await, "stdout"), "x");
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[tokio::test]
async fn what_it_used_is_told_also_where_it_is_refused() {
    let burn = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 1";
    let done = done(&sh("burner", burn)).await;
    assert!(matches!(done.result, Err(Stop::Refused(_))));
    assert!(done.used.cpu.is_some_and(|cpu| cpu > Duration::from_millis(5)), "{:?}", done.used);
    assert!(done.used.wall > Duration::ZERO);
    let hold = "head -c 150000000 /dev/zero | tr '\\0' x | sed -n 's/y//p'";
    let held = self::done(&sh("holder", hold)).await.used.peak_rss_kb;
    assert!(held.is_some_and(|kb| kb > 140_000), "{held:?}");
}
