//! Texts of scenario files to [`Scenarios`], with every mistake of every file.

mod action;
mod agent;
mod cassette;
mod class;
mod command;
mod conversation;
mod daemon;
mod expect;
mod fault;
mod named;
mod repeat;
pub(crate) mod runs;
mod step;
mod suite;
pub(crate) mod workflow;

pub(crate) use action::is_header;

use crate::finding::{Finding, Findings, Severity, point};
use crate::lint::surprises;
use crate::node;
use crate::scenario::Scenarios;
use crate::wave;
use crate::workflow::{RefusalForm, StepForm};
use rehearsal_wire::fault::Fault;
use rehearsal_wire::rule::Profile;
use std::collections::BTreeMap;

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
    /// The steps of workflows. A step that was read says its row by its place here.
    pub steps: &'k [&'k StepForm],
    /// The codes with which steps refuse.
    pub refusals: &'k [RefusalForm],
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

/// All that can be said about files: the mistakes, and what is legal but likely to surprise. Files of another kind than a suite's are
/// known by their first keys.
#[must_use]
pub fn lint(files: &[File<'_>], known: &Known<'_>) -> Vec<Finding> {
    lint_and_read(files, known).0
}

/// The same, and what the files of a suite among them say, where they have no mistakes.
#[must_use]
pub fn lint_and_read(files: &[File<'_>], known: &Known<'_>) -> (Vec<Finding>, Option<Scenarios>) {
    let kinds: Vec<_> = files.iter().map(|file| (*file, other(file))).collect();
    let of = |kind: Option<usize>| -> Vec<File<'_>> {
        kinds.iter().filter(|(_, other)| *other == kind).map(|(file, _)| *file).collect()
    };
    let (scenarios, mut findings) = suite::load(&of(None), known, None);
    let good = findings.iter().all(|finding| finding.severity == Severity::Warning);
    let scenarios = good.then_some(scenarios);
    findings.extend(scenarios.iter().flat_map(|scenarios| surprises(scenarios, known)));
    for (at, (_, lint)) in OTHERS.iter().enumerate() {
        findings.extend(lint(&of(Some(at)), known));
    }
    let order: BTreeMap<&str, usize> =
        files.iter().enumerate().rev().map(|(at, file)| (file.name, at)).collect();
    findings.sort_by_key(|finding| (order.get(finding.file.as_str()), finding.line, finding.column));
    findings.dedup();
    point(&mut findings, files);
    (findings, scenarios)
}

/// What is said about all files of one kind, which may have to do with each other.
type Lint = fn(&[File<'_>], &Known<'_>) -> Vec<Finding>;

/// Files that are no part of a suite, by the key that only they have at the top.
const OTHERS: &[(&str, Lint)] =
    &[(wave::KEY, wave::lint), (runs::KEY, runs::lint), (workflow::KEY, workflow::lint)];

/// Whether a map with this key is the whole of a file.
fn has_key(file: &File<'_>, key: &str) -> bool {
    may_have(file, key)
        && node::read(file.bytes, &mut Findings::new(file.name)).is_some_and(|root| root.get(key).is_some())
}

/// Whether a key can stand in a file. Most files are told by their bytes alone: where neither the key's letters nor an escape stand
/// that could spell them, nothing need be read.
fn may_have(file: &File<'_>, key: &str) -> bool {
    let holds = |part: &[u8]| file.bytes.windows(part.len()).any(|bytes| bytes == part);
    [key.as_bytes(), b"\\u", b"\\U", b"\\x"].into_iter().any(holds)
}

/// The row of [`OTHERS`] that a file belongs to.
fn other(file: &File<'_>) -> Option<usize> {
    if !OTHERS.iter().any(|(key, _)| may_have(file, key)) {
        return None;
    }
    let root = node::read(file.bytes, &mut Findings::new(file.name))?;
    OTHERS.iter().position(|(key, _)| root.get(key).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_however_it_is_written_and_only_at_the_top() {
        for (name, text, has) in [
            ("a.yaml", "cases: []\n", true),
            ("a.yaml", "version: 1\n\"c\\x61ses\": []\n", true),
            ("a.json", "{\"c\\u0061ses\": []}", true),
            ("a.json", "{\"c\\u0062ses\": []}", false),
            ("a.yaml", "classes: {cases: {}}\n", false),
            ("a.yaml", "classes: {}\n", false),
            ("a.yaml", "- cases\n", false),
            ("a.yaml", "", false),
        ] {
            assert_eq!(has_key(&File { name, bytes: text.as_bytes() }, "cases"), has, "{text:?}");
        }
    }
}
