//! A process that commits is killed at random moments: after recovery the tree is as before or as after, never between.

use crate::stand::{Stand, own, take};
use rehearsal_world::owned::{Ended, Fate, Limits, Mode, RECORD, Tree};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Where the child that is killed works.
const PLACE: &str = "REHEARSAL_OWNED_PLACE";

/// That it commits once only, or recovers only.
const ONCE: &str = "REHEARSAL_OWNED_ONCE";

/// What the child does once.
const COMMIT: &str = "commit";
const RECOVER: &str = "recover";

/// How many children are killed at random moments.
const ROUNDS: u32 = 100;

/// The system calls of a commit that change something, and those around them.
const CALLS: [&str; 12] = [
    "openat2",
    "mkdirat",
    "write",
    "fchmod",
    "fsync",
    "fdatasync",
    "renameat2",
    "unlinkat",
    "statx",
    "read",
    "close",
    "openat",
];

const FILES: [&str; 3] = ["a", "sub/b", "sub/big"];

/// What a file holds in one generation: all files change with each.
fn content(file: &str, generation: u64) -> Vec<u8> {
    let line = format!("{file} {generation}\n");
    line.repeat(if file == "sub/big" { 2000 } else { 1 }).into_bytes()
}

/// Commits, one generation after the other, and makes a file with each.
#[test]
#[ignore = "the child of the tests below, which kill it"]
fn commits_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let place = Path::new(&place);
    let tree = Tree::open(&place.join("tree"), Limits::default()).unwrap();
    let records = own(&place.join("records"));
    if std::env::var(ONCE).is_ok_and(|once| once == RECOVER) {
        tree.recover(&records).unwrap();
        return;
    }
    let mut generation = generation(place);
    println!("ready");
    loop {
        generation += 1;
        let made = format!("new/{generation}/made");
        let mut entries = FILES.map(|file| (file, Mode::Edit)).to_vec();
        entries.push((&made, Mode::Create));
        let new = FILES.map(|file| content(file, generation));
        let mut changes: Vec<_> = FILES.iter().zip(&new).map(|(file, new)| (*file, &new[..])).collect();
        changes.push((&made, &new[0]));
        take(&tree, &entries).unwrap().commit(&records, &changes).unwrap();
        if std::env::var(ONCE).is_ok() {
            return;
        }
    }
}

fn arguments(command: &mut Command, place: &Path) {
    command
        .args(["--exact", "crash::commits_until_it_is_killed", "--ignored", "--nocapture"])
        .env(PLACE, place)
        .stderr(Stdio::null());
}

fn stand(name: &str) -> Stand {
    let stand = Stand::in_memory(name);
    for file in FILES {
        fs::write(stand.at(file), content(file, 0)).unwrap();
    }
    stand
}

/// Recovers, looks whether all is of one generation and nothing is left over, and returns which and how it was reached.
fn recovered(stand: &Stand) -> (u64, Ended) {
    let records = stand.records();
    let recovered = stand.tree().recover(&records).unwrap();
    let fate = match recovered.ended {
        Ended::Nothing => None,
        Ended::Undone => Some(Fate::RolledBack),
        Ended::Finished => Some(Fate::Applied),
    };
    assert!(recovered.paths.iter().all(|path| Some(path.fate) == fate && path.kept.is_none()));
    let now = generation(stand.path());
    let made: Vec<String> = if now == 0 { Vec::new() } else { stand.names("new") };
    assert_eq!(made.len() as u64, now, "each generation made its own folder, and none is left over");
    if now == 0 {
        assert_eq!(stand.names(""), ["a", "sub"]);
    }
    let names = [stand.names(""), stand.names("sub")].concat();
    assert!(names.iter().all(|name| !name.starts_with(".rehearsal")), "{names:?}");
    assert!(!records.holds(RECORD));
    (now, recovered.ended)
}

/// The generation that all files are of.
fn generation(place: &Path) -> u64 {
    let text = fs::read_to_string(place.join("tree/a")).unwrap();
    let generation = text.trim_end().rsplit_once(' ').unwrap().1.parse().unwrap();
    for file in FILES {
        let found = fs::read(place.join("tree").join(file)).unwrap();
        assert_eq!(found, content(file, generation), "{file} is of generation {generation}");
    }
    generation
}

#[test]
fn a_kill_at_a_random_moment_leaves_all_or_nothing() {
    let stand = stand("crash");
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = seed;
    let (mut ended, mut last) = ([0; 3], 0);
    for round in 0..ROUNDS {
        // A linear congruence (Knuth's MMIX) is random enough for moments.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let wait = Duration::from_micros((random >> 33) % 8000);
        let mut command = Command::new(std::env::current_exe().unwrap());
        arguments(&mut command, stand.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        assert!(output.lines().any(|line| line.unwrap().contains("ready")), "round {round}: it starts");
        let started = Instant::now();
        while started.elapsed() < wait {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (now, how) = recovered(&stand);
        assert!(now >= last, "round {round}: what was committed stays");
        last = now;
        ended[how as usize] += 1;
    }
    println!("{last} generations; nothing to do, undone, finished: {ended:?}");
}

/// Where there is `strace`, which kills a program as it begins its n-th call of some kind.
#[test]
fn a_kill_before_any_system_call_leaves_all_or_nothing() {
    let stand = stand("calls");
    if !may_trace(&stand) {
        return;
    }
    let mut ended = [0; 3];
    for call in CALLS {
        for number in 1..1000 {
            let before = generation(stand.path());
            let whole = killed(&stand, COMMIT, call, number);
            let (now, how) = recovered(&stand);
            assert!(now == before || now == before + 1, "{call} {number}");
            ended[how as usize] += 1;
            if whole {
                break;
            }
        }
    }
    println!("nothing to do, undone, finished: {ended:?}");
}

#[test]
fn a_recovery_that_is_killed_before_any_system_call_is_recovered_from() {
    let stand = stand("again");
    if !may_trace(&stand) {
        return;
    }
    // In the middle of staging, of changing places, and of removing what was old.
    for (call, number, grows) in [("fsync", 4, 0), ("renameat2", 3, 1), ("unlinkat", 2, 1)] {
        for again in ["openat2", "write", "fsync", "fdatasync", "renameat2", "unlinkat"] {
            for at in 1..1000 {
                let before = generation(stand.path());
                assert!(!killed(&stand, COMMIT, call, number));
                let whole = killed(&stand, RECOVER, again, at);
                let (now, _) = recovered(&stand);
                assert_eq!(now, before + grows, "{call} {number} {again} {at}");
                if whole {
                    break;
                }
            }
        }
    }
}

fn may_trace(stand: &Stand) -> bool {
    let may = strace(stand, RECOVER, &["-e", "trace=none"]).is_ok_and(|status| status.success());
    if !may {
        println!("there is no strace here, or it may not look into programs");
    }
    may
}

/// Runs the child once, to its end or to its n-th call of a kind; whether it came to its end.
fn killed(stand: &Stand, what: &str, call: &str, number: u32) -> bool {
    let (trace, kill) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={number}"));
    let status = strace(stand, what, &["-e", &trace, "-e", &kill]).unwrap();
    // It ends by the signal that its child ended by.
    assert!(status.success() || status.signal() == Some(9), "{what} {call} {number}: {status}");
    status.success()
}

fn strace(stand: &Stand, what: &str, how: &[&str]) -> std::io::Result<ExitStatus> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]).args(how);
    command.arg(std::env::current_exe()?).env(ONCE, what).stdout(Stdio::null());
    arguments(&mut command, stand.path());
    command.status()
}
