//! The table that ends a run: one line a case, the reasons under each that failed, one line that sums up.

use crate::{Report, Style};
use rehearsal_journal::run::{CaseResult, Finding, RunFile, Severity, Verdict};
use std::fmt::Write as _;

pub(super) const ROW: Report =
    Report { name: "terminal", summary: "a table for people, with the reason of each failure", write };

/// Columns a finding's text is indented by.
const INDENT: usize = 8;

/// Columns of a row beside the case's name.
const NUMBERS: usize = INDENT + "  steps  requests  retries     time".len();

fn write(run: &RunFile, style: Style) -> String {
    let mut out = String::new();
    let longest = run.cases.iter().map(|case| name(case).chars().count()).max().unwrap_or(0);
    let room = longest.clamp(4, style.width.max(40).saturating_sub(NUMBERS).max(4));
    let _ = writeln!(
        out,
        "        {:<room$}  {:>5}  {:>8}  {:>7}  {:>7}",
        "case", "steps", "requests", "retries", "time"
    );
    for case in &run.cases {
        let _ = writeln!(out, "{}  {}", mark(case.verdict, style), row(case, room));
        for finding in &case.findings {
            let weight = match finding.severity {
                Severity::Error => "",
                Severity::Warning => "warning: ",
                Severity::Note => "note: ",
            };
            wrap(&mut out, &format!("{weight}{}", sentence(finding)), style.width);
            for also in &finding.also {
                wrap(&mut out, &format!("also: {also}"), style.width);
            }
        }
    }
    let _ = writeln!(out, "\n{}", summary(run, style));
    out
}

fn sentence(finding: &Finding) -> String {
    let requests = match finding.exchanges.as_slice() {
        [] => String::new(),
        [one] => format!(" (request {one})"),
        [first, .., last] => format!(" (requests {first} to {last})"),
    };
    format!("{}: {}{requests}", finding.code, finding.message)
}

/// A case's name and numbers; a name that leaves no room for them has a line of its own, whole, so that it can be copied.
fn row(case: &CaseResult, room: usize) -> String {
    let (answered, all) = case.steps;
    let mut name = name(case);
    if name.chars().count() > room {
        name.push_str(&format!("\n{:1$}", "", INDENT + room));
    }
    format!(
        "{name:<room$}  {:>5}  {:>8}  {:>7}  {:>7}",
        format!("{answered}/{all}"),
        case.requests,
        case.retries,
        seconds(case.ran_ms),
    )
}

fn name(case: &CaseResult) -> String {
    if case.class == case.phrasing {
        case.phrasing.clone()
    } else {
        format!("{}/{}", case.class, case.phrasing)
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:02} s", ms / 1000, ms % 1000 / 10)
}

fn mark(verdict: Verdict, style: Style) -> String {
    let (word, colour) = match verdict {
        Verdict::Passed => ("PASS", 32),
        Verdict::Failed => ("FAIL", 31),
        Verdict::Broken => ("BROKEN", 35),
    };
    paint(&format!("{word:>6}"), colour, style)
}

fn paint(text: &str, colour: u8, style: Style) -> String {
    if style.colour { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn summary(run: &RunFile, style: Style) -> String {
    let (passed, failed, broken) =
        (run.count(Verdict::Passed), run.count(Verdict::Failed), run.count(Verdict::Broken));
    let mut parts = vec![format!("{passed} passed")];
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    if broken > 0 {
        parts.push(format!("{broken} broken"));
    }
    let good = failed == 0 && broken == 0 && passed > 0;
    format!(
        "{} of {} in {}",
        paint(&parts.join(", "), if good { 32 } else { 31 }, style),
        if run.cases.len() == 1 { "1 case".to_owned() } else { format!("{} cases", run.cases.len()) },
        seconds(run.took_ms),
    )
}

/// Appends a text below a row, broken at spaces; a word longer than the line stays whole.
fn wrap(out: &mut String, text: &str, width: usize) {
    let room = width.max(40) - INDENT;
    let mut used = 0;
    for word in text.split_whitespace() {
        let long = word.chars().count();
        if used == 0 {
            let _ = write!(out, "{:INDENT$}{word}", "");
            used = long;
        } else if used + 1 + long <= room {
            let _ = write!(out, " {word}");
            used += 1 + long;
        } else {
            let _ = write!(out, "\n{:1$}{word}", "", INDENT + 2);
            used = long + 2;
        }
    }
    out.push('\n');
}
