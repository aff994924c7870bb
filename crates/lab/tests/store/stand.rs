//! A store in an empty folder, and short ways to use it.

use rehearsal_lab::store::{Ask, Basis, Edge, EdgeKind, Moments, Save, Source, Store};
use rehearsal_lab::{Code, Fact, Refusal, Stop};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is gone at the end.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        Self(rehearsal_testkit::scratch(env!("CARGO_TARGET_TMPDIR"), &format!("store-{name}")))
    }

    /// In memory where the system has a folder for that: waiting for a disk is not what most tests are about.
    pub(crate) fn in_memory(name: &str) -> Self {
        let path = Path::new("/dev/shm").join(format!("rehearsal-store-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir(&path).map_or_else(|_| Self::new(name), |()| Self(path.clone()))
    }

    /// Where the store is.
    pub(crate) fn root(&self) -> PathBuf {
        self.0.join("case")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root().join("sessions.db")
    }

    /// Where the bytes of a digest lie.
    pub(crate) fn blob(&self, checksum: &str) -> PathBuf {
        self.root().join("content").join(&checksum[..2]).join(checksum)
    }

    pub(crate) fn create(&self) -> Store {
        Store::create(&self.root(), moments()).unwrap()
    }

    /// A new store with a session.
    pub(crate) fn session(&self) -> Store {
        let mut store = self.create();
        store.open_session("benchmark").unwrap();
        store
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.root(), moments()).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

pub(crate) fn moments() -> Moments {
    Moments::new(7, "artifact-lineage/derived")
}

/// A source that a manifest declares.
pub(crate) fn derived(version_id: &str) -> Source<'_> {
    Source { version_id, kind: EdgeKind::Derived, basis: Basis::Declared }
}

pub(crate) fn save(
    store: &mut Store,
    filename: &str,
    content: &str,
    sources: &[Source<'_>],
) -> Result<Fact, Stop> {
    store.save_artifact(Save {
        filename,
        content_type: "text/plain",
        content: &mut content.as_bytes(),
        sha256: None,
        sources,
        artifact: None,
        frame: None,
        step: "save",
    })
}

/// Saves without a source. Its version.
pub(crate) fn version(store: &mut Store, filename: &str, content: &str) -> String {
    text(&save(store, filename, content, &[]).unwrap(), "version_id")
}

pub(crate) fn edge(store: &mut Store, input: &str, output: &str) -> Result<Fact, Stop> {
    store.add_edge(&Edge { source: derived(input), output, step: "edge" })
}

pub(crate) fn ask<'a>(input: &'a str, output: &'a str) -> Ask<'a> {
    Ask { input, output, basis: None, kind: None, path: false, absent: false, acyclic: false }
}

pub(crate) fn text(fact: &Fact, field: &str) -> String {
    fact.observed()[field].as_str().unwrap().to_owned()
}

pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, Stop>) -> Refusal {
    match result.unwrap_err() {
        Stop::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, Stop>) -> Code {
    refusal(result).code
}

/// The one sentence with which the world failed.
pub(crate) fn failure<T: std::fmt::Debug>(result: Result<T, Stop>) -> String {
    match result.unwrap_err() {
        Stop::Failed(sentence) => sentence,
        other => panic!("{other:?}"),
    }
}
