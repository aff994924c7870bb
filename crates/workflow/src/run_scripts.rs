//! The files of run scripts that the daemons of a suite name: read once, checked with the suite.

use rehearsal_journal::digest;
use rehearsal_script::File;
use rehearsal_script::daemon::{Daemon, Runs};
use rehearsal_script::finding::{Code, Finding, Severity};
use rehearsal_script::runs::{self, RunScripts};
use rehearsal_script::scenario::{Place, Scenarios};
use rehearsal_world::files;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

/// Largest file of run scripts, in bytes.
const LIMIT: u64 = 16 << 20;

/// The run scripts of a suite, by the paths that its files name.
#[derive(Debug, Default)]
pub struct RunFiles(BTreeMap<PathBuf, Read>);

/// A file that was read.
#[derive(Debug)]
struct Read {
    sha256: String,
    scripts: RunScripts,
}

impl RunFiles {
    /// Reads them all, each once. Of use only where no finding is an error.
    pub(crate) fn open(scenarios: &Scenarios) -> (Self, Vec<Finding>) {
        let (mut files, mut findings) = (Self::default(), Vec::new());
        for daemon in scenarios.phrasings.iter().filter_map(|phrasing| phrasing.daemon.as_ref()) {
            let Runs::File { path: named, place } = &daemon.runs else { continue };
            let path = beside(place, named);
            if let Entry::Vacant(free) = files.0.entry(path.clone()) {
                free.insert(read(place, named, &path, &mut findings));
            }
        }
        (files, findings)
    }

    /// Their names with the SHA-256 of their bytes.
    pub(crate) fn sums(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|(path, read)| (path.display().to_string(), read.sha256.clone()))
    }

    /// What the runs of a daemon do.
    pub(crate) fn of(&self, daemon: &Daemon) -> RunScripts {
        match &daemon.runs {
            Runs::Here(scripts) => RunScripts::clone(scripts),
            Runs::File { path, place } => {
                self.0.get(&beside(place, path)).map(|read| read.scripts.clone()).unwrap_or_default()
            }
        }
    }
}

/// Reads a file; what is wrong with it is said where it stands, and that it is no such file where it is named.
fn read(place: &Place, named: &str, path: &Path, findings: &mut Vec<Finding>) -> Read {
    let mut wrong = |message: String, hint: Option<String>| {
        let Place { file, line, column } = place.clone();
        let (severity, code) = (Severity::Error, Code::WrongValue);
        let pointer = String::new();
        findings.push(Finding { file, line, column, pointer, severity, code, message, hint });
    };
    let bytes = match files::read_bytes(path, LIMIT) {
        Ok(bytes) => bytes,
        Err(error) => {
            wrong(format!("`runs` of the daemon: {error}"), None);
            Vec::new()
        }
    };
    let name = path.display().to_string();
    let file = File { name: &name, bytes: &bytes };
    let sha256 = digest::text(&digest::of(&bytes));
    let scripts = match (bytes.is_empty(), runs::is_one(&file)) {
        (true, _) => Ok(RunScripts::default()),
        (false, true) => runs::read(&[file]),
        (false, false) => {
            let hint = "such a file has `runs` at the top".to_owned();
            wrong(format!("`runs` of the daemon names {named}, which is no file of run scripts"), Some(hint));
            Ok(RunScripts::default())
        }
    };
    let scripts = scripts.unwrap_or_else(|mistakes| {
        findings.extend(mistakes);
        RunScripts::default()
    });
    Read { sha256, scripts }
}

/// Where a file of run scripts lies: beside the file that names it.
fn beside(place: &Place, named: &str) -> PathBuf {
    Path::new(&place.file).parent().unwrap_or(Path::new("")).join(named)
}
