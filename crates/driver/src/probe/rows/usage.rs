//! Whether tokens are told.

use super::ANSWERS;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use rehearsal_wire::json::{self, Kind};

pub(super) const ROW: Probe =
    Probe { name: "usage", finds: "tells its tokens", needs: ANSWERS, asks: Asks::Of("answers"), judge };

fn judge(seen: &Seen<'_>) -> Judged {
    let Ok(told) = &seen.exchange.result else { return Judged::new(Verdict::Unknown, "") };
    match (told.usage.prompt, told.usage.completion) {
        (Some(prompt), Some(completion)) => {
            Judged::new(Verdict::Yes, format!("{prompt} of the prompt and {completion} of the answer"))
        }
        (None, None) if !holds_usage(seen) => {
            Judged::new(Verdict::No, "no usage").and("q01_usage_absent", "")
        }
        (prompt, _) => {
            let what = if prompt.is_none() { "those of the prompt" } else { "those of the answer" };
            Judged::new(Verdict::No, format!("{what} are missing")).and("q02_usage_null_fields", what)
        }
    }
}

/// Whether there is a usage at all.
fn holds_usage(seen: &Seen<'_>) -> bool {
    let Some(received) = &seen.exchange.received else { return false };
    // All three APIs have it at the same place.
    let holds =
        |tape: &json::Tape<'_>| tape.root().get("usage").is_some_and(|usage| usage.kind() == Kind::Object);
    json::parse(received.body.trim_ascii()).is_ok_and(|tape| holds(&tape))
}
