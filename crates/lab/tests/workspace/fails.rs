//! The world fails: that is no refusal, the old content stays, and nothing else is left behind.

use crate::stand::{Stand, failed, names, refused};
use rehearsal_lab::workspace::{Policy, Quota, Workspace};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Where the child finds its stand.
const STAND: &str = "REHEARSAL_WORKSPACE_FAILS";

/// Runs one of the tests below as a child of a shell that prepares its world.
fn child(stand: &Stand, with: &[&str], script: &str, test: &str) {
    let script = format!(r#"{script} && shift && exec "$@""#);
    let output = Command::new(with[0])
        .args(&with[1..])
        .args(["sh", "-c", &script, "sh"])
        .arg(stand.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(STAND, stand.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    stand.assert_untouched(test);
}

fn may_mount() -> bool {
    Command::new("unshare").args(["-Urm", "true"]).status().is_ok_and(|status| status.success())
}

/// Writes what fails, and looks that all is as it was.
fn fails(root: &Path, what: &[u8], with: &str) {
    let mut space = Workspace::open(root, Policy::default()).unwrap();
    for path in ["old", "new", "x/y/new"] {
        let why = failed(space.write(path, what));
        assert!(why.starts_with(&format!("cannot write `{path}`: ")) && why.contains(with), "{why}");
        assert!(!why.contains('\n') && !why.ends_with('.'), "{why}");
        assert_eq!(names(root), ["old"], "neither a file nor a folder is left");
        assert_eq!(fs::read_to_string(root.join("old")).unwrap(), "old");
    }
}

#[test]
fn a_file_that_grows_over_the_limit_of_the_system_leaves_all_as_it_was() {
    let stand = Stand::new("limit");
    fs::write(stand.at("old"), "old").unwrap();
    // Units of 512 or 1,024 bytes; the signal would end the child.
    child(&stand, &["env"], "trap '' XFSZ && ulimit -f 64", "fails::meets_the_limit");
}

#[test]
#[ignore = "the child of the test above, under its limit"]
fn meets_the_limit() {
    let Ok(stand) = std::env::var(STAND) else { return };
    fails(&Path::new(&stand).join("workspace"), &vec![b'x'; 1 << 20], "File too large");
}

#[test]
fn a_full_disk_leaves_all_as_it_was() {
    if !may_mount() {
        return;
    }
    let stand = Stand::new("full");
    child(
        &stand,
        &["unshare", "-Urm"],
        r#"mount -t tmpfs -o size=256k none "$1/workspace" && printf old > "$1/workspace/old""#,
        "fails::meets_a_full_disk",
    );
}

#[test]
#[ignore = "the child of the test above, with a small disk"]
fn meets_a_full_disk() {
    let Ok(stand) = std::env::var(STAND) else { return };
    fails(&Path::new(&stand).join("workspace"), &vec![b'x'; 1 << 20], "No space left");
}

#[test]
fn a_disk_that_is_only_read_leaves_all_as_it_was() {
    if !may_mount() {
        return;
    }
    let stand = Stand::new("only-read");
    child(
        &stand,
        &["unshare", "-Urm"],
        r#"mount -t tmpfs none "$1/workspace" && printf old > "$1/workspace/old" && mount -o remount,ro,bind "$1/workspace""#,
        "fails::meets_a_disk_that_is_only_read",
    );
}

#[test]
#[ignore = "the child of the test above, with a disk that is only read"]
fn meets_a_disk_that_is_only_read() {
    let Ok(stand) = std::env::var(STAND) else { return };
    fails(&Path::new(&stand).join("workspace"), b"new", "Read-only file system");
}

#[test]
fn a_process_without_a_free_descriptor_is_told_so() {
    let stand = Stand::new("descriptors");
    fs::write(stand.at("old"), "old").unwrap();
    child(&stand, &["env"], "ulimit -n 64", "fails::meets_no_free_descriptor");
}

#[test]
#[ignore = "the child of the test above, with few descriptors"]
fn meets_no_free_descriptor() {
    let Ok(stand) = std::env::var(STAND) else { return };
    let root = Path::new(&stand).join("workspace");
    let mut space = Workspace::open(&root, Policy::default()).unwrap();
    let mut taken: Vec<_> = std::iter::from_fn(|| fs::File::open("/dev/null").ok()).collect();
    // With each descriptor more, it fails a little later, until it does not.
    let mut tries = 0;
    while let Err(stop) = space.write("x/y/new", b"new") {
        assert!(failed::<()>(Err(stop)).contains("Too many open files"));
        assert!(!root.join("x").exists() && !root.join("new").exists(), "{tries}");
        taken.pop().unwrap();
        tries += 1;
    }
    drop(taken);
    assert_eq!(
        (names(&root), names(&root.join("x/y"))),
        (vec!["old".into(), "x".into()], vec!["new".into()])
    );
    assert!((2..20).contains(&tries), "{tries}");
    assert_eq!(fs::read(root.join("x/y/new")).unwrap(), b"new");
}

#[test]
fn a_workspace_that_cannot_be_made_is_no_refusal() {
    let why = failed(Workspace::open(Path::new("/proc/rehearsal/workspace"), Policy::default()));
    assert!(why.starts_with("cannot open the workspace `/proc/rehearsal/workspace`: "), "{why}");
    assert!(why.ends_with("(ENOENT)"), "{why}");
}

#[test]
fn a_workspace_below_a_file_is_refused() {
    let stand = Stand::new("below");
    let refusal = refused(Workspace::open(&stand.outside().join("secret/below"), Policy::default()));
    assert_eq!((refusal.code.word(), refusal.system), ("E_NOT_REGULAR", Some("ENOTDIR")));
    stand.assert_untouched("below");
}

/// What the killed child writes in one generation: long enough that one write of the system is not all of it.
fn content(generation: u64) -> String {
    format!("{generation}\n").repeat(20_000)
}

#[test]
fn a_writer_that_is_killed_leaves_an_old_file_or_a_new_one() {
    let stand = Stand::new("killed");
    fs::write(stand.at("a"), content(0)).unwrap();
    for round in 0..30 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "fails::writes_until_it_is_killed", "--ignored", "--nocapture"])
            .env(STAND, stand.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("ready")));
        for _ in 0..round * 2_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let found = fs::read_to_string(stand.at("a")).unwrap();
        let generation = found.lines().next().unwrap().parse().unwrap();
        assert!(found == content(generation), "neither the old one nor the new one");
        // Where it was killed between the last two steps, the new one lies there under a name that is ours.
        let left = names(&stand.at("")).into_iter().filter(|name| name != "a");
        assert!(left.inspect(|name| println!("left: {name}")).all(|name| name.starts_with(".rehearsal-")));
    }
    stand.assert_untouched("killed");
}

#[test]
#[ignore = "the child of the test above, which kills it"]
fn writes_until_it_is_killed() {
    let Ok(stand) = std::env::var(STAND) else { return };
    let quota = Quota { bytes: u64::MAX, ..Quota::default() };
    let policy = Policy { quota, ..Policy::default() };
    let mut space = Workspace::open(&Path::new(&stand).join("workspace"), policy).unwrap();
    println!("ready");
    for generation in 1.. {
        space.write("a", content(generation).as_bytes()).unwrap();
    }
}
