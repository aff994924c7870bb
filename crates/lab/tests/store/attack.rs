//! Edges that lead nowhere or in a circle, lies about digests and sizes, names that lead elsewhere, links in the place of files.

use crate::stand::{Place, ask, code, derived, edge, failure, moments, save, text, version};
use proptest::prelude::*;
use rehearsal_lab::store::{Ask, CONTENT_LIMIT, Save, Store};
use rehearsal_lab::{Code, Fact, Stop};
use std::fs;
use std::io::{self, Read};

fn given(store: &mut Store, content: &mut dyn Read, sha256: Option<&str>) -> Result<Fact, Stop> {
    store.save_artifact(Save {
        filename: "a",
        content_type: "text/plain",
        content,
        sha256,
        sources: &[],
        artifact: None,
        frame: None,
        step: "save",
    })
}

#[test]
fn rejects_edges_to_versions_that_are_not_there() {
    let place = Place::in_memory("attack-unknown");
    let mut store = place.session();
    let there = version(&mut store, "a", "1");
    for nowhere in ["v-000000000000", "", "never_saved", "v-0' OR '1'='1", "a\0b"] {
        assert_eq!(code(edge(&mut store, &there, nowhere)), Code::Unknown);
        assert_eq!(code(edge(&mut store, nowhere, &there)), Code::Unknown);
        assert_eq!(code(save(&mut store, "b", "2", &[derived(nowhere)])), Code::Unknown);
        assert_eq!(code(store.read_artifact(nowhere)), Code::Unknown);
    }
    // What was refused left nothing behind.
    assert_eq!(store.artifacts().unwrap().len(), 1);
}

#[test]
fn rejects_edges_from_a_version_to_itself() {
    let place = Place::in_memory("attack-self");
    let mut store = place.session();
    let one = version(&mut store, "a", "1");
    assert_eq!(code(edge(&mut store, &one, &one)), Code::Cycle);
}

#[test]
fn rejects_circles_of_any_length() {
    let place = Place::in_memory("attack-circle");
    let mut store = place.session();
    let all: Vec<String> = (0..60).map(|n| version(&mut store, &format!("{n}"), "x")).collect();
    for pair in all.windows(2) {
        edge(&mut store, &pair[0], &pair[1]).unwrap();
        assert_eq!(code(edge(&mut store, &pair[1], &pair[0])), Code::Cycle);
    }
    for at in 1..60 {
        assert_eq!(code(edge(&mut store, &all[at], &all[0])), Code::Cycle, "{at}");
    }
    let chain = store.assert_lineage(&Ask { path: true, acyclic: true, ..ask(&all[0], &all[59]) }).unwrap();
    assert_eq!(chain.observed()["length"], 59);
    // Two ways to the same version are no circle.
    edge(&mut store, &all[0], &all[59]).unwrap();
    let short = store.assert_lineage(&Ask { path: true, ..ask(&all[0], &all[59]) }).unwrap();
    assert_eq!(short.observed()["length"], 1);
}

#[test]
fn rejects_an_edge_that_is_there_and_a_source_that_is_named_twice() {
    let place = Place::in_memory("attack-twice");
    let mut store = place.session();
    let raw = version(&mut store, "raw", "1");
    let out = text(&save(&mut store, "out", "2", &[derived(&raw)]).unwrap(), "version_id");
    assert_eq!(code(edge(&mut store, &raw, &out)), Code::Exists);
    assert_eq!(code(save(&mut store, "other", "3", &[derived(&raw), derived(&raw)])), Code::Exists);
    assert_eq!(store.artifacts().unwrap().len(), 2, "nothing of it was saved");
}

#[test]
fn a_digest_that_is_given_is_compared_and_never_believed() {
    let place = Place::in_memory("attack-digest");
    let mut store = place.session();
    let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(code(given(&mut store, &mut "abd".as_bytes(), Some(right))), Code::Digest);
    for no_digest in ["text", "", &right.to_uppercase(), &right[1..], &format!("{right}0")] {
        assert_eq!(code(given(&mut store, &mut "abc".as_bytes(), Some(no_digest))), Code::Invalid);
    }
    assert!(given(&mut store, &mut "abc".as_bytes(), Some(right)).is_ok());
}

#[test]
fn rejects_names_that_lead_elsewhere() {
    let place = Place::in_memory("attack-name");
    let mut store = place.session();
    let long = "x".repeat(1025);
    let names =
        ["", "/etc/passwd", "../up", "a/../../b", "..", "a\\b", "a\0b", "a\nb", "\u{1b}[2J", long.as_str()];
    for name in names {
        assert_eq!(code(save(&mut store, name, "1", &[])), Code::Invalid, "{name:?}");
    }
    for name in ["a", "notes/run.txt", "..a", "ä", "'; DROP TABLE artifacts; --"] {
        assert!(save(&mut store, name, "1", &[]).is_ok(), "{name:?}");
    }
    assert_eq!(store.artifacts().unwrap().len(), 5);
}

#[test]
fn rejects_projects_and_media_types_that_are_none() {
    let place = Place::in_memory("attack-project");
    let mut store = place.session();
    let long = "x".repeat(256);
    assert_eq!(code(store.open_session("")), Code::Invalid);
    assert_eq!(code(store.open_session(&long)), Code::Invalid);
    for content_type in ["", long.as_str()] {
        let saved = store.save_artifact(Save {
            filename: "a",
            content_type,
            content: &mut "x".as_bytes(),
            sha256: None,
            sources: &[],
            artifact: None,
            frame: None,
            step: "save",
        });
        assert_eq!(code(saved), Code::Invalid);
    }
}

#[test]
fn rejects_content_that_never_ends_and_takes_as_much_as_it_may() {
    let place = Place::in_memory("attack-endless");
    let mut store = place.session();
    assert_eq!(code(given(&mut store, &mut io::repeat(b'x'), None)), Code::Quota);
    let whole = given(&mut store, &mut io::repeat(b'x').take(CONTENT_LIMIT), None).unwrap();
    assert_eq!(whole.observed()["size"], CONTENT_LIMIT);
    let read = store.read_artifact(&text(&whole, "version_id")).unwrap();
    assert_eq!(read.observed().get("text"), None);
}

#[test]
fn content_that_cannot_be_read_is_the_worlds_failure() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the pipe broke"))
        }
    }
    let place = Place::in_memory("attack-broken");
    let mut store = place.session();
    assert_eq!(
        failure(given(&mut store, &mut Broken, None)),
        "the content of a cannot be read: the pipe broke"
    );
}

#[test]
fn a_missing_or_damaged_store_is_one_clear_error() {
    let place = Place::in_memory("attack-file");
    let open = || Store::open(&place.root(), moments());
    assert!(failure(open()).contains("cannot be opened"));
    let root = place.root();
    fs::create_dir_all(&root).unwrap();
    assert!(failure(open()).contains("there is no database at"));
    for content in [
        "this is no database at all, but it is long enough to have a header of a hundred bytes. ".repeat(20),
        String::new(),
    ] {
        fs::write(place.database(), content).unwrap();
        let said = failure(open());
        assert!(said.contains("damaged") || said.contains("another program"), "{said}");
    }
    fs::remove_file(place.database()).unwrap();
    fs::create_dir(place.database()).unwrap();
    assert!(failure(open()).contains("is not a regular file"));
    fs::remove_dir(place.database()).unwrap();
    // A log without its database would be taken for the new one's.
    fs::write(root.join("sessions.db-wal"), "x").unwrap();
    assert_eq!(code(Store::create(&root, moments())), Code::Exists);
}

#[cfg(unix)]
#[test]
fn follows_no_link_to_a_database() {
    use std::os::unix::fs::symlink;
    let (real, place) = (Place::in_memory("attack-link-real"), Place::in_memory("attack-link"));
    drop(real.session());
    let root = place.root();
    // The folder, the database, its log.
    symlink(real.root(), &root).unwrap();
    assert!(failure(Store::open(&root, moments())).contains("is not a regular file"));
    failure(Store::create(&root, moments()));
    fs::remove_file(&root).unwrap();
    fs::create_dir(&root).unwrap();
    symlink(real.database(), place.database()).unwrap();
    assert!(failure(Store::open(&root, moments())).contains("is not a regular file"));
    failure(Store::create(&root, moments()));
    fs::remove_file(place.database()).unwrap();
    drop(Store::create(&root, moments()).unwrap());
    symlink(place.path().join("elsewhere"), root.join("sessions.db-wal")).unwrap();
    assert!(failure(Store::open(&root, moments())).contains("is not a regular file"));
    assert!(!place.path().join("elsewhere").exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_byte_of_a_database_can_be_changed_so_that_opening_panics(
        at in 0_usize..100_000, byte in any::<u8>(), more in prop::collection::vec((0_usize..100_000, any::<u8>()), 0..20),
    ) {
        let place = Place::in_memory("attack-bytes");
        let mut store = place.session();
        let id = version(&mut store, "a", "1");
        drop(store);
        let mut bytes = fs::read(place.database()).unwrap();
        for (at, byte) in more.into_iter().chain([(at, byte)]) {
            let len = bytes.len();
            bytes[at % len] = byte;
        }
        fs::write(place.database(), bytes).unwrap();
        if let Ok(mut store) = Store::open(&place.root(), moments()) {
            drop(store.open_session("benchmark"));
            drop(store.read_artifact(&id));
            drop(save(&mut store, "a", "2", &[]));
        }
    }
}
