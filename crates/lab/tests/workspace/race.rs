//! Somebody swaps what is written to, without a pause, for what leads out: in 10,000 tries nothing outside is made or changed, and
//! each try was written inside or refused.

use crate::stand::{Stand, names};
use rehearsal_lab::Stop;
use rehearsal_lab::workspace::{Policy, Quota, Workspace};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const TRIES: usize = 10_000;

/// What may be said of a try that met the other one at work.
const MET: [&str; 5] = ["E_SYMLINK", "E_RACE", "E_NOT_REGULAR", "E_HARDLINK", "E_NO_FILE"];

fn open(stand: &Stand) -> Workspace {
    let quota = Quota { files: u64::MAX, bytes: u64::MAX, ..Quota::default() };
    stand.open_with(Policy { quota, ..Policy::default() })
}

/// Does something while another thread works against it, and counts what it met.
fn against(
    name: &str,
    stand: &Stand,
    work: impl Fn() + Sync,
    mut attempt: impl FnMut(usize) -> Result<(), Stop>,
) {
    let over = AtomicBool::new(false);
    let mut met = BTreeMap::new();
    let mut other = None;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                work();
                std::thread::yield_now();
            }
        });
        for try_ in 0..TRIES {
            let word = match attempt(try_) {
                Ok(()) => "done",
                Err(Stop::Refused(refusal)) if MET.contains(&refusal.code.word()) => refusal.code.word(),
                Err(stop) => {
                    other = Some(stop);
                    break;
                }
            };
            *met.entry(word).or_insert(0) += 1;
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(other, None, "{name}");
    assert_eq!(met.values().sum::<usize>(), TRIES);
    println!("{name}: {met:?}");
    stand.assert_untouched(name);
}

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

#[test]
fn a_folder_that_changes_places_with_a_link_to_outside_never_leads_out() {
    let stand = Stand::new("race-folder");
    fs::create_dir(stand.at("sub")).unwrap();
    symlink("../outside", stand.at("swap")).unwrap();
    let mut space = open(&stand);
    let paths = ["sub/secret", "sub/made", "sub/deep/made"];
    against(
        "folder",
        &stand,
        || exchange(&stand.at("sub"), &stand.at("swap")),
        |at| space.write(paths[at % paths.len()], b"evil").map(drop),
    );
}

#[test]
fn a_folder_that_is_moved_out_and_a_link_put_in_its_place_never_leads_out() {
    let stand = Stand::new("race-moved");
    fs::create_dir(stand.at("sub")).unwrap();
    let mut space = open(&stand);
    let work = || {
        // A name is free for a moment, and whoever writes may make a folder there: then nothing is moved.
        if fs::rename(stand.at("sub"), stand.at("aside")).is_ok() {
            if symlink("../outside", stand.at("sub")).is_ok() {
                fs::remove_file(stand.at("sub")).unwrap();
            }
            if fs::rename(stand.at("aside"), stand.at("sub")).is_err() {
                drop(fs::remove_dir_all(stand.at("aside")));
            }
        }
    };
    against("moved", &stand, work, |_| space.write("sub/secret", b"evil").map(drop));
}

#[test]
fn a_file_that_changes_places_with_a_link_to_outside_never_leads_out() {
    let stand = Stand::new("race-file");
    fs::write(stand.at("a"), "old").unwrap();
    symlink("../outside/secret", stand.at("swap")).unwrap();
    let mut space = open(&stand);
    against(
        "file",
        &stand,
        || exchange(&stand.at("a"), &stand.at("swap")),
        |_| space.write("a", b"evil").map(drop),
    );
}

#[test]
fn a_file_that_changes_places_with_a_second_name_of_an_outside_file_is_never_written_through() {
    let stand = Stand::new("race-hard");
    fs::write(stand.at("a"), "old").unwrap();
    let mut space = open(&stand);
    let work = || {
        drop(fs::remove_file(stand.at("swap")));
        fs::hard_link(stand.outside().join("secret"), stand.at("swap")).unwrap();
        drop(fs::rename(stand.at("swap"), stand.at("a")));
    };
    against("hard", &stand, work, |at| match at % 8 {
        // The way out of it: the name is given up.
        0 => space.remove("a").map(drop),
        _ => space.write("a", b"evil").map(drop),
    });
}

#[test]
fn what_is_read_is_never_what_lies_outside() {
    let stand = Stand::new("race-read");
    fs::create_dir(stand.at("sub")).unwrap();
    fs::write(stand.at("sub/secret"), "inside").unwrap();
    symlink("../outside", stand.at("swap")).unwrap();
    let space = open(&stand);
    against(
        "read",
        &stand,
        || exchange(&stand.at("sub"), &stand.at("swap")),
        |_| {
            let fact = space.read("sub/secret")?;
            assert_eq!(fact.observed()["text"], "inside");
            Ok(())
        },
    );
    assert_eq!(names(&stand.at("")), ["sub", "swap"]);
}

#[test]
fn what_is_removed_never_lies_outside() {
    let stand = Stand::new("race-remove");
    fs::create_dir(stand.at("sub")).unwrap();
    symlink("../outside", stand.at("swap")).unwrap();
    let mut space = open(&stand);
    against(
        "remove",
        &stand,
        || exchange(&stand.at("sub"), &stand.at("swap")),
        |at| match at % 2 {
            0 => space.write("sub/secret", b"evil").map(drop),
            _ => space.remove("sub/secret").map(drop),
        },
    );
}
