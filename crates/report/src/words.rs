//! Words that several formats share: a finding as a sentence, times, and texts of agents made harmless.

use chrono::{DateTime, Datelike as _, Utc};
use rehearsal_journal::run::{CaseResult, Finding, RunFile, Severity};
use std::fmt::Write as _;

/// A text on one line in which everything shows: what would steer a terminal, turn the direction of the text or be
/// no character of XML is written as `\u{1b}`.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => {
                escape(&mut out, c)
            }
            '\u{fffe}' | '\u{ffff}' => escape(&mut out, c),
            control if control.is_control() => escape(&mut out, control),
            plain => out.push(plain),
        }
    }
    out
}

fn escape(out: &mut String, c: char) {
    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
}

/// Which requests a finding rests on, in brackets behind a space; nothing where it names none.
pub(crate) fn requests(finding: &Finding) -> String {
    match finding.exchanges.as_slice() {
        [] => String::new(),
        [one] => format!(" (request {one})"),
        [first, .., last] => format!(" (requests {first} to {last})"),
    }
}

/// A finding: its code, what was done and what was right, on which requests.
pub(crate) fn sentence(finding: &Finding) -> String {
    visible(&format!("{}: {}{}", finding.code, finding.message, requests(finding)))
}

/// What stands before a finding that is no error.
pub(crate) fn weight(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "",
        Severity::Warning => "warning: ",
        Severity::Note => "note: ",
    }
}

/// Errors first, then warnings, then notes; else as judged.
pub(crate) fn by_weight(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<_> = findings.iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    sorted
}

/// What to do about the errors among these: each code once.
pub(crate) fn remedies<'r>(run: &'r RunFile, findings: &[&Finding]) -> Vec<(&'r str, String)> {
    let mut told: Vec<(&str, String)> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let Some(text) = run.codes.iter().find(|text| text.code == finding.code) else { continue };
        if !text.remedy.is_empty() && told.iter().all(|(code, _)| *code != text.code) {
            told.push((&text.code, visible(&text.remedy)));
        }
    }
    told
}

/// Why a case was not executed.
pub(crate) fn reason(case: &CaseResult) -> String {
    let reason = case.workflow.as_ref().and_then(|workflow| workflow.reason.clone());
    reason.unwrap_or_else(|| "no reason is given".to_owned())
}

/// Milliseconds as seconds with two decimals.
pub(crate) fn seconds(ms: u64) -> String {
    format!("{}.{:02} s", ms / 1000, ms % 1000 / 10)
}

/// A number of things, e.g. `1 case`, `2 cases`.
pub(crate) fn several(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// What a reader must know of a run that had not all cases: its shard, the shards that it lacks, its early end. Each as a clause without a full stop.
pub(crate) fn restrictions(run: &RunFile) -> Vec<String> {
    let mut clauses = Vec::new();
    if let Some((part, of)) = run.shard {
        clauses.push(format!("shard {part} of {of}"));
    }
    match run.missing_shards.as_slice() {
        [] => {}
        [one] => clauses.push(format!("shard {one} is missing, its cases are not judged")),
        several => {
            let names: Vec<_> = several.iter().map(u32::to_string).collect();
            // Commas part the clauses.
            clauses.push(format!("shards {} are missing, their cases are not judged", names.join(" and ")));
        }
    }
    if run.ended_early {
        clauses.push("ended at the first failure, further cases did not run".to_owned());
    }
    clauses
}

/// A time of the wall clock; none beyond the year 9999, which no format can write.
pub(crate) fn moment(unix_ms: u64) -> Option<DateTime<Utc>> {
    let moment = DateTime::from_timestamp_millis(i64::try_from(unix_ms).ok()?)?;
    (moment.year() <= 9999).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::{moment, visible};

    #[test]
    fn what_would_steer_a_terminal_or_break_xml_is_shown_instead() {
        for (text, shown) in [
            ("plain, größer, 日本", "plain, größer, 日本"),
            ("a\nb\tc\r", "a b c "),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\u{0}\u{7f}\u{9b}", "\\u{0}\\u{7f}\\u{9b}"),
            ("abc\u{202e}fdp", "abc\\u{202e}fdp"),
            ("\u{fffe}\u{ffff}\u{fffd}", "\\u{fffe}\\u{ffff}\u{fffd}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn a_moment_that_no_format_can_write_is_none() {
        assert_eq!(moment(0).map(|at| at.to_rfc3339()), Some("1970-01-01T00:00:00+00:00".to_owned()));
        assert!(moment(253_402_300_799_999).is_some());
        assert!(moment(253_402_300_800_000).is_none());
        assert!(moment(u64::MAX).is_none());
    }
}
