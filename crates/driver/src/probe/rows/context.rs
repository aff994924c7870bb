//! Whether a prompt of some thousand tokens is read whole, and told if not.

use super::{ANSWERS, taken};
use crate::endpoint::class::Class;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use std::fmt::Write as _;

pub(super) const ROW: Probe = Probe {
    name: "context",
    finds: "reads a prompt of some 5,000 tokens whole, or says that it does not",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft { counted: true, ..Draft::ask(prompt()) })),
    judge,
};

/// Sentences in the prompt: more than the window of 4,096 tokens that local servers are known to set by themselves.
const SENTENCES: usize = 420;

/// The word that stands first, where a cut takes it away.
const WORD: &str = "heron";

fn prompt() -> String {
    let mut text = format!("Remember the word {WORD}. What follows is filler.\n");
    for number in 1..=SENTENCES {
        let _ = writeln!(text, "Line {number} is about a small boat on a wide lake.");
    }
    text + "Answer with the single word that you were to remember."
}

fn judge(seen: &Seen<'_>) -> Judged {
    let told = match &seen.exchange.result {
        Ok(told) => told,
        Err(failed) if failed.reason == Some("context_truncated") => {
            return Judged::new(Verdict::No, taken::short(&failed.message));
        }
        Err(failed) if failed.class == Class::ContextLength => {
            return Judged::new(Verdict::Yes, format!("it says so: {}", taken::short(&failed.message)));
        }
        Err(failed) => {
            return Judged::new(
                Verdict::Unknown,
                format!("{}: {}", failed.class.name(), taken::short(&failed.message)),
            );
        }
    };
    let text = told.text.as_deref().unwrap_or_default().to_lowercase();
    let bytes = seen.draft.map_or(0, Draft::bytes);
    match told.usage.prompt {
        Some(prompt) => Judged::new(Verdict::Yes, format!("{prompt} tokens for {bytes} bytes")),
        None if text.contains(WORD) => {
            Judged::new(Verdict::Yes, "it knows the first word; tokens are not told")
        }
        None => Judged::new(Verdict::Unknown, "it does not know the first word; tokens are not told"),
    }
}
