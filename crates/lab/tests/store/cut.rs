//! A log that ends anywhere, or holds something else somewhere: the store is as it was after one of its operations.

use crate::stand::{Place, derived, moments, save, text, version};
use rehearsal_lab::store::Store;
use rehearsal_testkit::dice::Dice;
use std::fs;
use std::path::PathBuf;

/// Bytes of a log's head, of a frame's head, and of a page (SQLite's file format, 4.1 and 1.3.2).
const HEAD: usize = 32;
const FRAME: usize = 24 + 4096;

/// A store with a log, as it is on the disk while it is open.
struct Logged {
    place: Place,
    session: String,
    kept: PathBuf,
    log: Vec<u8>,
    /// Each version, with how long the log was when it was acknowledged.
    versions: Vec<(usize, String)>,
}

impl Logged {
    fn new(name: &str) -> Self {
        let place = Place::in_memory(name);
        let mut store = place.create();
        let session = text(&store.open_session("benchmark").unwrap(), "root_frame_id");
        let path = place.root().join("sessions.db-wal");
        let len = || usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
        let mut versions: Vec<(usize, String)> = vec![];
        for number in 0..12 {
            let sources: Vec<_> = versions.last().map(|(_, id)| derived(id)).into_iter().collect();
            let saved =
                save(&mut store, &format!("{}", number % 3), &format!("content {number}"), &sources).unwrap();
            versions.push((len(), text(&saved, "version_id")));
        }
        let kept = place.path().join("kept");
        rehearsal_world::files::copy_folder(&place.root(), &kept).unwrap();
        drop(store);
        let log = fs::read(kept.join("sessions.db-wal")).unwrap();
        Self { place, session, kept, log, versions }
    }

    /// Opens the store with another log.
    fn with(&self, log: &[u8]) -> Store {
        drop(fs::remove_dir_all(self.place.root()));
        rehearsal_world::files::copy_folder(&self.kept, &self.place.root()).unwrap();
        fs::write(self.place.root().join("sessions.db-wal"), log).unwrap();
        Store::open(&self.place.root(), moments()).unwrap()
    }

    /// How many of the versions are there and intact: the first ones, never with a gap.
    fn there(&self, store: &mut Store) -> usize {
        if store.resume_session(&self.session).is_err() {
            return 0;
        }
        let there: Vec<bool> = self.versions.iter().map(|(_, id)| store.read_artifact(id).is_ok()).collect();
        let count = there.iter().filter(|there| **there).count();
        assert!(there[..count].iter().all(|there| *there), "a gap: {there:?}");
        version(store, "after", "after");
        count
    }
}

#[test]
fn a_log_that_is_cut_at_any_frame_or_within_one_keeps_every_whole_operation() {
    let logged = Logged::new("cut-frames");
    let frames = (logged.log.len() - HEAD) / FRAME;
    assert!(frames > logged.versions.len(), "each operation has a frame or more");
    for frame in 0..=frames {
        for within in [0, 1, 24, 25, FRAME / 2, FRAME - 1] {
            let cut = (HEAD + frame * FRAME + within).min(logged.log.len());
            let mut store = logged.with(&logged.log[..cut]);
            let want = logged.versions.iter().filter(|(end, _)| *end <= cut).count();
            assert_eq!(logged.there(&mut store), want, "cut at {cut}");
        }
    }
    for cut in [0, 1, HEAD - 1] {
        assert_eq!(logged.there(&mut logged.with(&logged.log[..cut])), 0);
    }
}

#[test]
fn a_log_with_a_wrong_byte_keeps_the_operations_before_it() {
    let logged = Logged::new("cut-bytes");
    let mut dice = Dice::thrown();
    println!("REHEARSAL_TEST_SEED={}", dice.seed());
    for _ in 0..100 {
        let at = usize::try_from(dice.below(logged.log.len() as u64)).unwrap();
        let mut log = logged.log.clone();
        log[at] ^= 1 << dice.below(8);
        let mut store = logged.with(&log);
        let there = logged.there(&mut store);
        let before = logged.versions.iter().filter(|(end, _)| *end <= at).count();
        // Some bytes of a log's head mean nothing to a reader.
        assert!(
            there == before || (at < HEAD && there == logged.versions.len()),
            "{at}: {there}, {before} before"
        );
    }
}
