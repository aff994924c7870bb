//! Consequences are told below their causes: a case fails once for one bug, and nothing that was found is lost.

use super::{CHECKS, Check, Found, Tier, codes};
use rehearsal_journal::run::{Finding, Severity};
use rehearsal_script::scenario::Weight;
use std::collections::BTreeMap;

/// What was found, before it is known what it follows from.
pub(super) struct Judged {
    pub(super) code: String,
    /// Its weight: its own, or what the suite gives it.
    pub(super) severity: Severity,
    /// Where the failing lies; none for what is only worth knowing, whatever a suite makes of it.
    pub(super) tier: Option<Tier>,
    /// The place in the body that it is about.
    pub(super) pointer: Option<String>,
    pub(super) found: Found,
}

impl Judged {
    /// What a check found.
    pub(super) fn by(check: &Check, found: Found) -> Self {
        Self {
            code: check.code.to_owned(),
            severity: check.severity,
            tier: (check.severity == Severity::Error).then_some(check.tier),
            pointer: None,
            found,
        }
    }

    /// The same with the weight that a suite gives it; nothing where it wants it unjudged.
    pub(super) fn weighed(mut self, weights: &[(String, Weight)]) -> Option<Self> {
        self.severity = weight(&self.code, self.severity, weights)?;
        Some(self)
    }

    /// Whether it is one of the failings that explain each other. What a suite has made light explains nothing, so that the
    /// failings that would follow from it still count.
    fn takes_part(&self) -> Option<Tier> {
        self.tier.filter(|_| self.severity == Severity::Error)
    }

    fn finding(self) -> Finding {
        let Found { message, exchanges, cause: _ } = self.found;
        Finding { code: self.code, severity: self.severity, message, exchanges, also: Vec::new() }
    }
}

/// What a finding weighs after what a suite and the command line say, of which the later holds; nothing where it is not to be judged.
pub(super) fn weight(code: &str, own: Severity, weights: &[(String, Weight)]) -> Option<Severity> {
    match weights.iter().rev().find(|(known, _)| known == code).map(|(_, weight)| *weight) {
        None => Some(own),
        Some(Weight::Error) => Some(Severity::Error),
        Some(Weight::Warning) => Some(Severity::Warning),
        Some(Weight::Note) => Some(Severity::Note),
        Some(Weight::Off) => None,
    }
}

/// Codes of the same tier that make this one certain.
fn causes(judged: &Judged) -> impl Iterator<Item = &'static str> {
    let row = CHECKS.iter().find(|check| check.code == judged.code).map_or(&[][..], |check| check.follows);
    row.iter().copied().chain(judged.found.cause)
}

/// Of the errors only those of the earliest tier stay, and of them none that follows from another; the rest is told in the
/// `also` of what it follows from. Errors come first, then warnings, then notes.
pub(super) fn fold(judged: Vec<Judged>) -> Vec<Finding> {
    let earliest = judged.iter().filter_map(Judged::takes_part).min();
    let (failings, beside): (Vec<_>, Vec<_>) =
        judged.into_iter().partition(|judged| judged.takes_part().is_some());
    let (staying, mut later): (Vec<_>, Vec<_>) =
        failings.into_iter().partition(|judged| judged.takes_part() == earliest);
    // A stable sort: within a tier the order of the table holds.
    later.sort_by_key(|judged| judged.tier);

    let firsts = firsts(&staying);
    let roots: Vec<usize> = (0..staying.len()).map(|at| root(&staying, &firsts, at)).collect();
    let (small, mut beside): (Vec<_>, Vec<_>) = beside
        .into_iter()
        .map(|judged| (staying.iter().position(|failing| is_part_of(&judged, failing)), judged))
        .partition(|(failing, _)| failing.is_some());
    let mut also: Vec<(usize, String)> = Vec::new();
    for (at, judged) in staying.iter().enumerate().filter(|(at, _)| roots[*at] != *at) {
        also.push((roots[at], judged.found.message.clone()));
    }
    also.extend(later.into_iter().filter_map(|judged| Some((*roots.first()?, judged.found.message))));
    also.extend(small.into_iter().filter_map(|(at, judged)| Some((roots[at?], judged.found.message))));

    let mut findings: Vec<(usize, Finding)> = staying
        .into_iter()
        .enumerate()
        .filter(|(at, _)| roots[*at] == *at)
        .map(|(at, judged)| (at, judged.finding()))
        .collect();
    for (root, message) in also {
        if let Ok(place) = findings.binary_search_by_key(&root, |(at, _)| *at) {
            findings[place].1.also.push(message);
        }
    }
    beside.sort_by_key(|(_, judged)| std::cmp::Reverse(judged.severity));
    findings
        .into_iter()
        .map(|(_, finding)| finding)
        .chain(beside.into_iter().map(|(_, judged)| judged.finding()))
        .collect()
}

/// The place of the first failing of each code: a case may have a hundred thousand of one.
fn firsts(staying: &[Judged]) -> BTreeMap<&str, usize> {
    staying.iter().enumerate().rev().map(|(at, judged)| (judged.code.as_str(), at)).collect()
}

/// What a failing follows from in the end; itself where it follows from none. A second one of its own code follows only
/// from an earlier one, so the walk ends.
fn root(staying: &[Judged], firsts: &BTreeMap<&str, usize>, mut at: usize) -> usize {
    for _ in 0..staying.len() {
        let code = staying[at].code.as_str();
        let known = causes(&staying[at]).filter_map(|cause| Some((cause, *firsts.get(cause)?)));
        match known.filter(|(cause, first)| *cause != code || *first < at).map(|(_, first)| first).min() {
            Some(cause) => at = cause,
            None => break,
        }
    }
    at
}

/// Whether a warning or note says again, in a milder way, what a failing says.
fn is_part_of(small: &Judged, failing: &Judged) -> bool {
    if small.severity == Severity::Error {
        return false;
    }
    let at_once = || small.found.exchanges.iter().all(|exchange| failing.found.exchanges.contains(exchange));
    let same_place = small.pointer.is_some() && small.pointer == failing.pointer && at_once();
    same_place || codes::is_part_of(&small.code, &failing.code)
}
