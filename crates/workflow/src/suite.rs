//! Loads the files of a suite, and says what setting of the stand-in they ask for.

use crate::cassette::Cassettes;
use crate::grade;
use crate::run_scripts::RunFiles;
use crate::step;
use crate::work::steps;
use regex_lite::Regex;
use rehearsal_journal::digest;
use rehearsal_script::finding::{Finding, Severity, point};
use rehearsal_script::pick::Picker;
use rehearsal_script::runs;
use rehearsal_script::scenario::Scenarios;
use rehearsal_script::spoil::spoil;
use rehearsal_script::workflow::{self, RefusalForm, StepForm, Workflow};
use rehearsal_script::{File, Known};
use rehearsal_standin::core::Setting;
use rehearsal_wire::fault::{FAULTS, Fault};
use rehearsal_wire::rule::{Profile, RULES, RuleSet, UnknownRule};
use rehearsal_world::files::{self, ReadError, WalkError};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest scenario file, bytes.
const FILE_LIMIT: u64 = 16 << 20;

/// A loaded suite.
#[derive(Debug)]
pub struct Suite {
    /// Its files as they were named, with the SHA-256 of their bytes.
    pub files: Vec<(String, String)>,
    /// What they say.
    pub scenarios: Scenarios,
    /// The recordings that they name, checked.
    pub cassettes: Cassettes,
    /// The run scripts that they name.
    pub run_files: RunFiles,
    /// The workflows among its files.
    pub workflows: Vec<Workflow>,
}

impl Suite {
    /// The names of the phrasings that `agent` steps of workflows play.
    #[must_use]
    pub fn played_by_steps(&self) -> BTreeSet<&str> {
        steps::of_agents(&self.workflows).map(|(_, named)| named).collect()
    }
}

/// Why a suite cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A path leads to no files.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The files have mistakes.
    #[error("the files have {} mistakes", .0.len())]
    Files(Vec<Finding>),
}

/// The files at and below some paths: names and bytes, in the order of the paths, and whether a path names the file itself.
///
/// # Errors
/// When a path leads nowhere or a file cannot be read.
fn read_files(paths: &[PathBuf]) -> Result<Vec<(String, Vec<u8>, bool)>, LoadError> {
    let mut found: Vec<(String, Vec<u8>, bool)> = Vec::new();
    let mut known = BTreeSet::new();
    for path in paths {
        for file in files::files_below(path)? {
            let name = file.display().to_string();
            if known.insert(name.clone()) {
                found.push((name, files::read_bytes(&file, FILE_LIMIT)?, file == *path));
            }
        }
    }
    Ok(found)
}

/// Loads a suite, where `chosen` is given under that profile in place of the files' own.
///
/// # Errors
/// When files cannot be read or have mistakes.
pub fn load(paths: &[PathBuf], chosen: Option<Profile>) -> Result<Suite, LoadError> {
    let mut files = read_files(paths)?;
    // Beside a suite may lie what its daemons play.
    files.retain(|(name, bytes, named)| *named || !runs::is_one(&File { name, bytes }));
    let codes: Vec<_> = grade::all_codes().collect();
    let (rules, forms, refusals) = (rule_names(), step::forms(), step::refusals());
    let known = known(&rules, &codes, &forms, &refusals);
    let (of_workflows, of_scenarios): (Vec<_>, Vec<_>) =
        named(&files).into_iter().partition(workflow::is_one);
    let read = rehearsal_script::read_under(&of_scenarios, &known, chosen);
    let (scenarios, workflows) = match (read, workflow::read(&of_workflows, &known)) {
        (Ok(scenarios), Ok(workflows)) => (scenarios, workflows),
        (scenarios, workflows) => {
            let findings = scenarios.err().into_iter().chain(workflows.err()).flatten();
            return Err(LoadError::Files(findings.collect()));
        }
    };
    let clashes = steps::mistakes(&scenarios, &workflows);
    if !clashes.is_empty() {
        return Err(LoadError::Files(clashes));
    }
    let (cassettes, mut mistakes) = Cassettes::open(&scenarios);
    let (run_files, more) = RunFiles::open(&scenarios);
    mistakes.extend(more);
    mistakes.retain(|finding| finding.severity == Severity::Error);
    if !mistakes.is_empty() {
        return Err(LoadError::Files(mistakes));
    }
    let files = files.into_iter().map(|(name, bytes, _)| (name, digest::text(&digest::of(&bytes))));
    let files = files.chain(run_files.sums()).collect();
    Ok(Suite { files, scenarios, cassettes, run_files, workflows })
}

/// All that can be said about some files: how many there are, their mistakes, and what is likely to surprise.
///
/// # Errors
/// When files cannot be read.
pub fn lint(paths: &[PathBuf]) -> Result<(usize, Vec<Finding>), LoadError> {
    let files = read_files(paths)?;
    let codes: Vec<_> = grade::all_codes().collect();
    let (rules, forms, refusals) = (rule_names(), step::forms(), step::refusals());
    let known = known(&rules, &codes, &forms, &refusals);
    let (mut findings, scenarios) = rehearsal_script::lint_and_read(&named(&files), &known);
    // Files with mistakes name no cassette and no run scripts for sure.
    if let Some(scenarios) = scenarios {
        let of_workflows: Vec<_> =
            named(&files).into_iter().filter(|file| workflow::is_one(file) && !runs::is_one(file)).collect();
        if let Ok(workflows) = workflow::read(&of_workflows, &known) {
            findings.extend(steps::mistakes(&scenarios, &workflows));
            findings.extend(steps::warnings(&workflows));
        }
        findings.extend(Cassettes::open(&scenarios).1);
        let of_runs = RunFiles::open(&scenarios).1;
        let new = unknown(of_runs, &findings);
        findings.extend(new);
    }
    point(&mut findings, &named(&files));
    Ok((files.len(), findings))
}

/// Those of some findings that are not among others.
fn unknown(found: Vec<Finding>, others: &[Finding]) -> Vec<Finding> {
    let mut places: BTreeMap<(&str, usize, usize), Vec<&Finding>> = BTreeMap::new();
    for other in others {
        places.entry((&other.file, other.line, other.column)).or_default().push(other);
    }
    let known = |finding: &Finding| {
        let there = places.get(&(finding.file.as_str(), finding.line, finding.column));
        there.is_some_and(|there| there.contains(&finding))
    };
    found.into_iter().filter(|finding| !known(finding)).collect()
}

fn named(files: &[(String, Vec<u8>, bool)]) -> Vec<File<'_>> {
    files.iter().map(|(name, bytes, _)| File { name, bytes }).collect()
}

fn rule_names() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.name).collect()
}

fn known<'k>(
    rules: &'k [&'k str],
    codes: &'k [&'k str],
    steps: &'k [&'k StepForm],
    refusals: &'k [RefusalForm],
) -> Known<'k> {
    Known {
        steps,
        refusals,
        rules,
        faults: FAULTS,
        codes,
        regex: |pattern| Regex::new(pattern).map(drop).map_err(|error| error.to_string()),
    }
}

/// What a person sets beside the files.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Profile in place of the files' own.
    pub profile: Option<Profile>,
    /// Rules switched after those of the files.
    pub rules: Vec<(String, bool)>,
    /// A fault that takes every conversation request.
    pub mode: Option<&'static Fault>,
    /// Seed of ids and times.
    pub seed: u64,
    /// Whether a key is demanded in every profile.
    pub require_key: bool,
}

/// The setting of a stand-in for some scenarios.
///
/// # Errors
/// When a switch names no rule.
pub fn setting(mut scenarios: Scenarios, choice: &Choice) -> Result<Setting, UnknownRule> {
    spoil(&mut scenarios);
    let profile = choice.profile.unwrap_or(scenarios.profile);
    let switches: Vec<_> = scenarios.rules.iter().chain(&choice.rules).cloned().collect();
    let rules = RuleSet::new(profile, &switches)?;
    let picker = Picker::new(&scenarios);
    Ok(Setting {
        picker,
        scenarios,
        rules,
        profile,
        mode: choice.mode,
        drill: None,
        seed: choice.seed,
        require_key: choice.require_key,
    })
}

/// The folder of a suite: that of its first path.
#[must_use]
pub fn folder(paths: &[PathBuf]) -> PathBuf {
    let first = paths.first().map(PathBuf::as_path).unwrap_or(Path::new("."));
    let folder = if files::is_folder(first) { first } else { first.parent().unwrap_or(first) };
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() }
}
