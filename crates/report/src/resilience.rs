//! How an agent took each fault, as a small JSON file that a team keeps and compares with the next one.

use crate::{Report, Style};
use rehearsal_journal::run::{Outcome, RunFile};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) const ROW: Report = Report {
    name: "resilience",
    summary: "a run under faults: one line a fault, how the agent took it, for keeping and comparing",
    write,
};

/// One fault over all cases.
#[derive(Debug)]
pub(crate) struct Line<'r> {
    /// The fault as it was asked for.
    pub(crate) fault: &'r str,
    /// The worst of all cases.
    pub(crate) outcome: Outcome,
    /// How many cases came out how.
    pub(crate) counts: BTreeMap<Outcome, usize>,
}

/// One line a fault, in the order in which they were asked for.
pub(crate) fn lines(run: &RunFile) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for case in &run.cases {
        // What could not be judged says nothing of the agent.
        let (Some(fault), Some(outcome)) = (case.fault.as_deref(), case.outcome) else { continue };
        let at = lines.iter().position(|line| line.fault == fault).unwrap_or_else(|| {
            lines.push(Line { fault, outcome, counts: BTreeMap::new() });
            lines.len() - 1
        });
        let line = &mut lines[at];
        line.outcome = line.outcome.max(outcome);
        *line.counts.entry(outcome).or_default() += 1;
    }
    lines
}

fn write(run: &RunFile, _: Style) -> String {
    let mut out = String::from("{\n  \"format\": 1,\n  \"faults\": {");
    for (i, line) in lines(run).iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let name = serde_json::Value::from(line.fault);
        let counts = line.counts.iter().map(|(outcome, count)| format!("\"{}\": {count}", outcome.word()));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let _ = write!(
            out,
            "{comma}\n    {name}: {{\"outcome\": \"{}\", \"cases\": {{{counts}}}}}",
            line.outcome.word()
        );
    }
    out.push_str("\n  }\n}\n");
    out
}

/// The table for people: nothing where no fault was asked for.
pub(crate) fn table(run: &RunFile) -> String {
    let lines = lines(run);
    let width = lines.iter().map(|line| line.fault.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    if lines.is_empty() {
        return out;
    }
    let mut header = format!("{:<width$}", "fault");
    for outcome in Outcome::ALL {
        let _ = write!(header, "  {:>8}", outcome.word());
    }
    let _ = writeln!(out, "{header}");
    for line in &lines {
        let _ = write!(out, "{:<width$}", line.fault);
        for outcome in Outcome::ALL {
            let count = line.counts.get(&outcome).map_or_else(|| "·".to_owned(), usize::to_string);
            let _ = write!(out, "  {count:>8}");
        }
        out.push('\n');
    }
    out
}
