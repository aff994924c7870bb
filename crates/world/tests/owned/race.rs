//! Somebody swaps a file, and a folder, for links to outside while commits run: what is outside never changes.

use crate::stand::{Stand, take};
use rehearsal_world::owned::{Fate, Limits, Mode, Tree};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest time of each race: a slow disk makes fewer rounds of it.
const LONGEST: Duration = Duration::from_secs(10);

fn rounds() -> usize {
    std::env::var("REHEARSAL_SWAP_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(10_000)
}

/// Swaps, and swaps back, until told to stop.
fn swap(over: &AtomicBool, target: &Path, aside: &Path, link: &Path) {
    let spin = |micros| {
        let started = Instant::now();
        while started.elapsed() < Duration::from_micros(micros) {
            std::hint::spin_loop();
        }
    };
    let mut pause = 0;
    while !over.load(Ordering::Relaxed) {
        // Of ever other length, so that each step of a commit is met.
        pause = (pause + 737) % 5000;
        spin(pause);
        if fs::rename(target, aside).is_ok() {
            drop(symlink(link, target));
            spin(pause % 100);
            if fs::symlink_metadata(target).is_ok_and(|seen| seen.is_symlink()) {
                drop(fs::remove_file(target));
            }
            drop(fs::rename(aside, target));
        }
    }
}

fn race(name: &str, target: &str, link: &str) {
    let stand = Stand::in_memory(name);
    let (tree, outside) = (stand.at(""), stand.path().join("outside"));
    // It has the name of the file that is swapped.
    fs::write(outside.join("b"), "secret").unwrap();
    let records = stand.records();
    let over = AtomicBool::new(false);
    let (mut applied, mut refused, mut late) = (0, 0, 0);
    std::thread::scope(|scope| {
        scope
            .spawn(|| swap(&over, &tree.join(target), &stand.path().join("aside"), &stand.path().join(link)));
        let started = Instant::now();
        let mut round = 0;
        // Only what could be taken counts.
        while round < rounds() && started.elapsed() < LONGEST {
            let opened = Tree::open(&tree, Limits::default()).unwrap();
            let Ok(held) = take(&opened, &[("sub/b", Mode::Edit), ("a", Mode::Edit)]) else {
                std::thread::yield_now();
                continue;
            };
            round += 1;
            let new = round.to_string();
            match held.commit(&records, &[("sub/b", new.as_bytes()), ("a", new.as_bytes())]) {
                Ok(_) => applied += 1,
                Err(error) => {
                    refused += 1;
                    late += usize::from(error.paths.iter().any(|path| path.fate == Fate::Dirty));
                    assert!(error.paths.iter().all(|path| path.fate != Fate::Applied), "{error}");
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    for file in ["b", "secret"] {
        assert_eq!(fs::read_to_string(outside.join(file)).unwrap(), "secret");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2, "nothing was ever made there");
    println!("{name}: {applied} applied, {refused} refused, {late} of them left a link to those who made it");
}

#[test]
fn a_file_swapped_for_a_link_never_leads_out() {
    race("swap-file", "sub/b", "outside/b");
}

#[test]
fn a_folder_swapped_for_a_link_never_leads_out() {
    race("swap-folder", "sub", "outside");
}
