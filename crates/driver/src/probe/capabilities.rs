//! The capabilities of a driver for an endpoint, each with a note where it comes from: honest where nobody has looked.

use super::kept::Kept;
use super::row::Verdict;
use super::told::{measured, one_line};
use crate::worker::report::object::Object;
use rehearsal_wire::json::quoted;
use rehearsal_world::clock;
use std::fmt::Write as _;

/// One capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its name.
    pub name: &'static str,
    /// Its value as JSON.
    pub value: String,
    /// Where it comes from.
    pub note: String,
}

/// All capabilities, in the order of the contract. Accuracy is that of answers in this format.
#[must_use]
pub fn capabilities(kept: &Kept, format: &str) -> Vec<Capability> {
    let name = quoted(&format!("openai-compatible ({})", kept.model));
    let is_there = ["models", "answers"].into_iter().any(|row| verdict(kept, row) == Verdict::Yes);
    let models = if is_there { format!("[{}]", quoted(&kept.model)) } else { "[]".to_owned() };
    let [accuracy, tier] = trust(kept, format);
    vec![
        of("name", name, format!("{} at {}", kept.api, kept.url)),
        of(
            "parallel_dispatch",
            "false",
            "by design: a worker asks one question at a time; several run side by side",
        ),
        of(
            "worker_filesystem_access",
            "false",
            "by design: a model sees the files that it owns, and writes none itself",
        ),
        of("worker_shell_access", "false", "by design: a model runs nothing"),
        structured_output(kept),
        of(
            "worktree_isolation",
            "false",
            "by design: owned files alone are written, in the tree that is given",
        ),
        of(
            "native_cost_tracking",
            (verdict(kept, "usage") == Verdict::Yes).to_string(),
            seen(kept, "usage", "no usage"),
        ),
        of("native_stall_detection", "true", "by design: silence ends an attempt, the deadline a task"),
        accuracy,
        tier,
        of("available_models", models, seen(kept, "models", "listed")),
    ]
}

fn of(name: &'static str, value: impl Into<String>, note: impl Into<String>) -> Capability {
    Capability { name, value: value.into(), note: note.into() }
}

fn structured_output(kept: &Kept) -> Capability {
    let forms =
        [("json_schema", "held to a schema"), ("json_object", "held to an object of JSON, not to a schema")];
    let held = forms.into_iter().find(|(row, _)| verdict(kept, row) == Verdict::Yes);
    let note = match held {
        Some((_, what)) => format!("{what}; {}", when(kept)),
        None => seen(kept, "json_schema", "no"),
    };
    of("structured_output", held.is_some().to_string(), note)
}

/// Accuracy and the tier that follows from it.
fn trust(kept: &Kept, format: &str) -> [Capability; 2] {
    let (tier, good, all) = kept.tier(format);
    let (share, seen, why) = match all {
        0 => (0.0, "not measured".to_owned(), "not measured".to_owned()),
        _ => (ratio(good, all), measured(good, all), format!("by the lower bound of {good} of {all}")),
    };
    [
        of("tool_use_accuracy", format!("{share:.3}"), format!("answers in {format}: {seen}")),
        of("recommended_verification_tier", tier.number().to_string(), why),
    ]
}

/// What a row says, and when it was asked.
fn seen(kept: &Kept, row: &str, otherwise: &str) -> String {
    match kept.row(row) {
        Some(row) if row.note.is_empty() => format!("{otherwise}; {}", when(kept)),
        Some(row) => format!("{}; {}", row.note, when(kept)),
        None => "not probed".to_owned(),
    }
}

/// The matrix for people.
#[must_use]
pub fn table(kept: &Kept, format: &str) -> String {
    let rows = capabilities(kept, format);
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let values = rows.iter().map(|row| row.value.chars().count()).max().unwrap_or(0).min(40);
    let mut out = format!("{}\n", describe(kept, format));
    for row in &rows {
        let _ =
            writeln!(out, "  {:width$}  {:values$}  {}", row.name, one_line(&row.value), one_line(&row.note));
    }
    out
}

/// The matrix as JSON, one line.
#[must_use]
pub fn to_json(kept: &Kept, format: &str) -> String {
    let mut object = Object::begin();
    object.number("version", super::kept::VERSION);
    object.text("url", &kept.url);
    object.text("api", &kept.api);
    object.text("model", &kept.model);
    object.text("format", format);
    object.text("describe", &describe(kept, format));
    let mut fields = Object::begin();
    for row in capabilities(kept, format) {
        let mut field = Object::begin();
        field.raw("value", &row.value);
        field.text("note", &row.note);
        fields.raw(row.name, &field.end());
    }
    object.raw("capabilities", &fields.end());
    object.end()
}

/// One line of ASCII.
#[must_use]
pub fn describe(kept: &Kept, format: &str) -> String {
    let (tier, good, all) = kept.tier(format);
    let yes = kept.findings.rows.iter().filter(|row| row.verdict == Verdict::Yes).count();
    let line = format!(
        "openai-compatible ({}): {} of {} rows yes, {} quirks, {}, tier {}",
        kept.model,
        yes,
        kept.findings.rows.len(),
        kept.findings.quirks.len(),
        measured(good, all),
        tier.number()
    );
    line.chars()
        .map(|letter| if letter.is_ascii() && !letter.is_ascii_control() { letter } else { '?' })
        .collect()
}

fn verdict(kept: &Kept, row: &str) -> Verdict {
    kept.row(row).map_or(Verdict::Unknown, |row| row.verdict)
}

/// When it was looked at.
fn when(kept: &Kept) -> String {
    format!("probed {}", clock::rfc3339(kept.probed_ms))
}

fn ratio(good: u64, all: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "nobody measures 2^53 answers")]
    let (good, all) = (good as f64, all as f64);
    good / all
}
