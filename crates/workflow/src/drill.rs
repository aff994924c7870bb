//! A run under faults: every case once under each, and how the agent took it.

use crate::grade::{self, Tier};
use rehearsal_journal::fold::Facts;
use rehearsal_journal::run::{Finding, Outcome, Severity};
use rehearsal_script::pick::Picker;
use rehearsal_script::scenario::FaultCall;
use rehearsal_script::spoil::overlaid;
use rehearsal_standin::core::Setting;
use rehearsal_wire::fault::{Arrives, FAULTS, Fault, Work, arrives, check_params, clash, fault};
use rehearsal_wire::json;
use rehearsal_wire::names::{hint, nearest};
use std::sync::Arc;

/// Faults that break the answers of a case together.
#[derive(Clone, Debug)]
pub struct Drill {
    /// As it was written: `NAME[:key=value…][+NAME…]`.
    pub name: String,
    faults: Vec<FaultCall>,
    rows: Vec<&'static Fault>,
    /// How many requests meet a fault that lets no turn arrive.
    times: u32,
}

/// Reads what is to be drilled: `all`, or faults with commas between.
///
/// # Errors
/// One sentence on the first that is none.
pub fn read(text: &str) -> Result<Vec<Drill>, String> {
    if text.trim() == "all" {
        return FAULTS.iter().map(|row| drill(row.name)).collect();
    }
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(drill).collect()
}

/// Reads one: a fault, or several with `+` between.
///
/// # Errors
/// One sentence.
pub fn drill(text: &str) -> Result<Drill, String> {
    let mut times = 1;
    let mut faults = Vec::new();
    for part in text.split('+') {
        let mut words = part.split(':');
        let call = call(words.next().unwrap_or_default(), words, &mut times)?;
        faults.push(call);
    }
    let rows: Vec<_> = faults.iter().filter_map(|call| fault(&call.name)).collect();
    match clash(&rows) {
        Some(why) => Err(why),
        None => Ok(Drill { name: text.to_owned(), faults, rows, times }),
    }
}

fn call<'t>(name: &str, params: impl Iterator<Item = &'t str>, times: &mut u32) -> Result<FaultCall, String> {
    let Some(row) = fault(name) else {
        let near = nearest(name, FAULTS.iter().map(|row| row.name));
        let hint = hint(near, || "`rehearsal faults` lists them".to_owned());
        return Err(format!("there is no fault {name}; {hint}"));
    };
    let mut call = FaultCall { name: name.to_owned(), params: Vec::new() };
    for param in params {
        let Some((key, value)) = param.split_once('=') else {
            return Err(format!("{param} is no parameter of {name}; write {name}:key=value"));
        };
        if key == "times" {
            let count = value.parse().ok().filter(|count| *count > 0);
            *times = count.ok_or_else(|| format!("times={value}: how many requests meet it, 1 or more"))?;
            continue;
        }
        call.params.push((key.to_owned(), json_text(value)));
    }
    check_params(row.params, &call.params).map_err(|fault| format!("{name}: {fault}"))?;
    Ok(call)
}

/// A value as JSON text: as it stands where it is JSON, else as a text.
fn json_text(value: &str) -> String {
    if json::parse(value.as_bytes()).is_ok() {
        return value.to_owned();
    }
    let mut out = Vec::new();
    json::write_string(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

impl Drill {
    /// A setting whose scripts all run into it.
    #[must_use]
    pub fn setting(&self, base: &Setting) -> Arc<Setting> {
        let mut scenarios = base.scenarios.clone();
        let arrives = arrives(&self.rows);
        for phrasing in &mut scenarios.phrasings {
            *phrasing = overlaid(phrasing, &self.faults, arrives, self.times);
            phrasing.hostile |= arrives != Arrives::Not && self.rows.iter().any(|row| row.hostile);
            // A bound that was set for a wire without faults has no room for another attempt.
            phrasing.expect_agent.max_requests = None;
        }
        Arc::new(Setting {
            picker: Picker::new(&scenarios),
            scenarios,
            rules: base.rules,
            profile: base.profile,
            mode: base.mode,
            seed: base.seed,
            require_key: base.require_key,
        })
    }

    /// Whether the work may come out otherwise than the case declares: the model says something else.
    fn changes_the_work(&self) -> bool {
        let changes = |row: &&Fault| {
            row.arrives == Arrives::Otherwise || row.works.iter().any(|work| matches!(work, Work::Words(_)))
        };
        self.rows.iter().any(changes)
    }
}

/// Codes that elsewhere are warnings: how an agent takes trouble is what a drill is about.
const REACTIONS: [&str; 2] = ["retried-too-soon", "retried-without-pause"];

/// How the agent took it. What it may leave undone under these faults weighs no more than a note afterwards.
pub(crate) fn judge(drill: &Drill, facts: &Facts, findings: &mut [Finding]) -> Outcome {
    for finding in findings.iter_mut().filter(|finding| REACTIONS.contains(&&*finding.code)) {
        finding.severity = Severity::Error;
    }
    let is_error = |finding: &&Finding| finding.severity == Severity::Error;
    if findings.iter().filter(is_error).any(|finding| finding.code == grade::TIME_LIMIT.code) {
        return Outcome::Hung;
    }
    if findings.iter().filter(is_error).count() == 0 {
        let met = facts.requests.iter().any(|request| request.fault.is_some());
        return if met { Outcome::Passed } else { Outcome::NotMet };
    }
    let failed = facts.exited.as_ref().is_some_and(|exited| exited.status.is_some_and(|status| status != 0));
    let gave_up = failed && drill.rows.iter().all(|row| row.may_give_up);
    for finding in findings.iter_mut().filter(|finding| finding.severity == Severity::Error) {
        let tolerated = match grade::tier(&finding.code) {
            Some(Tier::End) => gave_up,
            Some(Tier::Outcome) => gave_up || drill.changes_the_work(),
            Some(Tier::World | Tier::Wire | Tier::Conduct) | None => false,
        };
        if tolerated {
            finding.severity = Severity::Note;
        }
    }
    if findings.iter().filter(is_error).count() == 0 { Outcome::Survived } else { Outcome::Wrong }
}
