//! The final text of a run.

use super::Run;
use rehearsal_journal::digest;
use std::fmt::Write as _;

/// The text that a run ended with.
#[must_use]
pub fn final_text(run: &Run) -> String {
    let id = &run.id;
    if let Some((Some(text), bytes)) = &run.text {
        return match bytes {
            Some(bytes) => repeated(text, *bytes),
            None => text.clone(),
        };
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
    let text = format!("FAKE_RUN_RESULT {id}: assignment complete.");
    match &run.text {
        Some((None, Some(bytes))) => repeated(&format!("{text}\n"), *bytes),
        _ => text,
    }
}

/// A text again and again until it has so many bytes; it ends where a character ends.
fn repeated(text: &str, bytes: u64) -> String {
    let wanted = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut out = text.repeat(wanted / text.len().max(1) + 1);
    let mut end = wanted.min(out.len());
    while !out.is_char_boundary(end) {
        end -= 1;
    }
    out.truncate(end);
    out
}
