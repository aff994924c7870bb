//! `rehearsal verify`: journals whole and unchanged; with `--same`, runs that saw the same.

use crate::failure::Failure;
use crate::terminal::{self, plural};
use clap::Args;
use rehearsal_bridge::cassette::CassetteError;
use rehearsal_bridge::cassette::check::{self, Checked};
use rehearsal_journal::event::{Event, Judged};
use rehearsal_journal::normal;
use rehearsal_journal::run::{JournalHead, RunFile};
use rehearsal_world::files;
use rehearsal_world::record::{CheckError, Journal, Name, read_journal, verify_journals};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Largest run file, bytes.
const RUN_FILE_LIMIT: u64 = 256 << 20;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Journal files, run folders, or folders of either.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Compare the normalised journals of finished runs: they must be equal.
    #[arg(long)]
    same: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.same {
        return same(&arguments.paths);
    }
    let mut good = true;
    for path in &arguments.paths {
        match check(path) {
            Ok(line) => terminal::say(&format!("{}: {line}", path.display())),
            Err(Failure::NotMet) => good = false,
            Err(other) => return Err(other),
        }
    }
    if good { Ok(()) } else { Err(Failure::NotMet) }
}

/// Checks what lies at a path; what is wrong is said on standard error.
pub(super) fn check(path: &Path) -> Result<String, Failure> {
    if !files::is_there(path) {
        return Err(Failure::Command(format!("there is no file or folder {}", path.display())));
    }
    let journals = match verify_journals(path) {
        Ok(journals) => journals,
        Err(error @ CheckError::Fault { .. }) => return not_met(&error.to_string()),
        Err(CheckError::Read { path: gone, source })
            if source.kind() == ErrorKind::NotFound && gone != path && files::is_folder(path) =>
        {
            return not_met(&format!("{}: the file is gone", gone.display()));
        }
        Err(error) => return Err(Failure::Command(error.to_string())),
    };
    let mut heads = 0;
    // Sorted, for a run may have a hundred thousand cases.
    let ends: BTreeSet<&str> = journals.iter().map(|journal| &*journal.verified.head).collect();
    if let Some(run) = run_file(path)? {
        for head in run.cases.iter().flat_map(|case| case.journals()).chain(&run.servers) {
            if head.head.is_empty() {
                continue;
            }
            heads += 1;
            check_head(path, &ends, head)?;
        }
        check_verdicts(path, &journals, &run)?;
        if run.normalised != normalised(&run) {
            return not_met(&format!(
                "{}: run.json was changed: its normalised digests disagree",
                path.display()
            ));
        }
    }
    let recorded = recorded(path, &journals)?;
    let (lines, requests) = journals.iter().fold((0, 0), |(lines, requests), journal| {
        (lines + journal.verified.lines, requests + journal.verified.requests)
    });
    let open = journals.iter().filter(|journal| !journal.verified.closed && !is_record(journal)).count();
    let cut = journals.iter().filter(|journal| journal.verified.cut.is_some()).count();
    let mut line = format!("{} journal{}, {lines} lines", journals.len(), plural(journals.len()));
    if !journals.iter().all(is_record) {
        line.push_str(&format!(", {requests} requests"));
    }
    line.push_str(", unchanged");
    if let Some(Checked { exchanges, logged }) = recorded {
        line.push_str(&format!("; the files of {exchanges} recorded exchange{}", plural(exchanges)));
        if logged > 0 {
            line.push_str(&format!("; {logged} more in the recorder's log"));
        }
    }
    if heads > 0 {
        line.push_str(&format!("; {heads} heads as in run.json"));
    }
    if open > 0 {
        line.push_str(&format!("; {open} not closed"));
    }
    if cut > 0 {
        line.push_str(&format!("; {cut} with a last line that was cut short"));
    }
    Ok(line)
}

/// Checks the files of all recorded exchanges against their journals; says what was checked, if anything was recorded.
fn recorded(path: &Path, journals: &[Journal]) -> Result<Option<Checked>, Failure> {
    let mut all: Option<Checked> = None;
    for journal in journals.iter().filter(|journal| files::is_folder(path) && is_record(journal)) {
        let Some(private) = journal.path.parent() else { continue };
        let whole =
            read_journal(private, &Name::Journal).map_err(|error| Failure::Command(error.to_string()))?;
        let facts = whole.events.iter().filter_map(|event| match event {
            Event::Bridge(fact) => Some(fact),
            _ => None,
        });
        match check::files_of(private, facts) {
            Ok(checked) => {
                let all = all.get_or_insert_default();
                all.exchanges += checked.exchanges;
                all.logged += checked.logged;
            }
            Err(error @ (CassetteError::Changed { .. } | CassetteError::Gone { .. })) => {
                return not_met(&error.to_string());
            }
            Err(error) => return Err(Failure::Command(error.to_string())),
        }
    }
    Ok(all)
}

/// Whether it is the journal of a record. Such a one is never closed, for the next start goes on with it, and its requests are the
/// exchanges.
fn is_record(journal: &Journal) -> bool {
    journal.path.parent().is_some_and(check::is_private)
}

fn not_met<T>(why: &str) -> Result<T, Failure> {
    terminal::complain(why);
    Err(Failure::NotMet)
}

/// The journal of a head is there and ends in it: no line was cut off at its end.
fn check_head(path: &Path, ends: &BTreeSet<&str>, head: &JournalHead) -> Result<(), Failure> {
    if ends.contains(&*head.head) {
        return Ok(());
    }
    not_met(&format!(
        "{}: no journal ends in the line that run.json names for {}",
        path.display(),
        head.journal
    ))
}

/// The verdicts in run.json are those that the run's journals took down, no more and no fewer.
fn check_verdicts(path: &Path, journals: &[Journal], run: &RunFile) -> Result<(), Failure> {
    let servers: BTreeSet<&str> = run.servers.iter().map(|server| &*server.head).collect();
    let of_run = |journal: &&Journal| servers.contains(&*journal.verified.head);
    let events = journals.iter().filter(of_run).flat_map(|journal| &journal.events);
    let judged: Vec<&Judged> = events
        .filter_map(|event| match event {
            Event::Judged(judged) => Some(judged),
            _ => None,
        })
        .collect();
    let round = |round: u32| if round > 1 { format!(", round {round}") } else { String::new() };
    let known: BTreeSet<_> = judged.iter().map(|line| (&line.case, line.round, &line.sha256)).collect();
    let mut cases = BTreeSet::new();
    for case in &run.cases {
        let line = case.judged();
        if !known.contains(&(&line.case, line.round, &line.sha256)) {
            return not_met(&format!(
                "{}: run.json says other than the journal about case {}{}",
                path.display(),
                line.case,
                round(line.round)
            ));
        }
        if !cases.insert((case.name(), case.round)) {
            return not_met(&format!("{}: run.json holds case {} twice", path.display(), case.name()));
        }
    }
    match judged.iter().find(|line| !cases.contains(&(line.case.clone(), line.round))) {
        None => Ok(()),
        Some(line) => not_met(&format!(
            "{}: run.json lacks case {}{}, which the journal judged",
            path.display(),
            line.case,
            round(line.round)
        )),
    }
}

/// The digest of the cases' own, as the run wrote it.
fn normalised(run: &RunFile) -> String {
    let cases: Vec<_> = run.cases.iter().map(|case| case.normalised.clone()).collect();
    normal::digest(&cases)
}

fn run_file(folder: &Path) -> Result<Option<RunFile>, Failure> {
    let path = folder.join("run.json");
    if !files::is_file(&path) {
        return Ok(None);
    }
    let text =
        files::read_text(&path, RUN_FILE_LIMIT).map_err(|error| Failure::Command(error.to_string()))?;
    RunFile::from_json(&text).map(Some).map_err(|why| Failure::Command(format!("{}: {why}", path.display())))
}

/// A finished run by its folder.
pub(super) fn finished(folder: &Path) -> Result<RunFile, Failure> {
    let shown = folder.display();
    let why = match run_file(folder)? {
        Some(run) => return Ok(run),
        None if files::is_file(folder) => format!("{shown} is a file; a finished run is a folder"),
        None if !files::is_folder(folder) => format!("there is no folder {shown}"),
        None => format!("{shown} holds no run.json, so it is no finished run"),
    };
    let hint = newest(folder).map(|run| format!("; the newest run below it is {}", run.display()));
    Err(Failure::Command(why + &hint.unwrap_or_default()))
}

/// The newest finished run in a folder for data or for a suite: names of runs sort by time.
fn newest(folder: &Path) -> Option<PathBuf> {
    let places = [folder.to_owned(), folder.join("runs"), folder.join(".rehearsal/runs")];
    let runs = places.iter().flat_map(|place| files::folders_in(place));
    runs.filter(|run| files::is_file(&run.join("run.json")))
        .max_by(|one, other| one.file_name().cmp(&other.file_name()))
}

/// What each round of each case saw.
fn rounds(run: &RunFile) -> BTreeMap<(String, u32), &str> {
    let cases = run.cases.iter();
    cases.map(|case| ((case.name(), case.round), case.normalised.as_str())).collect()
}

fn same(folders: &[PathBuf]) -> Result<(), Failure> {
    let runs = folders.iter().map(|folder| finished(folder)).collect::<Result<Vec<_>, _>>()?;
    let Some((first, others)) = runs.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err(Failure::Command("--same compares two run folders or more".to_owned()));
    };
    for folder in folders {
        check(folder)?;
    }
    let mut good = true;
    for other in others.iter().filter(|other| other.normalised != first.normalised) {
        good = false;
        let (ours, theirs) = (rounds(first), rounds(other));
        let mut differing: Vec<String> = first
            .cases
            .iter()
            .filter(|case| {
                let round = (case.name(), case.round);
                ours.get(&round) != theirs.get(&round)
            })
            .map(|case| case.name())
            .collect();
        // A case that differs in several rounds is named once.
        differing.dedup();
        let what = if differing.is_empty() {
            "other cases ran".to_owned()
        } else {
            format!("cases differ: {}", differing.join(", "))
        };
        terminal::complain(&format!("{} and {}: {what}", first.run, other.run));
    }
    if !good {
        return Err(Failure::NotMet);
    }
    terminal::say(&format!(
        "{} runs with equal normalised journals ({})",
        runs.len(),
        &first.normalised[..16.min(first.normalised.len())]
    ));
    Ok(())
}
