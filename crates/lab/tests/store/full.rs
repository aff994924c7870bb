//! Disks that are full or cannot be written to: one clear sentence, and all that was acknowledged is there afterwards.

use crate::stand::{Place, failure, moments, save, text, version};
use rehearsal_lab::Stop;
use rehearsal_lab::store::{FrameStatus, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the child whose files may not grow works.
const PLACE: &str = "REHEARSAL_STORE_LIMITED";

/// A small disk in memory, gone at the end; none where this user may not have one.
struct Disk(PathBuf);

impl Disk {
    fn new(path: &Path) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mounted = Self::mount(path, "size=1m");
        if !mounted {
            println!("not tested: this user may mount nothing");
        }
        mounted.then(|| Self(path.to_owned()))
    }

    fn mount(path: &Path, options: &str) -> bool {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(path).output();
        mount.is_ok_and(|output| output.status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

const FULL: &str = "the disk is full: the session store cannot be written";

#[test]
fn a_full_disk_is_one_clear_sentence_and_the_store_stays_as_it_was() {
    let place = Place::new("full");
    let Some(disk) = Disk::new(&place.root()) else { return };
    let mut store = place.session();
    let session = text(&store.open_session("benchmark").unwrap(), "root_frame_id");
    // No room for bytes: nothing is saved.
    let mut kept = Vec::new();
    let said = loop {
        let content = format!("{}", kept.len()).repeat(20_000);
        match save(&mut store, "big", &content, &[]) {
            Ok(saved) => kept.push(text(&saved, "version_id")),
            Err(Stop::Failed(said)) => break said,
            Err(other) => panic!("{other:?}"),
        }
    };
    assert!(said.starts_with(FULL), "{said}");
    assert!(kept.len() > 3);
    // No room for rows either: the bytes are there already.
    let filler = place.root().join("filler");
    fs::write(&filler, vec![0; 2 << 20]).unwrap_err();
    let content = "0".repeat(20_000);
    let mut rows = 0;
    let said = loop {
        match save(&mut store, "big", &content, &[]) {
            Ok(saved) => kept.push(text(&saved, "version_id")),
            Err(Stop::Failed(said)) => break said,
            Err(other) => panic!("{other:?}"),
        }
        rows += 1;
        assert!(rows < 10_000);
    };
    assert!(said.starts_with(FULL), "{said}");
    // What is small may have room yet, but not for long.
    let said = (0..10_000).find_map(|_| store.open_session("benchmark").err()).unwrap();
    assert!(matches!(&said, Stop::Failed(said) if said.starts_with(FULL)), "{said:?}");
    if let Err(said) = store.seal_session(FrameStatus::Done) {
        assert!(matches!(&said, Stop::Failed(said) if said.starts_with(FULL)), "{said:?}");
    }
    // What is there is read, and after there is room again, it goes on.
    store.resume_session(&session).unwrap();
    for id in &kept {
        store.read_artifact(id).unwrap();
    }
    assert!(Disk::mount(&disk.0, "remount,size=8m"));
    kept.push(version(&mut store, "after", "after"));
    drop(store);
    let mut store = place.open();
    store.resume_session(&session).unwrap();
    for id in &kept {
        store.read_artifact(id).unwrap();
    }
}

#[test]
fn a_store_that_cannot_be_closed_on_a_full_disk_is_opened_again() {
    let place = Place::new("full-closed");
    let Some(_disk) = Disk::new(&place.root()) else { return };
    let mut store = place.session();
    let session = text(&store.open_session("benchmark").unwrap(), "root_frame_id");
    let id = version(&mut store, "a", "1");
    let filler = place.root().join("filler");
    fs::write(&filler, vec![0; 2 << 20]).unwrap_err();
    drop(store);
    let full = Store::open(&place.root(), moments()).and_then(|mut store| {
        store.resume_session(&session)?;
        store.read_artifact(&id)
    });
    match full {
        Ok(_) => {}
        Err(Stop::Failed(said)) => assert!(said.starts_with(FULL), "{said}"),
        Err(other) => panic!("{other:?}"),
    }
    fs::remove_file(&filler).unwrap();
    let mut store = place.open();
    store.resume_session(&session).unwrap();
    store.read_artifact(&id).unwrap();
}

#[test]
fn a_new_store_on_a_full_disk_is_one_clear_sentence() {
    let place = Place::new("full-new");
    let Some(disk) = Disk::new(&place.path().join("disk")) else { return };
    fs::write(disk.0.join("filler"), vec![0; 2 << 20]).unwrap_err();
    let made = Store::create(&disk.0.join("case"), moments()).and_then(|mut store| store.open_session("x"));
    let said = failure(made);
    assert!(said.starts_with(FULL), "{said}");
    fs::remove_file(disk.0.join("filler")).unwrap();
    drop(Store::create(&disk.0.join("case"), moments()).unwrap());
}

#[test]
fn a_disk_that_is_only_read_is_one_clear_sentence() {
    let place = Place::new("readonly");
    let Some(disk) = Disk::new(&place.root()) else { return };
    let mut store = place.session();
    version(&mut store, "a", "1");
    drop(store);
    assert!(Disk::mount(&disk.0, "remount,ro"));
    let said = failure(Store::open(&place.root(), moments()).and_then(|mut store| store.open_session("x")));
    assert!(said.contains("may only be read"), "{said}");
    assert!(Disk::mount(&disk.0, "remount,rw"));
    place.open();
}

#[test]
fn a_folder_that_may_not_be_written_is_one_clear_sentence() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let place = Place::new("forbidden");
    // Nothing is forbidden to root.
    if fs::metadata(place.path()).unwrap().uid() == 0 {
        println!("not tested: nothing is forbidden to root");
        return;
    }
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let said = failure(Store::create(&place.root(), moments()));
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(said.contains("cannot be opened"), "{said}");
}

#[test]
#[ignore = "the child of the test below, whose files may not grow"]
fn saves_until_a_file_is_too_long() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let root = Path::new(&place).join("case");
    let mut store = Store::open(&root, moments()).unwrap();
    println!("\ndid session {}", text(&store.open_session("benchmark").unwrap(), "root_frame_id"));
    loop {
        match save(&mut store, "a", "the same bytes each time", &[]) {
            Ok(saved) => println!("\ndid version {}", text(&saved, "version_id")),
            Err(Stop::Failed(said)) => {
                println!("\ndid fail {said}");
                return;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// The kernel refuses what makes a file longer than so many blocks, and no signal is sent: any user can have that.
#[test]
fn a_log_that_may_not_grow_is_one_clear_sentence_and_the_store_stays_as_it_was() {
    let place = Place::in_memory("limited");
    drop(place.create());
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full::saves_until_a_file_is_too_long", "--ignored", "--nocapture"])
        .env(PLACE, place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("did ")).collect();
    let sentence =
        lines.iter().find_map(|line| line.strip_prefix("fail ")).unwrap_or_else(|| panic!("{said}"));
    assert!(sentence.starts_with("the session store cannot be read or written"), "{sentence}");
    let mut store = place.open();
    store.resume_session(lines[0].strip_prefix("session ").unwrap()).unwrap();
    let versions: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("version ")).collect();
    assert!(versions.len() > 5);
    for id in versions {
        store.read_artifact(id).unwrap();
    }
    version(&mut store, "after", "after");
}
