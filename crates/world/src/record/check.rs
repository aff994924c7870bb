//! Reads journals back: a file, or a folder with all that lies below it.

use super::name::{self, Name};
use crate::files;
use rehearsal_journal::event::Event;
use rehearsal_journal::verify::{Fault, Verified, Verifier};
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How deep below a folder journals are looked for.
const DEPTH: usize = 6;

/// Where a run keeps its journals, and where, beside them, what its agents left.
const JOURNALS: &str = "journals";
const CASES: &str = "cases";

/// Where a bridge keeps its journal, and where, beside it, what everybody may see.
const PRIVATE: &str = "private";
const PUBLIC: &str = "public";

/// A journal that was read and found whole.
#[derive(Clone, Debug)]
pub struct Journal {
    /// The file of its first segment that is there.
    pub path: PathBuf,
    /// What the check found.
    pub verified: Verified,
    /// Its events, in order; where only the check was asked for, the verdicts in it and nothing else.
    pub events: Vec<Event>,
    /// When each of them was, microseconds since the opening.
    pub times: Vec<u64>,
}

/// Why journals cannot be accepted.
#[derive(Debug, Error)]
pub enum CheckError {
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No journal is there.
    #[error("{0} holds no journal (a file that ends in .jsonl)")]
    None(PathBuf),
    /// A journal is not what it was.
    #[error("{path}: {source}")]
    Fault {
        /// The segment's lines file.
        path: PathBuf,
        /// Its first fault.
        source: Fault,
    },
}

/// Checks the journal in a file (that segment alone), or all journals in and below a folder, bodies included. Of the events only
/// verdicts are kept.
///
/// # Errors
/// The first fault, or what cannot be read.
pub fn verify_journals(path: &Path) -> Result<Vec<Journal>, CheckError> {
    read(path, false)
}

/// The same, and gives the events.
///
/// # Errors
/// The first fault, or what cannot be read.
pub fn read_journals(path: &Path) -> Result<Vec<Journal>, CheckError> {
    read(path, true)
}

/// One journal of a folder by its name, with all its segments, checked, and its events.
///
/// # Errors
/// The first fault, or what cannot be read.
pub fn read_journal(folder: &Path, name: &Name) -> Result<Journal, CheckError> {
    journal(&segments(folder, name)?, |_, _| true)
}

/// The same; `taken` sees each event and, of a request that has one, its body.
///
/// # Errors
/// The first fault, or what cannot be read.
pub fn read_journal_with(
    folder: &Path,
    name: &Name,
    mut taken: impl FnMut(&Event, Option<&[u8]>),
) -> Result<Journal, CheckError> {
    journal(&segments(folder, name)?, |event, body| {
        taken(event, body);
        true
    })
}

/// The segments of a journal that are there.
fn segments(folder: &Path, name: &Name) -> Result<BTreeMap<u32, Files>, CheckError> {
    let files = |segment| {
        let (lines, bodies) = name.files(segment);
        Files { lines: folder.join(lines), bodies: folder.join(bodies) }
    };
    let there = |segment: &u32| std::fs::symlink_metadata(&files(*segment).lines).is_ok();
    let segments: BTreeMap<_, _> =
        (1..=u32::MAX).take_while(there).map(|segment| (segment, files(segment))).collect();
    if segments.is_empty() {
        return Err(CheckError::None(folder.to_owned()));
    }
    Ok(segments)
}

/// A segment's lines and bodies.
struct Files {
    lines: PathBuf,
    bodies: PathBuf,
}

fn read(path: &Path, keep: bool) -> Result<Vec<Journal>, CheckError> {
    let mut found = BTreeMap::new();
    let failed = |source| CheckError::Read { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(failed)?.is_dir() {
        find(path, DEPTH, &mut found)?;
    } else {
        let name = path.file_name().and_then(|name| name.to_str());
        let parsed = name.and_then(name::parse).ok_or_else(|| CheckError::None(path.to_owned()))?;
        let files = Files { lines: path.to_owned(), bodies: path.with_file_name(parsed.bodies) };
        found.insert((PathBuf::new(), parsed.journal), BTreeMap::from([(parsed.segment, files)]));
    }
    if found.is_empty() {
        return Err(CheckError::None(path.to_owned()));
    }
    let kept = |event: &Event| keep || matches!(event, Event::Judged(_));
    found.values().map(|segments| journal(segments, |event, _| kept(event))).collect()
}

type Found = BTreeMap<(PathBuf, String), BTreeMap<u32, Files>>;

fn find(folder: &Path, depth: usize, found: &mut Found) -> Result<(), CheckError> {
    let failed = |source| CheckError::Read { path: folder.to_owned(), source };
    // What agents leave in their workspaces may look like journals, but is none.
    let is_run = folder.join(JOURNALS).is_dir();
    // What a bridge shows to everybody is made from its journal and is none.
    let is_bridge = folder.join(PRIVATE).is_dir();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let is_none = (is_run && entry.file_name() == CASES) || (is_bridge && entry.file_name() == PUBLIC);
        if kind.is_dir() && depth > 0 && !is_none {
            find(&entry.path(), depth - 1, found)?;
        }
        let parsed = entry.file_name().to_str().and_then(name::parse);
        if let Some(parsed) = parsed.filter(|_| kind.is_file()) {
            let files = Files { lines: entry.path(), bodies: folder.join(parsed.bodies) };
            found.entry((folder.to_owned(), parsed.journal)).or_default().insert(parsed.segment, files);
        }
    }
    Ok(())
}

/// Checks a journal; `kept` sees each event with the body of a request and says whether the event is kept.
fn journal(
    segments: &BTreeMap<u32, Files>,
    mut kept: impl FnMut(&Event, Option<&[u8]>) -> bool,
) -> Result<Journal, CheckError> {
    let mut verifier = Verifier::new();
    let (mut events, mut times) = (Vec::new(), Vec::new());
    let mut paths = segments.values().map(|files| &files.lines);
    let first = paths.next().cloned().unwrap_or_default();
    for files in segments.values() {
        let open = |path: &Path| {
            files::open_regular(path).map_err(|source| CheckError::Read { path: path.to_owned(), source })
        };
        let lines = BufReader::new(open(&files.lines)?);
        let bodies = BufReader::new(open(&files.bodies)?);
        verifier
            .segment_and_bodies(lines, Some(bodies), |t_us, event, body| {
                if kept(&event, body) {
                    events.push(event);
                    times.push(t_us);
                }
            })
            .map_err(|source| CheckError::Fault { path: files.lines.clone(), source })?;
    }
    let last = paths.next_back().unwrap_or(&first);
    let verified = verifier.finish().map_err(|source| CheckError::Fault { path: last.clone(), source })?;
    Ok(Journal { path: first, verified, events, times })
}
