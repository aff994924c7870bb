//! Interrupted programs: how far each has to be gone after, and what is told of what it used.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

mod scratch;

use rehearsal_world::process::{Launch, Ran, Stage, start};
use scratch::Scratch;
use std::time::Duration;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);
/// What one that never ends by itself is given.
const SHORT: Duration = Duration::from_millis(300);

fn launch(scratch: &Scratch, argv: &[&str]) -> Launch {
    Launch {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: scratch.path().to_owned(),
        stdin: None,
        time_limit: LONG,
        grace: SHORT,
        keep: 1000,
    }
}

async fn until_ready(scratch: &Scratch) {
    let ready = async {
        while !scratch.path().join("ready").exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, ready).await.unwrap_or_else(|_| panic!("it is never ready"));
}

/// Runs a script, waits until it says that it is ready (a file of that name), and interrupts it.
async fn interrupted(name: &str, script: &str, grace: Duration) -> Ran {
    let scratch = Scratch::new(name);
    let running = start(&Launch { grace, ..launch(&scratch, &["/bin/sh", "-c", script]) }).unwrap();
    until_ready(&scratch).await;
    let ended = tokio::time::timeout(LONG * 2, running.finish_interrupted(Duration::ZERO)).await;
    ended.unwrap_or_else(|_| panic!("{name} hangs"))
}

#[tokio::test]
async fn the_ladder_is_climbed_as_far_as_a_program_makes_us() {
    // Long enough for a shell to take its turn; one that heeds the first word is given all the time there is.
    let turn = Duration::from_secs(2);
    // Loops of the shell alone: a `sleep` would be interrupted too.
    let spin = ">ready; while :; do read x </dev/null; done";
    let rows = [
        ("dies", ">ready; exec sleep 1000".to_owned(), LONG, Stage::Interrupt, true, (None, Some(2))),
        ("ends", format!("trap 'exit 7' INT; {spin}"), LONG, Stage::Interrupt, true, (Some(7), None)),
        ("falls", format!("trap 'kill $$' INT; {spin}"), LONG, Stage::Interrupt, false, (None, Some(15))),
        (
            "second",
            format!("trap 'trap \"exit 8\" INT' INT; {spin}"),
            turn,
            Stage::InterruptAgain,
            true,
            (Some(8), None),
        ),
        ("deaf", format!("trap '' INT; {spin}"), turn, Stage::Terminate, false, (None, Some(15))),
        (
            "deaf-in-order",
            format!("trap '' INT; trap 'exit 9' TERM; {spin}"),
            turn,
            Stage::Terminate,
            false,
            (Some(9), None),
        ),
        ("stone-deaf", format!("trap '' INT TERM; {spin}"), SHORT, Stage::Kill, false, (None, Some(9))),
    ];
    let mut all = tokio::task::JoinSet::new();
    for (name, script, grace, stage, acknowledged, end) in rows {
        all.spawn(async move {
            let ran = interrupted(name, &script, grace).await;
            assert_eq!((ran.interrupted, ran.acknowledged()), (Some(stage), acknowledged), "{name}: {ran:?}");
            assert_eq!(((ran.status, ran.signal), ran.timed_out), (end, false), "{name}");
        });
    }
    all.join_all().await;
}

#[tokio::test]
async fn one_that_ended_before_was_not_interrupted() {
    for script in ["exit 0", "exit 3", "kill -2 $$"] {
        let scratch = Scratch::new("before");
        let ran =
            start(&launch(&scratch, &["/bin/sh", "-c", script])).unwrap().finish_interrupted(LONG).await;
        assert_eq!((ran.interrupted, ran.acknowledged()), (None, false), "{script}");
    }
}

#[tokio::test]
async fn the_time_limit_holds_on_every_stage() {
    let scratch = Scratch::new("limit");
    let script = "trap '' INT TERM; >ready; while :; do read x </dev/null; done";
    let launch = |time_limit, grace| {
        start(&Launch { time_limit, grace, ..launch(&scratch, &["/bin/sh", "-c", script]) }).unwrap()
    };
    let (limit, grace) = (Duration::from_secs(2), Duration::from_millis(1500));
    let running = launch(limit, grace);
    until_ready(&scratch).await;
    let ran = running.finish_interrupted(Duration::ZERO).await;
    assert_eq!((ran.timed_out, ran.acknowledged(), ran.signal), (true, false, Some(9)), "{ran:?}");
    assert_eq!(ran.interrupted, Some(Stage::InterruptAgain));
    let ran = launch(SHORT, SHORT).finish_interrupted(LONG).await;
    assert_eq!((ran.timed_out, ran.interrupted), (true, None));
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[tokio::test]
async fn what_a_program_and_its_children_used_is_told() {
    let scratch = Scratch::new("used");
    let run =
        async |script: &str| start(&launch(&scratch, &["/bin/sh", "-c", script])).unwrap().finish().await;
    let idle = run("exit 0").await.used.cpu.unwrap();
    let burn = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    let busy = run(burn).await;
    let cpu = busy.used.cpu.unwrap();
    assert!(cpu > idle && cpu > Duration::from_millis(5), "{cpu:?} and {idle:?}");
    assert!(cpu < busy.ran * 2, "{busy:?}");
    let child = run(&format!("sh -c '{burn}'; exit 0")).await.used.cpu.unwrap();
    assert!(child > idle && child > Duration::from_millis(5), "{child:?}");
    // 150 MB of one line that `sed` has to hold.
    let held = run("head -c 150000000 /dev/zero | tr '\\0' x | sed -n 's/y//p'").await.used.peak_rss_kb;
    assert!(held.is_some_and(|kb| (140_000..2_000_000).contains(&kb)), "{held:?}");
    // Nothing is told of one that held less than we do.
    assert_eq!(run("exit 0").await.used.peak_rss_kb, None);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn programs_of_one_that_ignores_interrupts_hear_them() {
    let scratch = Scratch::new("ignored");
    // This same test again, alone, below a shell that ignores SIGINT and hands that down.
    let itself = std::env::current_exe().unwrap().display().to_string();
    let below = "trap '' INT; exec \"$0\" --exact --ignored below_one_that_ignores_interrupts";
    let ran = start(&launch(&scratch, &["/bin/sh", "-c", below, &itself])).unwrap().finish().await;
    assert_eq!(ran.status, Some(0), "{}", ran.stdout.text());
    assert!(ran.stdout.text().contains("1 passed"), "{}", ran.stdout.text());
}

#[tokio::test]
#[ignore = "the child of the test that starts it with interrupts ignored"]
async fn below_one_that_ignores_interrupts() {
    let ran = interrupted("below", ">ready; exec sleep 1000", LONG).await;
    assert_eq!((ran.interrupted, ran.signal), (Some(Stage::Interrupt), Some(2)));
}

#[test]
fn the_time_of_this_thread_on_a_processor_grows_with_its_work() {
    let before = rehearsal_world::clock::thread_cpu().unwrap();
    let mut sum = 0_u64;
    while rehearsal_world::clock::thread_cpu().unwrap() - before < Duration::from_millis(5) {
        sum = std::hint::black_box(sum.wrapping_add(1));
    }
    assert!(sum > 0);
}
