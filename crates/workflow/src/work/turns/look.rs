//! What is asked of the bench once a step or all of them are done: files that expectations name, artifacts that must be there.

use super::Turns;
use crate::work::bench::Bench;
use crate::work::expect::{self, Around, Unmet};
use crate::work::judge::{Missing, Seen};
use rehearsal_lab::{Code, Stop};
use rehearsal_script::workflow::{Check, Expectation, Form, WorkflowStep};
use rehearsal_world::task;
use serde_json::{Map, Value};

impl Turns<'_> {
    /// What was observed otherwise than expected.
    pub(super) async fn unmet(&mut self, step: &WorkflowStep, fields: &Map<String, Value>) -> Vec<Unmet> {
        let reads = |check: &Check| matches!(check, Check::Sha256Of(_) | Check::Exists(_));
        if !step.expect.iter().any(|expectation| reads(&expectation.check)) {
            return unmet(&step.expect, fields, &self.observed, None);
        }
        let (expect, fields, observed) = (step.expect.clone(), fields.clone(), self.observed.clone());
        let bench = self.bench.take();
        let (bench, unmet) = task::blocking(move || {
            let unmet = unmet(&expect, &fields, &observed, bench.as_deref());
            (bench, unmet)
        })
        .await;
        self.bench = bench;
        unmet
    }

    /// Declared artifacts that are not in the store whole. Asked only where the case has come to its end.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(in crate::work) async fn missing(&mut self) -> Result<Vec<Missing>, Stop> {
        let whole = self.seen.len() == self.case.steps.len() && self.seen.last().is_some_and(Seen::goes_on);
        if self.form == Form::Reference
            || self.case.outcome.refuses()
            || self.case.artifacts.is_empty()
            || !whole
        {
            return Ok(Vec::new());
        }
        let Some(bench) = self.bench.take() else { return Ok(Vec::new()) };
        let (bench, kept) = task::blocking(move || {
            let kept = bench.store.as_ref().map_or_else(|| Ok(Vec::new()), |store| store.artifacts());
            (bench, kept)
        })
        .await;
        self.bench = Some(bench);
        let kept = kept?;
        let declared = self.case.artifacts.iter();
        Ok(declared
            .filter_map(|name| {
                let found = kept.iter().find(|artifact| artifact.filename == *name);
                match found {
                    Some(artifact) if artifact.intact => None,
                    found => Some(Missing { name: name.clone(), damaged: found.is_some() }),
                }
            })
            .collect())
    }
}

/// What the boundary says of a name at which there is no regular file. A file that it does not let us look at may be one.
const NO_REGULAR_FILE: [Code; 3] = [Code::NoFile, Code::NotRegular, Code::Symlink];

/// What was observed otherwise than expected, one sentence each.
fn unmet(
    expect: &[Expectation],
    fields: &Map<String, Value>,
    observed: &[Map<String, Value>],
    bench: Option<&Bench>,
) -> Vec<Unmet> {
    let sha256 = |path: &str| match bench.map(|bench| bench.workspace.digest(path)) {
        Some(Ok(sum)) => Ok(sum),
        Some(Err(Stop::Refused(refusal))) if NO_REGULAR_FILE.contains(&refusal.code) => Ok(None),
        Some(Err(stop)) => Err(stop.sentence()),
        None => Err("the workspace is not at hand".to_owned()),
    };
    let observed = |at: usize| observed.get(at);
    let around = Around { given: &|given| given.resolve(&observed), sha256: &sha256 };
    expect.iter().filter_map(|expectation| expect::unmet(expectation, fields, &around)).collect()
}
