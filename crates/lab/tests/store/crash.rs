//! A process that saves is killed: before every system call that changes a file, and at random moments. What it acknowledged is there.

use crate::stand::{Place, derived, edge, moments, save, text};
use rehearsal_journal::digest;
use rehearsal_lab::store::{CellStatus, End, FrameStatus, Restore, Store};
use rehearsal_testkit::dice::{Dice, kills};
use rusqlite::Connection;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Where the child that is killed works.
const PLACE: &str = "REHEARSAL_STORE_PLACE";

/// What it does there.
const WORK: &str = "REHEARSAL_STORE_WORK";

/// Once from the making of the store to its seal; opens it and goes on a little; saves without an end.
const ONCE: &str = "once";
const AGAIN: &str = "again";
const ENDLESS: &str = "endless";

/// The system calls that change a file or a folder, or wait for the disk; some kernels and libraries use one, some another.
const CALLS: [&str; 17] = [
    "write",
    "pwrite64",
    "pwritev",
    "mkdir",
    "mkdirat",
    "openat2",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "ftruncate",
    "fallocate",
    "fchmod",
    "fcntl",
];

/// Says what is done now: whoever reads it may rely on it.
fn did(what: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\ndid {what}").unwrap();
    out.flush().unwrap();
}

#[test]
#[ignore = "the child of the tests below, which kill it"]
fn saves_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let root = Path::new(&place).join("case");
    match std::env::var(WORK).unwrap().as_str() {
        ONCE => once(&mut Store::create(&root, moments()).unwrap()),
        AGAIN => again(&mut Store::open(&root, moments()).unwrap()),
        _ => endless(&mut Store::open(&root, moments()).unwrap()),
    }
}

/// Saves and says so.
fn saved(store: &mut Store, name: &str, content: &str, sources: &[&str]) -> String {
    let sources: Vec<_> = sources.iter().map(|id| derived(id)).collect();
    let version = text(&save(store, name, content, &sources).unwrap(), "version_id");
    did(&format!("version {version} {content}"));
    for source in sources {
        did(&format!("edge {} {version}", source.version_id));
    }
    version
}

fn once(store: &mut Store) {
    did(&format!("session {}", text(&store.open_session("benchmark").unwrap(), "root_frame_id")));
    store.begin_cell("save_raw", "{}").unwrap();
    let raw = saved(store, "raw", "one", &[]);
    let out = saved(store, "out", "two", &[&raw]);
    store.finish_cell(&End::silent(CellStatus::Ok)).unwrap();
    did("cell 1");
    let new = saved(store, "raw", "three", &[]);
    // The same bytes as before, and damaged ones that are healed.
    let same = saved(store, "same", "two", &[&new]);
    edge(store, &out, &same).unwrap();
    did(&format!("edge {out} {same}"));
    did("damage");
    store.damage_artifact(&raw).unwrap();
    let restore = Restore {
        version_id: &raw,
        expected_head: &new,
        content: Some(&mut "one".as_bytes()),
        step: "restore",
    };
    let restored = text(&store.restore_artifact(restore).unwrap(), "version_id");
    did("heal");
    did(&format!("version {restored} one"));
    store.begin_cell("hangs", "{}").unwrap();
    store.seal_session(FrameStatus::Done).unwrap();
    did("seal");
}

fn again(store: &mut Store) {
    did(&format!("session {}", text(&store.open_session("benchmark").unwrap(), "root_frame_id")));
    let raw = saved(store, "raw", "four", &[]);
    saved(store, "out", "five", &[&raw]);
}

fn endless(store: &mut Store) {
    did(&format!("session {}", text(&store.open_session("benchmark").unwrap(), "root_frame_id")));
    let mut last = saved(store, "raw", "0", &[]);
    for number in 1.. {
        last = saved(store, &format!("{}", number % 7), &format!("{last} {number}"), &[&last]);
    }
}

/// The child, for a place and a work.
fn arguments(command: &mut Command, place: &Place, work: &str) {
    command
        .args(["--exact", "crash::saves_until_it_is_killed", "--ignored", "--nocapture"])
        .env(PLACE, place.path())
        .env(WORK, work)
        .stderr(Stdio::null());
}

/// What a child said that it did; its last line may be torn.
fn acknowledged(said: &str) -> Vec<String> {
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| line.strip_prefix("did ")).map(str::to_owned).collect()
}

/// Opens the store that a kill has left, and looks whether it is whole and holds what was acknowledged.
fn check(place: &Place, acknowledged: &[String], at: &str) {
    if !place.database().exists() {
        assert_eq!(acknowledged, [] as [String; 0], "{at}: there is a store");
        drop(Store::create(&place.root(), moments()).unwrap());
        return;
    }
    let mut store = Store::open(&place.root(), moments()).unwrap_or_else(|stop| panic!("{at}: {stop:?}"));
    // What was damaged on purpose may still be so until it was healed.
    let has = |word: &str| acknowledged.iter().any(|line| line == word);
    let damaged = if has("damage") && !has("heal") { "one" } else { "" };
    // Reading asks for a session of the project; a further one is opened by a process that goes on.
    let goes_on = store.open_session("benchmark").unwrap();
    for line in acknowledged {
        if let Some((version, content)) = line.strip_prefix("version ").and_then(|rest| rest.split_once(' '))
        {
            match store.read_artifact(version) {
                Ok(read) => assert_eq!(read.observed()["text"], content, "{at}: {line}"),
                Err(stop) => assert_eq!(content, damaged, "{at}: {line}: {stop:?}"),
            }
        }
    }
    save(&mut store, "after", at, &[]).unwrap();
    drop(store);
    let sql = Connection::open(place.database()).unwrap();
    let count = |query: &str, values: &[&str]| -> i64 {
        sql.query_row(query, rusqlite::params_from_iter(values), |row| row.get(0)).unwrap()
    };
    for line in acknowledged {
        let words: Vec<&str> = line.split(' ').collect();
        let found = match words[..] {
            ["session", root] => {
                count("SELECT count(*) FROM session_roots WHERE root_frame_id = ?1", &[root])
            }
            ["edge", input, output] => count(
                "SELECT count(*) FROM lineage_edges WHERE input_version_id = ?1 AND output_version_id = ?2",
                &[input, output],
            ),
            ["cell", revision] => count(
                "SELECT count(*) FROM execution_log WHERE state_revision = ?1 AND status = 'ok'",
                &[revision],
            )
            .min(1),
            ["seal"] => count("SELECT count(*) FROM frames WHERE status = 'done'", &[]),
            _ => continue,
        };
        assert_eq!(found, 1, "{at}: {line}");
    }
    let root = text(&goes_on, "root_frame_id");
    whole(place, &sql, (&root, &digest::text(&digest::of(damaged.as_bytes()))), at);
}

/// Whether all bytes of all versions are right, nothing is left over, and no reference leads nowhere.
fn whole(place: &Place, sql: &Connection, (latest, damaged): (&str, &str), at: &str) {
    let one = |query: &str| sql.query_row(query, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(one("PRAGMA quick_check"), "ok", "{at}");
    assert!(!sql.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap(), "{at}");
    let running = "SELECT CAST(count(*) AS TEXT) FROM cells WHERE cell_id NOT IN (SELECT producing_cell_id FROM execution_log)";
    assert_eq!(one(running), "0", "{at}: no cell runs");
    let heads = "SELECT CAST(count(*) AS TEXT) FROM artifacts JOIN artifact_versions USING (artifact_id)
        WHERE ordinal > (SELECT ordinal FROM artifact_versions WHERE version_id = latest_version_id)";
    assert_eq!(one(heads), "0", "{at}: each head is the last version");
    assert_eq!(
        one(
            "SELECT root_frame_id FROM session_roots JOIN frames USING (root_frame_id) ORDER BY created_at DESC"
        ),
        latest
    );
    let mut versions = sql.prepare("SELECT DISTINCT checksum, size_bytes FROM artifact_versions").unwrap();
    let rows = versions.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?))).unwrap();
    for row in rows {
        let (checksum, size) = row.unwrap();
        let bytes =
            fs::read(place.blob(&checksum)).unwrap_or_else(|error| panic!("{at}: {checksum}: {error}"));
        assert_eq!(bytes.len(), size as usize, "{at}");
        let is_right = digest::text(&digest::of(&bytes)) == checksum;
        assert!(is_right || checksum == damaged, "{at}: {checksum}");
    }
    for shelf in fs::read_dir(place.root().join("content")).unwrap() {
        for file in fs::read_dir(shelf.unwrap().path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with('.'), "{at}: {name} is left over");
        }
    }
}

/// Runs the child to its end or to its n-th call of a kind. What it acknowledged, and whether it came to its end.
fn killed(place: &Place, work: &str, call: &str, number: u32) -> (Vec<String>, bool) {
    let (trace, kill) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={number}"));
    let (said, status) = strace(place, work, &["-e", &trace, "-e", &kill]).unwrap();
    // It ends by the signal that its child ended by.
    assert!(status.success() || status.signal() == Some(9), "{work} {call} {number}: {status}\n{said}");
    (acknowledged(&said), status.success())
}

fn strace(place: &Place, work: &str, how: &[&str]) -> std::io::Result<(String, ExitStatus)> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]).args(how).arg(std::env::current_exe()?);
    arguments(&mut command, place, work);
    let output = command.stdout(Stdio::piped()).output()?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status))
}

/// Whether there is `strace`, and programs may be looked into. It says what is not tested.
fn may_trace(place: &Place) -> bool {
    let may = strace(place, ONCE, &["-e", "trace=none"]).is_ok_and(|(_, status)| status.success());
    if !may {
        println!("not tested: there is no strace here, or it may not look into programs");
    }
    drop(fs::remove_dir_all(place.root()));
    may
}

/// Kills the work before each call of each kind; how often. `prepare` makes what the work finds, `before` is what was acknowledged of it.
fn before_every_call(place: &Place, work: &str, before: &[String], prepare: &dyn Fn()) -> u32 {
    let mut rounds = 0;
    for call in CALLS {
        for number in 1..2000 {
            drop(fs::remove_dir_all(place.root()));
            prepare();
            let (acknowledged, is_whole) = killed(place, work, call, number);
            let all = [before, &acknowledged].concat();
            check(place, &all, &format!("{work} {call} {number}"));
            if is_whole {
                break;
            }
            rounds += 1;
        }
    }
    rounds
}

#[test]
fn a_kill_before_any_system_call_loses_nothing_that_was_acknowledged() {
    let place = Place::in_memory("crash-calls");
    if may_trace(&place) {
        println!("{} kills", before_every_call(&place, ONCE, &[], &|| ()));
    }
}

#[test]
fn a_kill_while_a_killed_store_is_opened_again_loses_nothing_either() {
    let place = Place::in_memory("crash-again");
    if !may_trace(&place) {
        return;
    }
    // A store with a log, as a kill leaves it when all was done but the store was not closed.
    let kept = place.path().join("kept");
    let mut said = Vec::new();
    for number in 1..2000 {
        drop(fs::remove_dir_all(place.root()));
        let (acknowledged, is_whole) = killed(&place, ONCE, "fsync", number);
        if is_whole {
            break;
        }
        if place.root().join("sessions.db-wal").exists() {
            drop(fs::remove_dir_all(&kept));
            fs::rename(place.root(), &kept).unwrap();
            said = acknowledged;
        }
    }
    assert!(said.len() > 8, "{said:?}");
    let prepare = || rehearsal_world::files::copy_folder(&kept, &place.root()).unwrap();
    println!("{} kills", before_every_call(&place, AGAIN, &said, &prepare));
}

#[test]
fn a_kill_at_a_random_moment_loses_nothing_that_was_acknowledged() {
    let place = Place::in_memory("crash-random");
    drop(place.create());
    let mut dice = Dice::thrown();
    println!("REHEARSAL_TEST_SEED={}", dice.seed());
    let mut all = Vec::new();
    for round in 0..kills(60) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        arguments(&mut command, &place, ENDLESS);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        while !said.contains("did session") {
            assert!(output.read_line(&mut said).unwrap() > 0, "round {round}: it starts");
        }
        let (wait, started) = (dice.within(Duration::from_millis(20)), Instant::now());
        while started.elapsed() < wait {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut said).unwrap();
        let acknowledged = acknowledged(&said);
        // All bytes are looked at again at the end, and the last ones now.
        let mut store = Store::open(&place.root(), moments()).unwrap();
        store.open_session("benchmark").unwrap();
        for line in &acknowledged {
            if let Some((version, content)) =
                line.strip_prefix("version ").and_then(|rest| rest.split_once(' '))
            {
                assert_eq!(
                    store.read_artifact(version).unwrap().observed()["text"],
                    content,
                    "round {round}"
                );
            }
        }
        all.extend(acknowledged);
    }
    println!("{} acknowledged", all.len());
    check(&place, &all, "random");
}
