//! The recordings that the classes of a suite name: opened and checked once, played anew for each case.
//!
//! Must not know: how a request finds its recording.

use rehearsal_bridge::cassette::{self, CassetteError, Recording};
use rehearsal_bridge::replay::play::Speed;
use rehearsal_bridge::replay::shelf::{Manner, Shelf};
use rehearsal_script::finding::{Code, Finding, Severity};
use rehearsal_script::scenario::{Cassette, Scenarios};
use rehearsal_wire::names::{hint, nearest};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The recordings of a suite, by the paths that its files name.
#[derive(Debug, Default)]
pub struct Cassettes(BTreeMap<PathBuf, Vec<Arc<Recording>>>);

impl Cassettes {
    /// Opens them all, each once, and checks every byte. Of use only where no finding is an error.
    pub(crate) fn open(scenarios: &Scenarios) -> (Self, Vec<Finding>) {
        let mut cassettes = Self::default();
        let (mut known, mut findings): (Vec<&Cassette>, Vec<Finding>) = (Vec::new(), Vec::new());
        for cassette in scenarios.phrasings.iter().filter_map(|phrasing| phrasing.cassette.as_ref()) {
            // The phrasings of a class share one.
            if !known.contains(&cassette) {
                known.push(cassette);
                cassettes.add(cassette, &mut findings);
            }
        }
        (cassettes, findings)
    }

    fn add(&mut self, cassette: &Cassette, findings: &mut Vec<Finding>) {
        let path = path(cassette);
        match self.read(&path) {
            Ok(interrupted) => findings.extend(interrupted.iter().map(|name| {
                let message = format!("{name} of {} never came to its end", path.display());
                let hint = "it is left out; record it again to have it played";
                finding(cassette, Severity::Warning, message, Some(hint.to_owned()))
            })),
            Err(error) => {
                findings.push(finding(cassette, Severity::Error, error.to_string(), None));
                return;
            }
        }
        if self.of(cassette).next().is_none() {
            let (message, hint) = self.nothing(cassette);
            findings.push(finding(cassette, Severity::Error, message, Some(hint)));
        }
    }

    /// Opens what lies there, unless another class has. Gives the names of what never came to its end.
    fn read(&mut self, path: &Path) -> Result<Vec<String>, CassetteError> {
        let Entry::Vacant(free) = self.0.entry(path.to_owned()) else { return Ok(Vec::new()) };
        let opened = cassette::open(path)?;
        free.insert(opened.recordings.into_iter().map(Arc::new).collect());
        Ok(opened.interrupted)
    }

    /// What is said of a cassette that has nothing to play.
    fn nothing(&self, cassette: &Cassette) -> (String, String) {
        let path = path(cassette);
        let mut names: Vec<&str> = self
            .0
            .get(&path)
            .into_iter()
            .flatten()
            .filter_map(|recording| recording.case.as_deref())
            .collect();
        names.sort_unstable();
        names.dedup();
        match &cassette.case {
            Some(case) => (
                format!("{} holds no recording of a case `{case}`", path.display()),
                hint(nearest(case, names.iter().copied()), || match names.len() {
                    0 => "its requests named no case; remove `case`".to_owned(),
                    _ => format!("it has {}", names.join(", ")),
                }),
            ),
            None => (
                format!("no recording of {} came to its end", path.display()),
                "there is nothing to play; record again".to_owned(),
            ),
        }
    }

    /// The recordings that a cassette means, in the order in which they were recorded.
    fn of(&self, cassette: &Cassette) -> impl Iterator<Item = &Arc<Recording>> {
        let all = self.0.get(&path(cassette)).into_iter().flatten();
        all.filter(|recording| cassette.case.is_none() || recording.case == cassette.case)
    }

    /// How many recordings a cassette has.
    pub(crate) fn count(&self, cassette: &Cassette) -> u64 {
        self.of(cassette).count() as u64
    }

    /// A shelf of which nothing was served yet.
    pub(crate) fn shelf(&self, cassette: &Cassette) -> Shelf {
        let manner = Manner { ignored: cassette.ignore.clone(), repeat: cassette.repeat };
        Shelf::of(self.of(cassette).map(Arc::clone), manner)
    }
}

/// How fast a cassette is played.
pub(crate) fn speed(cassette: &Cassette) -> Speed {
    Speed::times(cassette.speed).unwrap_or(Speed::AT_ONCE)
}

/// Where a cassette lies: beside the file that names it.
fn path(cassette: &Cassette) -> PathBuf {
    Path::new(&cassette.place.file).parent().unwrap_or(Path::new("")).join(&cassette.path)
}

fn finding(cassette: &Cassette, severity: Severity, message: String, hint: Option<String>) -> Finding {
    let (line, column) = (cassette.place.line, cassette.place.column);
    let (file, pointer, code) = (cassette.place.file.clone(), String::new(), Code::Cassette);
    Finding { file, line, column, pointer, severity, code, message, hint }
}

#[cfg(test)]
mod tests {
    use rehearsal_bridge::key::PARTS;
    use rehearsal_script::scenario::Cassette;

    #[test]
    fn the_parts_that_files_may_ignore_are_those_of_a_call() {
        assert_eq!(Cassette::PARTS, PARTS);
    }
}
