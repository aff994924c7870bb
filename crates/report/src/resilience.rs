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

/// Version of the file's form.
const FORMAT: u32 = 1;

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
    let mut out = format!("{{\n  \"format\": {FORMAT},\n  \"faults\": {{");
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

/// A fault beside how it was taken before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The fault as it was asked for.
    pub fault: String,
    /// How it was taken then; none where it was not asked for.
    pub was: Option<Outcome>,
    /// How it is taken now; none where it is not asked for any more.
    pub is: Option<Outcome>,
}

impl Change {
    /// What became of it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let bad = |outcome: Outcome| outcome > Outcome::Survived;
        match (self.was, self.is) {
            (_, None) => Kind::Gone,
            (None | Some(Outcome::NotMet), Some(is)) => {
                if bad(is) {
                    Kind::Worse
                } else {
                    Kind::New
                }
            }
            (Some(_), Some(Outcome::NotMet)) => Kind::Gone,
            (Some(was), Some(is)) => {
                if is > was {
                    Kind::Worse
                } else {
                    Kind::Better
                }
            }
        }
    }
}

/// What became of how a fault is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is taken better.
    Better,
    /// It is met for the first time, and taken well.
    New,
    /// Nobody meets it any more: nothing is known of it.
    Gone,
    /// It is taken worse, or met for the first time and taken badly.
    Worse,
}

/// A file that this format wrote.
#[derive(serde::Deserialize)]
struct Kept {
    format: u32,
    faults: BTreeMap<String, KeptLine>,
}

#[derive(serde::Deserialize)]
struct KeptLine {
    outcome: Outcome,
}

fn read(text: &str) -> Result<Kept, String> {
    let kept: Kept = serde_json::from_str(text)
        .map_err(|error| format!("line {}: this is no file of `--report resilience=FILE`", error.line()))?;
    if kept.format != FORMAT {
        return Err(format!("this file has format {}; this program reads format {FORMAT}", kept.format));
    }
    Ok(kept)
}

/// Whether a text is a file of this format.
///
/// # Errors
/// One sentence where it is none.
pub fn check(text: &str) -> Result<(), String> {
    read(text).map(drop)
}

/// What differs from a file that this format wrote before, by the worst of the cases of each fault.
///
/// # Errors
/// One sentence where the text is no such file.
pub fn changes(before: &str, run: &RunFile) -> Result<Vec<Change>, String> {
    let kept = read(before)?.faults;
    let lines = lines(run);
    let gone = kept.iter().filter(|(fault, _)| lines.iter().all(|line| line.fault != **fault));
    let gone: Vec<Change> = gone
        .map(|(fault, line)| Change { fault: fault.clone(), was: Some(line.outcome), is: None })
        .collect();
    let now = lines.iter().map(|line| Change {
        fault: line.fault.to_owned(),
        was: kept.get(line.fault).map(|line| line.outcome),
        is: Some(line.outcome),
    });
    Ok(now.filter(|change| change.was != change.is).chain(gone).collect())
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

#[cfg(test)]
mod tests {
    use super::{Change, Kind, changes, check, lines, table, write};
    use crate::Style;
    use crate::tests::{case, run_of};
    use rehearsal_journal::run::{CaseResult, Outcome, Verdict};

    fn drilled(fault: &str, outcome: Outcome) -> CaseResult {
        let verdict = if outcome > Outcome::Survived { Verdict::Failed } else { Verdict::Passed };
        CaseResult { fault: Some(fault.into()), outcome: Some(outcome), ..case("talk", verdict, vec![]) }
    }

    #[test]
    fn a_fault_is_as_bad_as_the_worst_of_its_cases() {
        let run = run_of(vec![
            drilled("cut", Outcome::Passed),
            drilled("cut", Outcome::Wrong),
            drilled("crlf", Outcome::Passed),
            CaseResult { outcome: None, ..drilled("crlf", Outcome::Passed) },
            case("plain", Verdict::Passed, vec![]),
        ]);
        let found: Vec<_> = lines(&run).iter().map(|line| (line.fault.to_owned(), line.outcome)).collect();
        assert_eq!(found, [("cut".to_owned(), Outcome::Wrong), ("crlf".to_owned(), Outcome::Passed)]);
        let table = table(&run);
        assert_eq!(table.lines().count(), 3);
        assert!(
            table.lines().nth(1).unwrap().split_whitespace().eq(["cut", "·", "1", "·", "1", "·"]),
            "{table}"
        );
    }

    #[test]
    fn a_kept_file_tells_what_became_better_and_worse() {
        let then = run_of(vec![
            drilled("a", Outcome::Passed),
            drilled("b", Outcome::Hung),
            drilled("c", Outcome::Wrong),
            drilled("gone", Outcome::Passed),
        ]);
        let now = run_of(vec![
            drilled("a", Outcome::Wrong),
            drilled("b", Outcome::Survived),
            drilled("c", Outcome::Wrong),
            drilled("new", Outcome::Hung),
        ]);
        let kept = write(&then, Style::FILE);
        let found: Vec<_> = changes(&kept, &now)
            .unwrap()
            .into_iter()
            .map(|change| (change.fault.clone(), change.kind()))
            .collect();
        let wanted = [("a", Kind::Worse), ("b", Kind::Better), ("new", Kind::Worse), ("gone", Kind::Gone)];
        assert_eq!(found, wanted.map(|(fault, kind)| (fault.to_owned(), kind)));
        let kind = |was, is| Change { fault: String::new(), was, is }.kind();
        use Outcome::{Hung, NotMet, Passed, Survived, Wrong};
        assert_eq!(kind(Some(Passed), Some(NotMet)), Kind::Gone);
        assert_eq!(kind(Some(NotMet), Some(Wrong)), Kind::Worse);
        assert_eq!(kind(Some(NotMet), Some(Passed)), Kind::New);
        assert_eq!(kind(None, Some(Survived)), Kind::New);
        assert_eq!(kind(Some(Hung), Some(Wrong)), Kind::Better);
        assert_eq!(changes(&kept, &then), Ok(vec![]));
        assert_eq!(check("{}").unwrap_err(), "line 1: this is no file of `--report resilience=FILE`");
        assert_eq!(
            check(r#"{"format": 9, "faults": {}}"#).unwrap_err(),
            "this file has format 9; this program reads format 1"
        );
    }
}
