//! What was found, as a table for people. Readable without colour; whatever an endpoint says is told on one line.

use super::kept::Kept;
use super::quirk::QUIRKS;
use super::rows::PROBES;
use crate::policy;
use std::fmt::Write as _;

/// The table.
#[must_use]
pub fn table(kept: &Kept) -> String {
    let mut out = format!("{} at {} ({})\n\n", one_line(&kept.model), one_line(&kept.url), kept.api);
    let width = kept.findings.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &kept.findings.rows {
        let finds = PROBES.iter().find(|probe| probe.name == row.name).map_or("", |probe| probe.finds);
        let note = if row.note.is_empty() { String::new() } else { format!(": {}", one_line(&row.note)) };
        let _ = writeln!(out, "  {:width$}  {:7}  {finds}{note}", one_line(&row.name), row.verdict.name());
    }
    if kept.findings.quirks.is_empty() {
        out.push_str("\nno quirks\n");
    } else {
        out.push_str("\nquirks\n");
    }
    for quirk in &kept.findings.quirks {
        let summary = QUIRKS.iter().find(|known| known.name == quirk.name).map_or("", |known| known.summary);
        let note = if quirk.note.is_empty() { String::new() } else { format!(": {}", one_line(&quirk.note)) };
        let _ =
            writeln!(out, "  {} (seen by {}): {summary}{note}", one_line(&quirk.name), one_line(&quirk.row));
    }
    out.push('\n');
    if kept.accuracy.is_empty() {
        out.push_str("accuracy: not measured (--samples NUMBER measures it); tier 4\n");
    }
    for one in &kept.accuracy {
        let (tier, good, all) = kept.tier(&one.format);
        let measured = measured(good, all);
        let _ = writeln!(out, "accuracy in {}: {measured}; tier {}", one_line(&one.format), tier.number());
    }
    out
}

/// How often something was right, with its lower bound.
pub(super) fn measured(good: u64, all: u64) -> String {
    match policy::lower_bound(good, all) {
        Some(bound) => format!("{good} of {all} right, lower bound {bound:.2}"),
        None => "not measured".to_owned(),
    }
}

/// A foreign text on one line.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
