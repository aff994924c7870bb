//! Joins the runs of a suite's parts into one run, as if one machine had had all of them.

use rehearsal_journal::normal;
use rehearsal_journal::run::{CaseResult, CodeText, RunFile, Verdict};
use rehearsal_world::files;
use rehearsal_world::record::{Name, copy_journal, file_stem};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// A run of one part.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its run folder, as it was named.
    pub folder: PathBuf,
    /// What stands in its `run.json`.
    pub file: RunFile,
}

/// Why runs are not joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// Nothing to join.
    #[error("there is no run to merge")]
    Nothing,
    /// A run that had the whole suite.
    #[error("{0} is no part of a suite: it ran without --shard")]
    Whole(PathBuf),
    /// Runs of different things.
    #[error("{one} and {other} are no parts of one run: {what}")]
    Differ {
        /// The first folder.
        one: PathBuf,
        /// The folder that differs from it.
        other: PathBuf,
        /// In what.
        what: String,
    },
    /// Parts that nobody ran.
    #[error("{}; give all of them, or --partial to go without", missing(.0, *.1))]
    Missing(Vec<u32>, u32),
    /// Something is in the way.
    #[error("{0} is there already; merge into a new folder")]
    Taken(PathBuf),
    /// A folder or file.
    #[error("cannot write {path}: {source}")]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Parts that nobody ran, in words.
#[must_use]
pub fn missing(parts: &[u32], n: u32) -> String {
    let names: Vec<_> = parts.iter().map(|k| format!("{k}/{n}")).collect();
    match names.as_slice() {
        [one] => format!("shard {one} is missing"),
        several => format!("shards {} are missing", several.join(", ")),
    }
}

/// What a part must share with the first one: the difference in words, if there is one.
fn difference(one: &RunFile, other: &RunFile) -> Option<String> {
    let text = |what: &str, one: &str, other: &str| {
        (one != other).then(|| format!("{what} is {one} in one and {other} in the other"))
    };
    let number = |what: &str, one: u64, other: u64| text(what, &one.to_string(), &other.to_string());
    let agent = |file: &RunFile| match file.agent.as_slice() {
        [] => "the built-in one".to_owned(),
        words => words.join(" "),
    };
    suite_difference(one, other)
        .or_else(|| number("the seed", one.seed, other.seed))
        .or_else(|| text("the profile", &one.profile, &other.profile))
        .or_else(|| text("the agent", &agent(one), &agent(other)))
        .or_else(|| text("the program", &one.program, &other.program))
        .or_else(|| number("--repeat", u64::from(one.repeat), u64::from(other.repeat)))
        .or_else(|| number("the number of shards", u64::from(parts_of(one)), u64::from(parts_of(other))))
}

fn suite_difference(one: &RunFile, other: &RunFile) -> Option<String> {
    if one.suite == other.suite {
        return None;
    }
    let changed = one.suite.iter().zip(&other.suite).find(|(one, other)| one != other);
    Some(match changed {
        Some(((file, _), (same, _))) if file == same => format!("{file} has another content"),
        Some(((file, _), (instead, _))) => format!("their suites hold {file} and {instead}"),
        None => format!("their suites have {} files and {}", one.suite.len(), other.suite.len()),
    })
}

fn parts_of(file: &RunFile) -> u32 {
    file.shard.map_or(0, |(_, n)| n)
}

/// What is missing from these parts, if anything is.
#[must_use]
pub fn incomplete(parts: &[Part]) -> Option<MergeError> {
    let (gone, n) = gone(parts);
    (!gone.is_empty()).then_some(MergeError::Missing(gone, n))
}

/// The numbers of the parts that nobody ran, and how many parts there are.
fn gone(parts: &[Part]) -> (Vec<u32>, u32) {
    let n = parts.first().map_or(0, |part| parts_of(&part.file));
    let there: BTreeSet<_> = parts.iter().filter_map(|part| part.file.shard).collect();
    ((1..=n).filter(|k| !there.contains(&(*k, n))).collect(), n)
}

/// The joined run file, named `run`. Missing parts are an error unless `partial`.
///
/// # Errors
/// Why these runs are not joined.
pub fn merge(run: &str, parts: &[Part], partial: bool) -> Result<RunFile, MergeError> {
    let Some((first, others)) = parts.split_first() else { return Err(MergeError::Nothing) };
    if let Some(whole) = parts.iter().find(|part| part.file.shard.is_none()) {
        return Err(MergeError::Whole(whole.folder.clone()));
    }
    let differ = |one: &Part, other: &Part, what| MergeError::Differ {
        one: one.folder.clone(),
        other: other.folder.clone(),
        what,
    };
    for other in others {
        if let Some(what) = difference(&first.file, &other.file) {
            return Err(differ(first, other, what));
        }
    }
    let mut had: BTreeMap<(u32, u32), &Part> = BTreeMap::new();
    let mut ran: BTreeMap<String, &Part> = BTreeMap::new();
    for part in parts {
        for case in &part.file.cases {
            if let Some(one) = ran.insert(case.label(), part) {
                let name = case.label();
                return Err(differ(one, part, format!("both hold the case {name}")));
            }
        }
        if let Some((shard, one)) = part.file.shard.and_then(|shard| Some((shard, had.insert(shard, part)?)))
        {
            return Err(differ(one, part, format!("both are shard {}/{}", shard.0, shard.1)));
        }
    }
    if let (Some(error), false) = (incomplete(parts), partial) {
        return Err(error);
    }
    let sorted: Vec<&Part> = had.into_values().collect();
    Ok(RunFile { missing_shards: gone(parts).0, ..joined(run, &sorted) })
}

/// Joins parts, given in their order, that fit together.
fn joined(run: &str, parts: &[&Part]) -> RunFile {
    let first = &parts[0].file;
    let mut cases: Vec<CaseResult> = parts.iter().flat_map(|part| part.file.cases.iter().cloned()).collect();
    // The order of the suite is that of its files, and in a file that of the places; cases of workflows come behind all phrasings.
    let files: BTreeMap<&str, usize> =
        first.suite.iter().enumerate().rev().map(|(at, (file, _))| (file.as_str(), at)).collect();
    cases.sort_by_cached_key(|case| {
        let place = (files.get(case.place.file.as_str()).copied(), case.place.line, case.place.column);
        (case.workflow.is_some(), place, case.phrasing.clone(), case.round)
    });
    let codes: BTreeMap<&str, &CodeText> =
        parts.iter().flat_map(|part| part.file.codes.iter().map(|text| (text.code.as_str(), text))).collect();
    let servers = parts.iter().flat_map(|part| part.file.servers.iter().map(move |head| (part, head)));
    let normalised: Vec<_> = cases.iter().map(|case| case.normalised.clone()).collect();
    RunFile {
        run: run.to_owned(),
        started_unix_ms: parts.iter().map(|part| part.file.started_unix_ms).min().unwrap_or(0),
        took_ms: parts.iter().map(|part| part.file.took_ms).max().unwrap_or(0),
        codes: codes.into_values().cloned().collect(),
        shard: None,
        ended_early: parts.iter().any(|part| part.file.ended_early),
        servers: servers
            .map(|(part, head)| {
                let mut head = head.clone();
                head.journal = server_name(&part.file).journal();
                head
            })
            .collect(),
        normalised: normal::digest(&normalised),
        cases,
        ..first.clone()
    }
}

/// How the journal that belongs to no case of a part is named in the joined folder.
fn server_name(part: &RunFile) -> Name {
    Name::Part(part.shard.map_or(0, |(k, _)| k))
}

/// Writes the joined run folder: journals and cases of all parts, and `run.json`. It appears whole or not at all.
///
/// # Errors
/// When the folder is there already, or something cannot be copied.
pub fn write(out: &Path, parts: &[Part], file: &RunFile) -> Result<(), MergeError> {
    if files::is_there(out) {
        return Err(MergeError::Taken(out.to_owned()));
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| MergeError::Folder { path, source }
    };
    let half = files::create_beside(out).map_err(failed(out))?;
    let written =
        fill(&half, parts, file).and_then(|()| files::put_in_place(&half, out).map_err(failed(out)));
    if written.is_err() {
        // What cannot be removed either is left for a person, under a name that shows what it is.
        let _left = files::remove_folder(&half);
    }
    written
}

fn fill(half: &Path, parts: &[Part], file: &RunFile) -> Result<(), MergeError> {
    for part in parts {
        let failed = |source| MergeError::Folder { path: part.folder.clone(), source };
        let (from, to) = (part.folder.join("journals"), half.join("journals"));
        copy_journal(&from, &Name::Journal, &to, &server_name(&part.file)).map_err(failed)?;
        for case in &part.file.cases {
            let round = case.label();
            let name = Name::Case(round.clone());
            let copied = copy_journal(&from, &name, &to, &name).map_err(failed)?;
            if !copied && case.verdict != Verdict::Broken && case.verdict.is_executed() {
                return Err(failed(io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("the journal of the case {round} is gone"),
                )));
            }
            for head in case.journals().skip(1) {
                let name = Name::Case(head.journal.clone());
                copy_journal(&from, &name, &to, &name).map_err(failed)?;
            }
            let below = Path::new("cases").join(file_stem(&round));
            files::copy_folder(&part.folder.join(&below), &half.join(&below)).map_err(failed)?;
        }
    }
    let path = half.join("run.json");
    files::write_report(&path, file.to_json().as_bytes())
        .map_err(|source| MergeError::Folder { path, source })
}
