//! The final text of a run.

use super::Run;
use rehearsal_journal::digest;
use std::fmt::Write as _;

/// The whole text that a run ended with.
#[must_use]
pub fn final_text(run: &Run) -> String {
    output_beginning(run, usize::MAX)
}

/// How many bytes that text has.
#[must_use]
pub fn output_bytes(run: &Run) -> u64 {
    match &run.text {
        // Whole characters may be a little less; what fits is counted, not made.
        Some((_, Some(bytes))) => repeated_len(&unit(run), *bytes),
        _ => unit(run).len() as u64,
    }
}

/// The text, or as much of it as `most` bytes and the rest of a repetition hold.
#[must_use]
pub fn output_beginning(run: &Run, most: usize) -> String {
    match &run.text {
        Some((_, Some(bytes))) => {
            let unit = unit(run);
            let room = u64::try_from(most.saturating_add(unit.len())).unwrap_or(u64::MAX);
            repeated(&unit, repeated_len(&unit, *bytes).min(room))
        }
        _ => unit(run),
    }
}

/// The text before it is repeated.
fn unit(run: &Run) -> String {
    let id = &run.id;
    if let Some((Some(text), _)) = &run.text {
        return text.clone();
    }
    if run.script.relay {
        let mut text = format!("FINAL: FAKE_RUN_RESULT {id} after {} addressed turn(s).\n", run.told.len());
        for (at, told) in run.told.iter().enumerate() {
            let sum = digest::text(&digest::of(told.as_bytes()));
            // A text takes whatever is written to it.
            let _ = write!(text, "RELAYED[{}] sha256={sum}\n{told}\n", at + 1);
        }
        return text;
    }
    if !run.script.required_inputs.is_empty() {
        let inputs = run.script.required_inputs.join("; ");
        return format!("INTERIM (not final): FAKE_RUN_RESULT {id} ended needing input: {inputs}");
    }
    match &run.text {
        Some((None, Some(_))) => format!("FAKE_RUN_RESULT {id}: assignment complete.\n"),
        _ => format!("FAKE_RUN_RESULT {id}: assignment complete."),
    }
}

/// The length of a text that is repeated until it has so many bytes, and ends where a character ends.
fn repeated_len(unit: &str, bytes: u64) -> u64 {
    let Some(rest) = bytes.checked_rem(unit.len() as u64) else { return 0 };
    let mut end = usize::try_from(rest).unwrap_or(0);
    while !unit.is_char_boundary(end) {
        end -= 1;
    }
    bytes - rest + end as u64
}

/// A text again and again until it has so many bytes; it ends where a character ends.
fn repeated(unit: &str, bytes: u64) -> String {
    let wanted = usize::try_from(repeated_len(unit, bytes)).unwrap_or(usize::MAX);
    let mut out = unit.repeat(wanted.checked_div(unit.len()).map_or(0, |times| times + 1));
    out.truncate(wanted);
    out
}
