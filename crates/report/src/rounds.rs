//! A case over its repetitions: how many passed, whether it is flaky, which round to show.

use crate::words::visible;
use rehearsal_journal::run::{CaseResult, RunFile, Severity, Verdict};
use std::collections::BTreeMap;

/// Cases that formats for people list in full; of more, only those that did not pass.
pub(crate) const LISTED: usize = 40;

/// All rounds of one case: one, unless it was repeated.
pub(crate) struct Rounds<'r> {
    first: &'r CaseResult,
    others: Vec<&'r CaseResult>,
}

impl<'r> Rounds<'r> {
    fn each(&self) -> impl Iterator<Item = &'r CaseResult> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    fn with(&self, verdict: Verdict) -> usize {
        self.each().filter(|case| case.verdict == verdict).count()
    }

    /// How many rounds there are, and how many of them passed.
    pub(crate) fn passes(&self) -> (usize, usize) {
        (self.with(Verdict::Passed), 1 + self.others.len())
    }

    /// The worst of the rounds' verdicts; one that failed outweighs one that could not be judged.
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::ALL.into_iter().find(|verdict| self.with(*verdict) > 0).unwrap_or(self.first.verdict)
    }

    /// Whether it failed in one round and passed in another.
    pub(crate) fn flaky(&self) -> bool {
        self.with(Verdict::Failed) > 0 && self.with(Verdict::Passed) > 0
    }

    /// The first round with the verdict of all: its findings stand for the case.
    pub(crate) fn shown(&self) -> &'r CaseResult {
        let verdict = self.verdict();
        self.each().find(|case| case.verdict == verdict).unwrap_or(self.first)
    }

    /// The longest that a round took, milliseconds.
    pub(crate) fn slowest(&self) -> u64 {
        self.each().map(|case| case.ran_ms).max().unwrap_or(0)
    }

    /// Warnings of the round that is shown.
    pub(crate) fn warnings(&self) -> usize {
        self.shown().findings.iter().filter(|finding| finding.severity == Severity::Warning).count()
    }

    pub(crate) fn name(&self) -> String {
        name(self.first)
    }
}

/// A case's name: its class says nothing where it is called the same.
pub(crate) fn name(case: &CaseResult) -> String {
    let name = case.name();
    // A case of a workflow has its whole name, whatever that begins with.
    if case.class == case.phrasing || case.workflow.is_some() {
        visible(&name)
    } else {
        visible(&format!("{}/{name}", case.class))
    }
}

/// The cases of a run, each with all its rounds, in the order of their first ones.
pub(crate) fn rounds(run: &RunFile) -> Vec<Rounds<'_>> {
    let mut known: BTreeMap<(&str, &str, Option<&str>), usize> = BTreeMap::new();
    let mut all: Vec<Rounds<'_>> = Vec::new();
    for case in &run.cases {
        let at = *known.entry((&case.class, &case.phrasing, case.fault.as_deref())).or_insert(all.len());
        match all.get_mut(at) {
            Some(group) => group.others.push(case),
            None => all.push(Rounds { first: case, others: Vec::new() }),
        }
    }
    all
}

/// How many of the cases got this verdict over all their rounds.
pub(crate) fn count(all: &[Rounds<'_>], verdict: Verdict) -> usize {
    all.iter().filter(|rounds| rounds.verdict() == verdict).count()
}

/// Cases to list, and how many passed ones are left out, with how many warned ones among them.
pub(crate) fn listed<'a, 'r>(
    all: &'a [Rounds<'r>],
    every_one: bool,
) -> (Vec<&'a Rounds<'r>>, Option<(usize, usize)>) {
    if every_one || all.len() <= LISTED {
        return (all.iter().collect(), None);
    }
    let (passed, rest): (Vec<_>, Vec<_>) = all.iter().partition(|rounds| rounds.verdict() == Verdict::Passed);
    let warned = passed.iter().filter(|rounds| rounds.warnings() > 0).count();
    (rest, Some((passed.len(), warned)).filter(|(hidden, _)| *hidden > 0))
}
