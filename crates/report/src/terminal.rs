//! The table that ends a run: one line a case, below each that is not clean what was found and what to do, one line that sums up.

use crate::resilience;
use crate::rounds::{Rounds, count, listed, rounds};
use crate::words::{by_weight, reason, remedies, restrictions, seconds, sentence, several, visible, weight};
use crate::{Report, Style};
use rehearsal_journal::run::{CaseResult, RunFile, Severity, Verdict};
use std::fmt::Write as _;

pub(super) const ROW: Report = Report {
    name: "terminal",
    summary: "a table for people, with the reason of each failure and what to do",
    write,
};

/// Columns a finding's text is indented by.
const INDENT: usize = 8;

/// Columns of a row beside the case's name.
const NUMBERS: usize = INDENT + "  steps  requests  retries     time".len();

const GREEN: u8 = 32;
const RED: u8 = 31;
const YELLOW: u8 = 33;
const MAGENTA: u8 = 35;
const DIM: u8 = 2;

/// What all rows have in common.
struct Columns {
    /// Columns for the case's name.
    room: usize,
    /// Columns for how many rounds passed, where cases were repeated.
    passes: Option<usize>,
}

fn write(run: &RunFile, style: Style) -> String {
    let all = rounds(run);
    let (rows, hidden) = listed(&all, style.all);
    let columns = columns(run, &rows, style);
    let mut out = String::new();
    if !rows.is_empty() {
        let passes = columns.passes.map(|width| format!("  {:>width$}", "passes")).unwrap_or_default();
        let _ = writeln!(
            out,
            "        {:<room$}{passes}  {:>5}  {:>8}  {:>7}  {:>7}",
            "case",
            "steps",
            "requests",
            "retries",
            "time",
            room = columns.room,
        );
    }
    for rounds in rows {
        let _ = writeln!(out, "{}  {}", mark(rounds, style), row(rounds, &columns));
        reasons(&mut out, run, rounds, style);
    }
    if let Some((passed, warned)) = hidden {
        let warned = if warned > 0 { format!(", {warned} of them with warnings") } else { String::new() };
        let verb = if passed == 1 { "is" } else { "are" };
        let text = format!(
            "{} {verb} not shown{warned} (rehearsal report RUN --all shows all)",
            several(passed, "passed case")
        );
        wrap(&mut out, &text, INDENT, None, style);
    }
    let table = resilience::table(run);
    if !table.is_empty() {
        let _ = write!(out, "\n{table}");
    }
    let _ = writeln!(out, "\n{}", summary(run, &all, style));
    out
}

fn columns(run: &RunFile, rows: &[&Rounds<'_>], style: Style) -> Columns {
    let widest = |rounds: &&Rounds<'_>| passes(rounds).chars().count();
    let passes = (run.repeat > 1).then(|| rows.iter().map(widest).max().unwrap_or(0).max("passes".len()));
    let numbers = NUMBERS + passes.map_or(0, |width| width + 2);
    let longest = rows.iter().map(|rounds| rounds.name().chars().count()).max().unwrap_or(0);
    Columns { room: longest.clamp(4, style.width.max(40).saturating_sub(numbers).max(4)), passes }
}

fn passes(rounds: &Rounds<'_>) -> String {
    let (passed, all) = rounds.passes();
    format!("{passed}/{all}")
}

/// A case's name and numbers, those of the round that is shown; a name that leaves no room for them has a line of its
/// own, whole, so that it can be copied.
fn row(rounds: &Rounds<'_>, columns: &Columns) -> String {
    let case = rounds.shown();
    let (answered, all) = case.steps;
    let mut name = rounds.name();
    if name.chars().count() > columns.room {
        name.push_str(&format!("\n{:1$}", "", INDENT + columns.room));
    }
    let passes = columns.passes.map(|width| format!("  {:>width$}", passes(rounds))).unwrap_or_default();
    format!(
        "{name:<room$}{passes}  {:>5}  {:>8}  {:>7}  {:>7}",
        format!("{answered}/{all}"),
        case.requests,
        case.retries,
        seconds(case.ran_ms),
        room = columns.room,
    )
}

/// What was found in the round that is shown: errors first, each with its consequences, then what to do about them;
/// what does not fail the case comes last and steps back.
fn reasons(out: &mut String, run: &RunFile, rounds: &Rounds<'_>, style: Style) {
    let case = rounds.shown();
    let findings = by_weight(&case.findings);
    let (errors, rest): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity == Severity::Error);
    if !case.verdict.is_executed() {
        wrap(out, &visible(&reason(case)), INDENT, Some(DIM), style);
    }
    if rounds.passes().1 > 1 && !errors.is_empty() {
        wrap(out, &format!("in round {}:", case.round), INDENT, None, style);
    }
    for finding in &errors {
        wrap(out, &sentence(finding), INDENT, None, style);
        for also in &finding.also {
            wrap(out, &format!("also: {}", visible(also)), INDENT + 2, None, style);
        }
    }
    let remedies = remedies(run, &errors);
    for (code, remedy) in &remedies {
        // With one it is plain what it is about.
        let about = if remedies.len() > 1 { format!("{}: ", visible(code)) } else { String::new() };
        wrap(out, &format!("→ {about}{remedy}"), INDENT, None, style);
    }
    kept(out, case, style);
    for finding in rest {
        let text = format!("{}{}", weight(finding.severity), sentence(finding));
        wrap(out, &text, INDENT, Some(DIM), style);
        for also in &finding.also {
            wrap(out, &format!("also: {}", visible(also)), INDENT + 2, Some(DIM), style);
        }
    }
}

/// Where the files of a workflow case lie that did not pass.
fn kept(out: &mut String, case: &CaseResult, style: Style) {
    let folder = case.workflow.as_ref().and_then(|workflow| workflow.kept.as_ref());
    if let Some(folder) = folder.filter(|_| case.verdict != Verdict::Passed) {
        wrap(out, &format!("its folder: {} of the run folder", visible(folder)), INDENT, Some(DIM), style);
    }
}

fn mark(rounds: &Rounds<'_>, style: Style) -> String {
    let (word, colour) = match rounds.verdict() {
        Verdict::Failed if rounds.flaky() => ("FLAKY", YELLOW),
        Verdict::Passed => ("PASS", GREEN),
        Verdict::Failed => ("FAIL", RED),
        Verdict::Broken => ("BROKEN", MAGENTA),
        Verdict::TimedOut => ("LIMIT", RED),
        Verdict::Skipped => ("SKIP", YELLOW),
        Verdict::Unsupported => ("N/A", YELLOW),
    };
    paint(&format!("{word:>6}"), colour, style)
}

fn paint(text: &str, colour: u8, style: Style) -> String {
    if style.colour { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn summary(run: &RunFile, all: &[Rounds<'_>], style: Style) -> String {
    let (passed, failed, broken) =
        (count(all, Verdict::Passed), count(all, Verdict::Failed), count(all, Verdict::Broken));
    let timed_out = count(all, Verdict::TimedOut);
    let (skipped, unsupported) = (count(all, Verdict::Skipped), count(all, Verdict::Unsupported));
    let flaky = all.iter().filter(|rounds| rounds.flaky()).count();
    let mut parts = vec![format!("{passed} passed")];
    if failed > 0 {
        let flaky = if flaky > 0 { format!(" ({flaky} flaky)") } else { String::new() };
        parts.push(format!("{failed} failed{flaky}"));
    }
    for (number, word) in
        [(timed_out, "timed out"), (broken, "broken"), (unsupported, "unsupported"), (skipped, "skipped")]
    {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    let good = failed == 0 && broken == 0 && timed_out == 0 && passed > 0;
    let each = if run.repeat > 1 { format!(", {} rounds each,", run.repeat) } else { String::new() };
    let restrictions: Vec<_> = restrictions(run).iter().map(|clause| format!("; {clause}")).collect();
    format!(
        "{} of {}{each} in {}{}",
        paint(&parts.join(", "), if good { GREEN } else { RED }, style),
        several(all.len(), "case"),
        seconds(run.took_ms),
        restrictions.concat(),
    )
}

/// Appends a text below a row, broken at spaces; a word longer than the line stays whole.
fn wrap(out: &mut String, text: &str, indent: usize, colour: Option<u8>, style: Style) {
    let room = style.width.max(40) - indent;
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let long = word.chars().count();
        if used > 0 && used + 1 + long > room {
            lines.push(format!("  {word}"));
            used = long + 2;
            continue;
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if used > 0 { " " } else { "" });
            line.push_str(word);
        }
        used += long + usize::from(used > 0);
    }
    for line in lines {
        let line = colour.map_or_else(|| line.clone(), |colour| paint(&line, colour, style));
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
}
