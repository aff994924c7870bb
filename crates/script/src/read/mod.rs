//! Texts of scenario files to [`Scenarios`], with every mistake of every file.

mod action;
mod agent;
mod cassette;
mod class;
mod command;
mod conversation;
mod expect;
mod fault;
mod named;
mod repeat;
pub(crate) mod runs;
mod step;
mod suite;

pub(crate) use action::is_header;

use crate::finding::{Finding, Severity};
use crate::lint::surprises;
use crate::scenario::Scenarios;
use rehearsal_wire::fault::Fault;
use rehearsal_wire::rule::Profile;

/// One file, not yet read.
#[derive(Clone, Copy, Debug)]
pub struct File<'t> {
    /// Its name, as findings call it. `.json` is JSON, `.yaml` and `.yml` are YAML.
    pub name: &'t str,
    /// Its bytes.
    pub bytes: &'t [u8],
}

/// Names that files may use but this crate does not know.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// Names of the rules.
    pub rules: &'k [&'k str],
    /// The faults.
    pub faults: &'k [Fault],
    /// Codes of the findings of a run.
    pub codes: &'k [&'k str],
    /// Says what is wrong with a regular expression.
    pub regex: fn(&str) -> Result<(), String>,
}

impl Known<'_> {
    /// Whether this is the name of a fault that nobody gets past.
    pub(crate) fn is_hostile(&self, name: &str) -> bool {
        self.faults.iter().any(|fault| fault.hostile && fault.name == name)
    }
}

/// Reads the files of a suite.
///
/// # Errors
/// Every mistake of every file, in the order of the files and lines.
pub fn read(files: &[File<'_>], known: &Known<'_>) -> Result<Scenarios, Vec<Finding>> {
    read_under(files, known, None)
}

/// The same, under a profile that a person chose in place of the files' own.
///
/// # Errors
/// As [`read`].
pub fn read_under(
    files: &[File<'_>],
    known: &Known<'_>,
    chosen: Option<Profile>,
) -> Result<Scenarios, Vec<Finding>> {
    let (scenarios, mut findings) = suite::load(files, known, chosen);
    findings.retain(|finding| finding.severity == Severity::Error);
    if findings.is_empty() { Ok(scenarios) } else { Err(findings) }
}

/// All that can be said about the files of a suite: the mistakes, and what is legal but likely to surprise.
#[must_use]
pub fn lint(files: &[File<'_>], known: &Known<'_>) -> Vec<Finding> {
    // Files of run scripts may lie among the others; each sort is read by itself.
    let (scripts, files): (Vec<File<'_>>, Vec<File<'_>>) = files.iter().partition(|file| runs::is_one(file));
    let mut findings = runs::lint(&scripts);
    if files.is_empty() && !scripts.is_empty() {
        return findings;
    }
    let (scenarios, of_suite) = suite::load(&files, known, None);
    findings.extend(of_suite);
    if findings.iter().all(|finding| finding.severity == Severity::Warning) {
        findings.extend(surprises(&scenarios, known));
        let order = |file: &str| files.iter().position(|known| known.name == file);
        findings.sort_by_key(|finding| (order(&finding.file), finding.line, finding.column));
        findings.dedup();
    }
    findings
}
