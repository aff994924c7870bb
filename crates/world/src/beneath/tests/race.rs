//! Somebody swaps a folder, and a file, for what leads out while files are written: nothing outside is made or changed.

use super::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

const TRIES: usize = 10_000;

/// Lets two names change places until told to stop.
fn exchange(over: &AtomicBool, one: &Path, other: &Path) {
    while !over.load(Ordering::Relaxed) {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }
}

/// Writes to a path again and again while one of its parts and another name change places.
fn race(name: &str, walk: Walk, by: By, path: &str, part: &str, plant: fn(&Stand)) {
    let stand = Stand::new(name, walk);
    plant(&stand);
    let root = stand.root(walk);
    let over = AtomicBool::new(false);
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| exchange(&over, &stand.at(part), &stand.at("swap")));
        for _ in 0..TRIES {
            match write(&root, path, b"evil", by) {
                Ok(_) => written += 1,
                Err(Hindrance { met: Met::Link | Met::Changed | Met::Unfit | Met::Missing, .. }) => {
                    refused += 1;
                }
                Err(why) => {
                    over.store(true, Ordering::Relaxed);
                    panic!("{walk:?} {why:?}");
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(written + refused, TRIES);
    println!("{name} {walk:?}: {written} written, {refused} refused");
    stand.assert_untouched(name);
}

#[test]
fn a_folder_that_changes_places_with_a_link_never_leads_out() {
    for walk in WALKS {
        race("race-folder", walk, By::Nameless, "sub/b", "sub", |stand| {
            symlink("../outside", stand.at("swap")).unwrap();
        });
        race("race-new", walk, By::Hidden, "sub/deep/c", "sub", |stand| {
            symlink("../outside", stand.at("swap")).unwrap();
        });
    }
}

#[test]
fn a_file_that_changes_places_with_a_link_never_leads_out() {
    for walk in WALKS {
        race("race-file", walk, By::Nameless, "a", "a", |stand| {
            symlink("../outside/secret", stand.at("swap")).unwrap();
        });
    }
}

#[test]
fn a_file_that_changes_places_with_a_hard_link_is_never_written_through() {
    for walk in WALKS {
        race("race-hard", walk, By::Nameless, "a", "a", |stand| {
            fs::hard_link(stand.0.join("outside/secret"), stand.at("swap")).unwrap();
        });
    }
}
