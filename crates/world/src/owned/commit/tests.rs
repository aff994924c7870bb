//! A commit is left at every step, as a kill leaves it, and somebody recovers.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the tests build the trees they look at")]

use super::super::trade::{aside, in_three_steps};
use super::super::{Ended, Entry, Limits, Mode, Tree};
use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const CHANGES: [(&str, &[u8]); 4] =
    [("a", b"new a"), ("sub/b", b""), ("new/deep/c", b"new c"), ("sub/d", b"new d")];

/// A tree of three files and a folder of records, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rehearsal-owned-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join("tree/sub")).unwrap();
        for (name, content) in [("a", "old a"), ("sub/b", "old b"), ("other", "other")] {
            fs::write(path.join("tree").join(name), content).unwrap();
        }
        Self(path)
    }

    fn at(&self, below: &str) -> PathBuf {
        self.0.join("tree").join(below)
    }

    fn tree(&self) -> Tree {
        Tree::open(&self.0.join("tree"), Limits::default()).unwrap()
    }

    fn records(&self) -> vault::Folder {
        own(&self.0.join("records"))
    }

    fn held(&self) -> Held {
        let entry = |(path, mode): (&str, Mode)| Entry { path: path.to_owned(), mode };
        let entries =
            [("a", Mode::Edit), ("sub/b", Mode::Edit), ("new/deep/c", Mode::Create), ("sub/d", Mode::Create)];
        self.tree().take(&entries.map(entry)).unwrap()
    }

    /// Runs a commit up to some point and leaves it there.
    fn leave(&self, until: impl FnOnce(&mut Commit<'_>)) {
        let (held, records) = (self.held(), self.records());
        let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
        until(&mut commit);
    }

    fn recover(&self) -> Recovered {
        let recovered = self.tree().recover(&self.records()).unwrap();
        let again = self.tree().recover(&self.records()).unwrap();
        assert_eq!(again.ended, Ended::Nothing, "the record is gone");
        recovered
    }

    fn contents(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        read(&self.at(""), "", &mut found);
        found
    }
}

use super::super::Recovered;

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Owns a folder of records. Between fork and exec of a process that another test starts, that process holds the lock, too.
fn own(path: &Path) -> vault::Folder {
    let mut tries = 0;
    loop {
        match vault::Folder::own(path) {
            Err(vault::VaultError::InUse(_)) if tries < 1_000_000 => std::thread::yield_now(),
            owned => return owned.unwrap(),
        }
        tries += 1;
    }
}

fn read(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.insert(format!("{path}/"), String::new());
            read(&entry.path(), &format!("{path}/"), found);
        } else {
            found.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

fn tree_of(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect()
}

fn before() -> BTreeMap<String, String> {
    tree_of(&[("a", "old a"), ("sub/", ""), ("sub/b", "old b"), ("other", "other")])
}

fn after() -> BTreeMap<String, String> {
    tree_of(&[
        ("a", "new a"),
        ("sub/", ""),
        ("sub/b", ""),
        ("other", "other"),
        ("new/", ""),
        ("new/deep/", ""),
        ("new/deep/c", "new c"),
        ("sub/d", "new d"),
    ])
}

#[test]
fn left_before_all_is_staged_it_is_undone() {
    let place = Place::new();
    place.leave(|_| ());
    assert_eq!((place.recover().ended, place.contents()), (Ended::Nothing, before()));
    place.leave(|commit| commit.list().unwrap());
    assert_eq!((place.recover().ended, place.contents()), (Ended::Undone, before()));
    for parts in 0..=CHANGES.len() {
        place.leave(|commit| {
            commit.list().unwrap();
            for path in commit.record.made.clone() {
                commit.make(&path).unwrap();
            }
            (0..parts).for_each(|at| commit.write(at).unwrap());
        });
        assert_eq!((place.recover().ended, place.contents()), (Ended::Undone, before()), "{parts}");
    }
    // One temporary file is half written.
    place.leave(|commit| {
        commit.list().unwrap();
        let line = &commit.parts[0].line;
        fs::write(place.at(&line.temporary), "ne").unwrap();
    });
    assert_eq!((place.recover().ended, place.contents()), (Ended::Undone, before()));
}

#[test]
fn left_after_that_it_is_finished() {
    for swaps in 0..=CHANGES.len() {
        let place = Place::new();
        place.leave(|commit| {
            commit.list().unwrap();
            commit.stage().unwrap();
            (0..swaps).for_each(|at| commit.swap(at).unwrap());
        });
        let recovered = place.recover();
        assert_eq!((recovered.ended, place.contents()), (Ended::Finished, after()), "{swaps}");
        assert!(recovered.paths.iter().all(|path| path.fate == Fate::Applied && path.kept.is_none()));
    }
}

#[test]
fn left_while_old_files_are_removed_it_is_finished() {
    for removed in [0, 1] {
        let place = Place::new();
        place.leave(|commit| {
            commit.list().unwrap();
            commit.stage().unwrap();
            (0..CHANGES.len()).for_each(|at| commit.swap(at).unwrap());
            commit.check().unwrap();
            let part = &commit.parts[removed];
            fs::remove_file(place.at(&beside(part.path, &part.line.temporary))).unwrap();
            // From here on others may change a file again.
            fs::write(place.at("sub/d"), "theirs").unwrap();
        });
        let recovered = place.recover();
        let fates: Vec<_> = recovered.paths.iter().map(|path| path.fate).collect();
        assert_eq!(recovered.ended, Ended::Finished);
        assert_eq!(fates, [Fate::Applied, Fate::Applied, Fate::Applied, Fate::Dirty]);
        let mut expected = after();
        expected.insert("sub/d".to_owned(), "theirs".to_owned());
        assert_eq!(place.contents(), expected);
    }
}

#[test]
fn left_while_it_is_undone_it_is_undone() {
    for (swaps, back) in [(1, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)] {
        let place = Place::new();
        place.leave(|commit| {
            commit.list().unwrap();
            commit.stage().unwrap();
            (0..swaps).for_each(|at| commit.swap(at).unwrap());
            commit.say(UNDO).unwrap();
            (0..CHANGES.len()).rev().take(back).for_each(|at| commit.put_back(at).unwrap());
        });
        let recovered = place.recover();
        assert_eq!((recovered.ended, place.contents()), (Ended::Undone, before()), "{swaps} {back}");
        assert!(recovered.paths.iter().all(|path| path.fate == Fate::RolledBack));
    }
}

#[test]
fn left_between_three_steps_it_is_finished() {
    for steps in 1..=3 {
        let place = Place::new();
        place.leave(|commit| {
            commit.list().unwrap();
            commit.stage().unwrap();
            let temporary = &commit.parts[0].line.temporary;
            let rename = |from: &str, to: &str| fs::rename(place.at(from), place.at(to)).unwrap();
            rename("a", &aside(temporary));
            if steps > 1 {
                rename(temporary, "a");
            }
            if steps > 2 {
                rename(&aside(temporary), temporary);
            }
        });
        assert_eq!((place.recover().ended, place.contents()), (Ended::Finished, after()), "{steps}");
    }
}

#[test]
fn three_steps_do_what_one_does() {
    let place = Place::new();
    let root = Folder::open(&place.at("")).unwrap();
    in_three_steps(&root, "other", "a").unwrap();
    let mut expected = before();
    expected.insert("a".to_owned(), "other".to_owned());
    expected.insert("other".to_owned(), "old a".to_owned());
    assert_eq!(place.contents(), expected);
    assert!(in_three_steps(&root, "missing", "a").is_err());
    assert_eq!(place.contents(), expected, "what fails is taken back");
}

#[test]
fn a_file_that_others_changed_meanwhile_turns_a_recovery_back() {
    let place = Place::new();
    place.leave(|commit| {
        commit.list().unwrap();
        commit.stage().unwrap();
        commit.swap(0).unwrap();
        fs::write(place.at("sub/b"), "theirs").unwrap();
    });
    let recovered = place.recover();
    assert_eq!(recovered.ended, Ended::Undone);
    let fates: Vec<_> = recovered.paths.iter().map(|path| path.fate).collect();
    assert_eq!(fates, [Fate::RolledBack, Fate::Dirty, Fate::RolledBack, Fate::RolledBack]);
    let mut expected = before();
    expected.insert("sub/b".to_owned(), "theirs".to_owned());
    assert_eq!(place.contents(), expected);
}

#[test]
fn what_others_wrote_over_a_new_file_stays_and_the_old_one_is_kept_beside_it() {
    wrote_over_a_new_file(true);
    wrote_over_a_new_file(false);
}

fn wrote_over_a_new_file(remove_first: bool) {
    let place = Place::new();
    let (held, records) = (place.held(), place.records());
    let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
    commit.list().unwrap();
    commit.stage().unwrap();
    commit.swap(0).unwrap();
    commit.swap(1).unwrap();
    if remove_first {
        fs::remove_file(place.at("a")).unwrap();
    }
    fs::write(place.at("a"), "theirs").unwrap();
    let error = commit.undo(Cause::Unrecovered);
    let fates: Vec<_> = error.paths.iter().map(|path| path.fate).collect();
    assert_eq!(fates, [Fate::Dirty, Fate::RolledBack, Fate::RolledBack, Fate::RolledBack]);
    assert_eq!(fs::read_to_string(place.at("a")).unwrap(), "theirs");
    let kept = error.paths[0].kept.as_deref().unwrap();
    assert_eq!(fs::read_to_string(place.at(kept)).unwrap(), "old a");
    assert!(error.to_string().contains("not as they were: a"), "{error}");
    assert!(!records.holds(RECORD));
}

#[test]
fn a_file_that_was_swapped_at_the_last_moment_goes_back_to_its_place() {
    for attack in 0..5 {
        let place = Place::new();
        let outside = place.0.join("outside");
        fs::write(&outside, "outside").unwrap();
        let (held, records) = (place.held(), place.records());
        let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
        commit.list().unwrap();
        commit.stage().unwrap();
        commit.swap(0).unwrap();
        let target = place.at("sub/b");
        match attack {
            0 => {
                fs::remove_file(&target).unwrap();
                symlink(&outside, &target).unwrap();
            }
            1 => fs::write(&target, "OLD B").unwrap(),
            2 => fs::remove_file(&target).unwrap(),
            3 => fs::hard_link(&target, place.0.join("link")).unwrap(),
            _ => {
                fs::rename(place.at("sub"), place.0.join("moved")).unwrap();
                symlink(place.0.join("moved"), place.at("sub")).unwrap();
            }
        }
        let cause = commit.swap(1).unwrap_err();
        let error = commit.undo(cause);
        assert!(error.is_stale(), "{attack}: {error}");
        assert_eq!(error.paths[0].fate, Fate::RolledBack, "{attack}");
        assert_eq!(fs::read_to_string(place.at("a")).unwrap(), "old a");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
        match attack {
            0 => assert_eq!(fs::read_link(&target).unwrap(), outside),
            1 => assert_eq!(fs::read_to_string(&target).unwrap(), "OLD B"),
            2 => assert!(fs::symlink_metadata(&target).is_err()),
            _ => assert_eq!(fs::read_to_string(&target).unwrap(), "old b"),
        }
        let (folder, left) = if attack == 4 { ("moved", 1) } else { ("tree", 3) };
        let names: Vec<_> =
            fs::read_dir(place.0.join(folder)).unwrap().map(|name| name.unwrap().file_name()).collect();
        assert_eq!(names.len(), left, "{attack}: {names:?}");
        assert!(!records.holds(RECORD));
    }
}

#[test]
fn a_folder_that_moved_at_the_end_takes_the_commit_back() {
    let place = Place::new();
    let (held, records) = (place.held(), place.records());
    let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
    commit.list().unwrap();
    commit.stage().unwrap();
    (0..CHANGES.len()).for_each(|at| commit.swap(at).unwrap());
    fs::rename(place.at("sub"), place.0.join("moved")).unwrap();
    fs::create_dir(place.at("sub")).unwrap();
    let cause = commit.check().unwrap_err();
    let error = commit.undo(cause);
    assert!(error.is_stale());
    assert_eq!(fs::read_to_string(place.0.join("moved/b")).unwrap(), "old b");
    assert_eq!(fs::read_dir(place.0.join("moved")).unwrap().count(), 1);
    assert_eq!(place.contents(), tree_of(&[("a", "old a"), ("sub/", ""), ("other", "other")]));
}

#[test]
fn what_somebody_put_in_the_place_of_a_temporary_file_is_no_new_file() {
    let place = Place::new();
    let (held, records) = (place.held(), place.records());
    let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
    commit.list().unwrap();
    commit.stage().unwrap();
    let temporary = place.at(&commit.parts[0].line.temporary);
    fs::remove_file(&temporary).unwrap();
    symlink(place.0.join("outside"), &temporary).unwrap();
    (0..CHANGES.len()).for_each(|at| commit.swap(at).unwrap());
    let cause = commit.check().unwrap_err();
    let error = commit.undo(cause);
    assert!(error.is_stale());
    assert_eq!((error.paths[0].fate, error.paths[1].fate), (Fate::Dirty, Fate::RolledBack));
    let kept = error.paths[0].kept.as_deref().unwrap();
    assert_eq!(fs::read_to_string(place.at(kept)).unwrap(), "old a");
    assert!(!place.0.join("outside").exists());
}

/// A small disk in memory, gone at the end.
struct Disk(PathBuf);

impl Disk {
    fn mount(&self, options: &str) -> bool {
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(&self.0);
        mount.output().is_ok_and(|output| output.status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(std::process::Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

#[test]
fn what_the_system_does_not_let_be_put_back_is_put_back_later() {
    let place = Place::new();
    let disk = Disk(place.at("sub"));
    let mount = |options| disk.mount(options);
    // Only root may.
    if !mount("size=64k") {
        return;
    }
    fs::write(place.at("sub/b"), "old b").unwrap();
    let (held, records) = (place.held(), place.records());
    let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
    commit.list().unwrap();
    commit.stage().unwrap();
    (0..3).for_each(|at| commit.swap(at).unwrap());
    // A disk that is written to no more, as the kernel makes it when it finds it broken. New files that are open for writing
    // would forbid that.
    commit
        .parts
        .iter_mut()
        .for_each(|part| part.staged.as_mut().unwrap()._open = fs::File::open("/dev/null").unwrap());
    assert!(mount("remount,ro"));
    let error = commit.undo(Cause::Unrecovered);
    let fates: Vec<_> = error.paths.iter().map(|path| path.fate).collect();
    let writable = mount("remount,rw");
    assert_eq!(fates, [Fate::RolledBack, Fate::Dirty, Fate::RolledBack, Fate::RolledBack]);
    assert!(writable && records.holds(RECORD));
    drop((held, records));
    let (ended, contents) = (place.recover().ended, place.contents());
    drop(disk);
    assert_eq!((ended, contents), (Ended::Undone, before()));
}

#[test]
fn a_new_file_is_as_private_as_the_old_one_was() {
    let place = Place::new();
    fs::set_permissions(place.at("a"), fs::Permissions::from_mode(0o4750)).unwrap();
    let held = place.held();
    let records = place.records();
    let mut commit = Commit::new(&held, &records, &CHANGES).unwrap();
    commit.list().unwrap();
    commit.stage().unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(place.at(&commit.parts[0].line.temporary)), 0o750, "without setuid");
    let created = mode(place.at(&beside("sub/d", &commit.parts[3].line.temporary)));
    fs::write(place.at("plain"), "").unwrap();
    assert_eq!(created, mode(place.at("plain")), "as the user's mask says");
    drop(commit.undo(Cause::Unrecovered));
}

#[test]
fn a_record_of_another_tree_is_refused() {
    let (place, other) = (Place::new(), Place::new());
    place.leave(|commit| {
        commit.list().unwrap();
        commit.stage().unwrap();
    });
    let error = other.tree().recover(&place.records()).unwrap_err();
    assert!(matches!(error.cause, Cause::Unreadable(_)), "{error}");
    assert_eq!(place.recover().ended, Ended::Finished);
}
